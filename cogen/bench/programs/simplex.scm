; Linear programs by the simplex method: matrices of floats in vectors of vectors.
; smaller: (run 1) gives (190 95 0 0 0)

(import (scheme base) (scheme write))

(define (matrix-ref a i j) (vector-ref (vector-ref a i) j))
(define (matrix-set! a i j x) (vector-set! (vector-ref a i) j x))

; Rows of a tableau: coefficients of the variables and slacks, and the right side; the last row is
; that of costs.
(define (pivot! a row column)
  (let* ((pivot-row (vector-ref a row)) (width (vector-length pivot-row))
         (factor (/ 1. (vector-ref pivot-row column))))
    (do ((j 0 (+ j 1))) ((= j width))
      (vector-set! pivot-row j (* factor (vector-ref pivot-row j))))
    (do ((i 0 (+ i 1))) ((= i (vector-length a)))
      (if (not (= i row))
          (let ((by (matrix-ref a i column)) (own (vector-ref a i)))
            (if (not (= by 0.))
                (do ((j 0 (+ j 1))) ((= j width))
                  (vector-set! own j (- (vector-ref own j) (* by (vector-ref pivot-row j)))))))))))

(define (entering a)
  (let* ((costs (vector-ref a (- (vector-length a) 1))) (n (- (vector-length costs) 1)))
    (let loop ((j 0) (best #f))
      (cond ((= j n) best)
            ((and (< (vector-ref costs j) -1e-9)
                  (or (not best) (< (vector-ref costs j) (vector-ref costs best))))
             (loop (+ j 1) j))
            (else (loop (+ j 1) best))))))

(define (leaving a column)
  (let ((rows (- (vector-length a) 1)) (last (- (vector-length (vector-ref a 0)) 1)))
    (let loop ((i 0) (best #f) (least 0.))
      (if (= i rows)
          best
          (let ((x (matrix-ref a i column)))
            (if (> x 1e-9)
                (let ((ratio (/ (matrix-ref a i last) x)))
                  (if (or (not best) (< ratio least))
                      (loop (+ i 1) i ratio)
                      (loop (+ i 1) best least)))
                (loop (+ i 1) best least)))))))

(define (solve! a basis)
  (let ((column (entering a)))
    (if column
        (let ((row (leaving a column)))
          (if (not row)
              'unbounded
              (begin
                (pivot! a row column)
                (vector-set! basis row column)
                (solve! a basis))))
        'optimal)))

(define (tableau)
  (vector (vector 1. 1. 1. 1. 1. 0. 0. 120.)
          (vector 2. 1. 1. 1. 0. 1. 0. 190.)
          (vector 0. 1. 3. 2. 0. 0. 1. 70.)
          (vector -2. -1. -1. -1. 0. 0. 0. 0.)))

(define (answer)
  (let ((a (tableau)) (basis (vector 4 5 6)))
    (solve! a basis)
    (let ((value (lambda (j)
                   (let loop ((i 0))
                     (cond ((= i 3) 0)
                           ((= j (vector-ref basis i)) (exact (round (matrix-ref a i 7))))
                           (else (loop (+ i 1))))))))
      (cons (exact (round (matrix-ref a 3 7))) (map value '(0 1 2 3))))))

(define (run times)
  (do ((i 1 (+ i 1)) (found #f (answer)))
      ((> i times) (answer))))

(write (run 300000))
