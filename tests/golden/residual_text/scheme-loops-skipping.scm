; from loops.scm:49
(define (skipping memory n)
  (if (= n 0)
      0
      (let loop-1 ((i 0) (sum 0) (x-1 (load-word memory 0)))
        ; from loops.scm:53
        (store-word! memory i 0)
        ; from loops.scm:51
        (let loop-2 ((sum-1 (+ sum x-1)) (i-2 (+ i 1)))
          (if (= i-2 n)
              sum-1
              (let ((x-2 (load-word memory i-2)))
                (if (and (> x-2 20) (odd? sum-1))
                    (loop-2 (+ sum-1 1) (+ i-2 1))
                    (loop-1 i-2 sum-1 x-2))))))))
