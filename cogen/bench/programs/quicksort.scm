; A vector of pseudo-random integers is sorted in place.
; smaller: (run 1 200) gives #t

(import (scheme base) (scheme write))

(define (quick! v less?)
  (define (partition! low high)
    (let ((pivot (vector-ref v (quotient (+ low high) 2))))
      (let loop ((i low) (j high))
        (let ((i (let up ((i i)) (if (less? (vector-ref v i) pivot) (up (+ i 1)) i)))
              (j (let down ((j j)) (if (less? pivot (vector-ref v j)) (down (- j 1)) j))))
          (if (<= i j)
              (let ((x (vector-ref v i)))
                (vector-set! v i (vector-ref v j))
                (vector-set! v j x)
                (loop (+ i 1) (- j 1)))
              (values i j))))))
  (let sort! ((low 0) (high (- (vector-length v) 1)))
    (if (< low high)
        (let-values (((i j) (partition! low high)))
          (sort! low j)
          (sort! i high))))
  v)

(define (numbers n)
  (let ((v (make-vector n 0)))
    (let loop ((i 0) (seed 17))
      (if (= i n)
          v
          (begin
            (vector-set! v i seed)
            (loop (+ i 1) (modulo (+ (* 16807 seed) 11) 2147483647)))))))

(define (sorted? v)
  (let loop ((i 1))
    (or (= i (vector-length v))
        (and (<= (vector-ref v (- i 1)) (vector-ref v i)) (loop (+ i 1))))))

(define (run times n)
  (let loop ((i 0) (fine #t))
    (if (= i times)
        fine
        (loop (+ i 1) (and fine (sorted? (quick! (numbers n) <)))))))

(write (run 10 100000))
