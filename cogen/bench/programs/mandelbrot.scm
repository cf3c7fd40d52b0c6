;; Points of a grid that stay in the Mandelbrot set: floats in nested loops.

(define (steps cr ci most)
  (let loop ((zr 0.0) (zi 0.0) (n 0))
    (if (or (= n most) (> (+ (* zr zr) (* zi zi)) 4.0))
        n
        (loop (+ (- (* zr zr) (* zi zi)) cr)
              (+ (* 2.0 (* zr zi)) ci)
              (+ n 1)))))

(define (mandelbrot size most)
  (define (place i width) (/ (* width (exact->inexact i)) (exact->inexact size)))
  (let rows ((y 0) (count 0))
    (if (= y size)
        count
        (let columns ((x 0) (count count))
          (cond ((= x size) (rows (+ y 1) count))
                ((= most (steps (- (place x 3.0) 2.0) (- (place y 2.0) 1.0) most))
                 (columns (+ x 1) (+ count 1)))
                (else (columns (+ x 1) count)))))))

(display (mandelbrot 300 500))
(newline)
