; from interpreted.scm:39
(define (dot ys ys-1 ys-2) (+ (* 2 ys) (+ (* 0 ys-1) (* 5 ys-2))))
