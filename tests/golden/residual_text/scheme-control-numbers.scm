; from control.scm:33
(define (numbers x y items)
  ; from control.scm:35
  (let loop-1 ((z x) (items-1 items))
    (if (null? items-1)
        (list z (sqrt y))
        (loop-1 (+ (* z y) (- (car items-1) 0.5)) (cdr items-1)))))
