;;; Pointwise processors: each sample of the output depends on one sample of each input.

(define-library (signals pointwise)
  (export signal-copy! signal-convert! signal-fill! signal-ramp!
          signal-gain! signal-offset! signal-adjust! signal-mix! signal-mix-all! signal-blend!
          signal-grey! signal-threshold!
          weigher scale-down thresholder)
  (import (scheme base) (signals signal) (signals loops))
  (begin

    ;; Put the samples of `in` as they are: integers modulo 2^size of `out`, floats rounded if
    ;; `out` holds integers.
    (define (signal-copy! in out)
      (map-signals! "signal-copy!"
                    (if (and (signal-float? in) (not (signal-float? out)))
                        (lambda (x) (exact (round x)))
                        (lambda (x) x))
                    out (list in)))

    ;; Put the samples of `in` scaled from its range to that of `out`: integers of one signedness
    ;; by a shift, full scale of floats is 1.0.
    (define (signal-convert! in out)
      (map-signals! "signal-convert!" (rescaler in out) out (list in)))

    (define (rescaler in out)
      (cond ((and (signal-float? in) (signal-float? out)) (lambda (x) x))
            ((signal-float? in)
             (let ((clamp (signal-clamper out))
                   (scale (full-scale out)))
               (lambda (x) (clamp (exact (round (* x scale)))))))
            ((signal-float? out)
             (let ((scale (/ 1.0 (full-scale in))))
               (lambda (x) (* (inexact x) scale))))
            (else
             (let ((shift (- (signal-size out) (signal-size in))))
               (lambda (x) (arithmetic-shift x shift))))))

    ;; The integer that 1.0 stands for, as a float.
    (define (full-scale s)
      (expt 2.0 (if (eq? (signal-kind s) 'signed) (- (signal-size s) 1) (signal-size s))))

    ;; Put `v` everywhere.
    (define (signal-fill! out v)
      (map-signals! "signal-fill!" (lambda () v) out '()))

    ;; Put v, v + step, v + 2 step, ...; the value is the one after the last.
    (define (signal-ramp! out v step)
      (generate-signal! (lambda (v) (+ v step)) v out))

    ;; Put x * numerator / 2^shift (rounded down, clamped to what `out` can hold) for each
    ;; sample x of `in`.  The shift of floats is 0.
    (define (signal-gain! in out numerator shift)
      (adjust! "signal-gain!" in out numerator shift 0))

    ;; Put x + offset, clamped to what `out` can hold, for each sample x of `in`.
    (define (signal-offset! in out offset)
      (adjust! "signal-offset!" in out 1 0 offset))

    ;; Put x * numerator / 2^shift + offset, clamped to what `out` can hold.
    (define (signal-adjust! in out numerator shift offset)
      (adjust! "signal-adjust!" in out numerator shift offset))

    (define (adjust! who in out numerator shift offset)
      (let ((clamp (signal-clamper out)))
        (map-signals! who
                      (lambda (x) (clamp (+ (scale-down (* x numerator) shift) offset)))
                      out (list in))))

    ;; x / 2^shift, rounded down if there is anything to do
    (define (scale-down x shift)
      (if (eqv? shift 0) x (arithmetic-shift x (- shift))))

    ;; Put the mean of `a` and `b`, rounded down if they are integers: half as loud, never clipped.
    (define (signal-mix! a b out)
      (map-signals! "signal-mix!"
                    (if (signal-float? out)
                        (lambda (x y) (* 0.5 (+ x y)))
                        (lambda (x y) (arithmetic-shift (+ x y) -1)))
                    out (list a b)))

    ;; Put the sum of the samples of the signals `ins`, each times its weight, divided by 2^shift,
    ;; rounded down and clamped to what `out` can hold.
    (define (signal-mix-all! ins weights shift out)
      (check "signal-mix-all!" (= (length ins) (length weights))
             "there must be one weight for each signal")
      (map-signals! "signal-mix-all!" (weigher weights shift out) out ins))

    ;; The procedure that gives the weighted sum of as many samples, fit for `out`.
    (define (weigher weights shift out)
      (let ((clamp (signal-clamper out))
            (zero (signal-zero out)))
        (lambda xs (clamp (scale-down (weighted-sum xs weights zero) shift)))))

    ;; start + x0 * w0 + x1 * w1 + ...; what is known to be 0 or 1 costs nothing.
    (define (weighted-sum xs weights start)
      (if (null? xs)
          start
          (weighted-sum (cdr xs) (cdr weights) (+ start (* (car xs) (car weights))))))

    ;; Put a * alpha + b * (1 - alpha).  For integers, `alpha` is a signal of unsigned samples of
    ;; less than 64 bits, of which the greatest possible one stands for 1, and the result is
    ;; rounded to the nearest; for floats, a signal of floats.
    (define (signal-blend! a b alpha out)
      (let ((float? (signal-float? out)))
        (check "signal-blend!" (if float? (signal-float? alpha) (unsigned? alpha))
               "alpha must be a signal of floats for floats, of unsigned samples for integers")
        (map-signals! "signal-blend!"
                      (if float?
                          (lambda (x y part) (+ (* x part) (* y (- 1.0 part))))
                          (blender (signal-size alpha) (signal-greatest alpha)
                                   (and (fits? a alpha) (fits? b alpha))))
                      out (list a b alpha))))

    (define (blender size whole small?)
      (lambda (x y part)
        (divide-by-ones (+ (* x part) (* y (- whole part))) size small?)))

    (define (unsigned? s)
      (and (not (signal-constant? s)) (eq? (signal-kind s) 'unsigned) (< (signal-size s) 64)))

    ;; Is no sample of `s` less than 0 or greater than one of `other` can be?
    (define (fits? s other)
      (and (unsigned? s) (<= (signal-size s) (signal-size other))))

    ;; x / (2^n - 1), rounded to the nearest.  Without a division if x is from 0 to its square.
    (define (divide-by-ones x n small?)
      (if small?
          (let ((x (+ x (arithmetic-shift 1 (- n 1)))))
            (arithmetic-shift (+ x (arithmetic-shift x (- n))) (- n)))
          (let ((ones (- (arithmetic-shift 1 n) 1)))
            (floor-quotient (+ (* 2 x) ones) (* 2 ones)))))

    ;; Put the luma of red, green and blue samples of one size: ITU-R BT.601 in 8-bit weights.
    (define (signal-grey! red green blue out)
      (map-signals! "signal-grey!"
                    (lambda (r g b) (arithmetic-shift (+ (* 77 r) (* 150 g) (* 29 b)) -8))
                    out (list red green blue)))

    ;; Put 1 for each integer sample of `in` that is at least `level`, else 0.
    (define (signal-threshold! in out level)
      (check-integers "signal-threshold!" in)
      (map-signals! "signal-threshold!" (thresholder in level) out (list in)))

    ;; The procedure of a sample of `s` that gives 1 if it is at least `level`, else 0: the carry of
    ;; a sum, so that no conditional is left and no more bits are needed than one more than a
    ;; sample has.
    (define (thresholder s level)
      (let ((size (signal-size s))
            (least (signal-least s)))
        (if (< size 62)
            (let* ((range (arithmetic-shift 1 size))
                   (missing (- range (max 0 (min range (- level least))) least)))
              (lambda (x) (arithmetic-shift (+ x missing) (- size))))
            (lambda (x) (at-least x level)))))

    ;; 1 if x >= level, else 0: the sign of level - 1 - x.
    (define (at-least x level)
      (bitwise-and (arithmetic-shift (- (- level 1) x) -63) 1))))
