; Binary trees, from above and from below, short-lived ones beside one that lives on.
; smaller: (run 4 6) gives 127

(import (scheme base) (scheme write))

(define-record-type node
  (make-node left right)
  node?
  (left left set-left!)
  (right right set-right!))

(define (populate! depth tree)
  (if (> depth 0)
      (begin
        (set-left! tree (make-node #f #f))
        (set-right! tree (make-node #f #f))
        (populate! (- depth 1) (left tree))
        (populate! (- depth 1) (right tree)))))

(define (made depth)
  (if (<= depth 0) (make-node #f #f) (make-node (made (- depth 1)) (made (- depth 1)))))

(define (count tree)
  (if (left tree) (+ 1 (count (left tree)) (count (right tree))) 1))

(define (tree-size depth) (- (expt 2 (+ depth 1)) 1))

(define (run least most)
  (let ((long (make-node #f #f)) (numbers (make-vector 100000 0.)))
    (populate! most long)
    (do ((i 0 (+ i 1))) ((= i 50000)) (vector-set! numbers i (/ 1. (inexact (+ i 1)))))
    (do ((depth least (+ depth 2))) ((> depth most))
      (let ((times (quotient (* 2 (tree-size most)) (tree-size depth))))
        (do ((i 0 (+ i 1))) ((= i times))
          (populate! depth (make-node #f #f)))
        (do ((i 0 (+ i 1))) ((= i times))
          (made depth))))
    (if (= (vector-ref numbers 1000) (/ 1. 1001.)) (count long) 'wrong)))

(write (run 4 18))
