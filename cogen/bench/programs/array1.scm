; Vectors that are made, filled, copied backwards and forwards.
; smaller: (run 2 50) gives 50

(import (scheme base) (scheme write))

(define (filled n)
  (let ((v (make-vector n 0)))
    (do ((i 0 (+ i 1))) ((= i n) v) (vector-set! v i i))))

(define (copied v)
  (let* ((n (vector-length v)) (w (make-vector n 0)))
    (do ((i (- n 1) (- i 1))) ((< i 0) w)
      (vector-set! w i (vector-ref v i)))))

(define (trial n) (vector-length (copied (filled n))))

(define (run times n)
  (do ((i 1 (+ i 1)) (found 0 (trial n)))
      ((> i times) found)))

(write (run 150 200000))
