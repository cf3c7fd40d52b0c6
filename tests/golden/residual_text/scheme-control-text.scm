; from control.scm:26
(define (text a n)
  (let ((out (string-append a (number->string n) "\n")))
    (write (string->symbol out))
    (display (char-upcase (string-ref out 0)))
    (string->list (substring out 0 (string-length a)))))
