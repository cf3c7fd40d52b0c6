; from ports.scm:5
(define (after-spaces port)
  ; from ports.scm:6
  (let after-spaces-1 ((t-1 (peek-char port)))
    (cond ((eqv? t-1 #\space)
           (read-char port)
           (after-spaces-1 (peek-char port)))
          (else (read-char port)))))
