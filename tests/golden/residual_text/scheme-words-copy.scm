; from words.scm:24
(define (copy from to count)
  ; from words.scm:26
  (let loop-1 ((i 0))
    (when (< i count) (store-word! to i (load-word from i)) (loop-1 (+ i 1)))))
