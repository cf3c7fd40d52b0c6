; from interpreted.scm:9
(define (power x) (* x (square (square x))))
