;; Points of a grid that stay in the Mandelbrot set: floats in nested loops.

(define (steps cr ci most)
  (let loop ((zr 0.0) (zi 0.0) (n 0))
    (if (or (= n most) (> (+ (* zr zr) (* zi zi)) 4.0))
        n
        (loop (+ (- (* zr zr) (* zi zi)) cr)
              (+ (* 2.0 (* zr zi)) ci)
              (+ n 1)))))

(define (mandelbrot size most)
  (let rows ((y 0) (count 0))
    (if (= y size)
        count
        (rows (+ y 1)
              (let columns ((x 0) (count count))
                (if (= x size)
                    count
                    (columns (+ x 1)
                             (if (= most
                                    (steps (- (/ (* 3.0 (exact->inexact x)) (exact->inexact size)) 2.0)
                                           (- (/ (* 2.0 (exact->inexact y)) (exact->inexact size)) 1.0)
                                           most))
                                 (+ count 1)
                                 count))))))))

(display (mandelbrot 300 500))
(newline)
