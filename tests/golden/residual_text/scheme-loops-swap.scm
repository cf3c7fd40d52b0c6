; from loops.scm:75
(define (swap n a b)
  ; from loops.scm:76
  (let swap-1 ((a-1 a) (b-1 b) (n-1 n))
    (if (= n-1 0) (- a-1 b-1) (swap-1 b-1 a-1 (- n-1 1)))))
