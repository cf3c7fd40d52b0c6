; from loops.scm:20
(define (nested rows columns)
  ; from loops.scm:22
  (let outer-1 ((sum 0) (i 0))
    (if (= i rows)
        sum
        (let inner-1 ((sum-1 sum) (j 0))
          ; from loops.scm:24
          (if (= j columns)
              (outer-1 sum-1 (+ i 1))
              (inner-1 (+ sum-1 (* i j)) (+ j 1)))))))
