; from strings.scm:7
(define (mark text at)
  (let ((made (%fresh-string
                (string-append "<" (%string-content "string-append" text)))))
    (string-set! made (+ at 1) #\>)
    (write made)
    (string-set! made 0 #\space)
    (string->symbol (%string-content "string->symbol" made))))
