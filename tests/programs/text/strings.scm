; Strings that are changed: they are the residual program's, in order with what looks at them;
; constants are known.
;
; mark _ "(dynamic int)" "(static \"<>\")"
; letters _ _

(define (mark text at signs)
  (let ((made (string-append (string (string-ref signs 0)) text)))
    (string-set! made (+ at 1) (string-ref signs 1))
    (write made)
    (string-set! made 0 #\space)
    (string->symbol made)))

;; What is asked of characters and numbers of which nothing is known.
(define (letters c x)
  (display (char-downcase c))
  (write (+ (char->integer c) 1))
  (if (or (char-alphabetic? c) (char-numeric? c) (char-whitespace? c))
      (write (if (char-upper-case? c) 'upper (if (char-lower-case? c) 'lower 'other))))
  (cond ((number? x) (write 'number)))
  (cond ((complex? x) (write 'complex)))
  (cond ((real? x) (write 'real)))
  x)
