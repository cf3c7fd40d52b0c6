; The sum of the integers up to one, many times, in fixnums and in floats.
; smaller: (run 3 100) gives (5050 5050.0)

(import (scheme base) (scheme write))

(define (sum n)
  (let loop ((i n) (total 0))
    (if (< i 0) total (loop (- i 1) (+ i total)))))

(define (sumfp n)
  (let loop ((i n) (total 0.))
    (if (< i 0.) total (loop (- i 1.) (+ i total)))))

(define (run times n)
  (do ((i 1 (+ i 1)) (a 0 (sum n)) (b 0. (sumfp (inexact n))))
      ((> i times) (list (sum n) (sumfp (inexact n))))))

(write (run 4000 20000))
