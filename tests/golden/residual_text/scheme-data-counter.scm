; from data.scm:36
(define (counter start)
  (list (lambda () (set! start (+ start 1)) start)
        (lambda rest (set! start 0) rest)))
