; Strings that are changed: they are the residual program's, in order with what looks at them;
; constants are known.
;
; mark _ "(dynamic int)" "(static \"<>\")"

(define (mark text at signs)
  (let ((made (string-append (string (string-ref signs 0)) text)))
    (string-set! made (+ at 1) (string-ref signs 1))
    (write made)
    (string-set! made 0 #\space)
    (string->symbol made)))
