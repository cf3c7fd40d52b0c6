; Takeuchi's function in continuation-passing style: closures.

(define (cpstak x y z)
  (define (tak x y z k)
    (if (not (< y x))
        (k z)
        (tak (- x 1) y z
             (lambda (a)
               (tak (- y 1) z x
                    (lambda (b)
                      (tak (- z 1) x y
                           (lambda (c) (tak a b c k)))))))))
  (tak x y z (lambda (a) a)))

(define (repeat n result)
  (if (= n 0)
      result
      (repeat (- n 1) (cpstak 18 12 6))))

(display (repeat 800 0))
(newline)
