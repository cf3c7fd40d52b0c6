; from interpreted.scm:15
(define (run argument)
  (let ((t (* 2 argument))) (if (< t 10) (- t argument) (- 100 argument))))
