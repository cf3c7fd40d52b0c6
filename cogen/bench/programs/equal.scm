; Trees, lists and vectors that are compared by `equal?`.
; smaller: (run 2 5 20) gives #t

(import (scheme base) (scheme write))

(define (tree depth)
  (if (= depth 0) "leaf" (cons (tree (- depth 1)) (tree (- depth 1)))))

(define (vectors depth)
  (if (= depth 0) #\x (vector (vectors (- depth 1)) depth (vectors (- depth 1)))))

(define (numbers n) (do ((i 0 (+ i 1)) (made '() (cons (* i 1.5) made))) ((= i n) made)))

(define (run times depth n)
  (let ((t1 (tree depth)) (t2 (tree depth)) (v1 (vectors depth)) (v2 (vectors depth))
        (l1 (numbers n)) (l2 (numbers n)))
    (let loop ((i 0) (same #t))
      (if (= i times)
          same
          (loop (+ i 1) (and same (equal? t1 t2) (equal? v1 v2) (equal? l1 l2)
                             (not (equal? t1 l1))))))))

(write (run 20 14 100000))
