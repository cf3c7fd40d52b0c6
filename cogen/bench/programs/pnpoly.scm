; How many points of a grid lie in a polygon: floats in vectors.
; smaller: (run 1 9) gives 20

(import (scheme base) (scheme write))

(define xs (vector 0. 1. 1. 0. 0. 1. -.5 -1. -1. -2. -2.5 -2. -1.5 -.5 1. 1. 0. -.5 -1. -.5))
(define ys (vector 0. 0. 1. 1. 2. 3. 2. 3. 0. -.5 -1. -1.5 -2. -2. -1.5 -1. -.5 -1. -1. -1.))

(define (inside? x y)
  (let ((n (vector-length xs)))
    (let loop ((i 0) (j (- n 1)) (in #f))
      (if (= i n)
          in
          (let ((xi (vector-ref xs i)) (yi (vector-ref ys i))
                (xj (vector-ref xs j)) (yj (vector-ref ys j)))
            (loop (+ i 1) i
                  (if (and (not (and (<= yi y) (<= yj y)))
                           (not (and (> yi y) (> yj y)))
                           (< x (+ xi (/ (* (- xj xi) (- y yi)) (- yj yi)))))
                      (not in)
                      in)))))))

(define (count-inside n)
  (let ((step (/ 6. (inexact n))))
    (let rows ((i 0) (count 0))
      (if (= i n)
          count
          (rows (+ i 1)
                (let columns ((j 0) (count count))
                  (if (= j n)
                      count
                      (columns (+ j 1)
                               (if (inside? (- (* step (inexact i)) 3.) (- (* step (inexact j)) 3.))
                                   (+ count 1)
                                   count)))))))))

(define (run times n)
  (do ((i 1 (+ i 1)) (found 0 (count-inside n)))
      ((> i times) (count-inside n))))

(write (run 4 400))
