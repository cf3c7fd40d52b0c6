;;; Signal processors: each a generic loop over signals of any layout.
;;;
;;; Accumulators start lifted, so that a residual loop has no special first round.  A loop over
;;; several signals checks that they have one length, and then tests the end of its output; what
;;; it asks of the others makes the specializer unroll, see `signal-may-end?`.

(define-library (signals processors)
  (export signal-sum signal-min signal-max signal-peak signal-mean signal-energy
          signal-gain! signal-mix! signal-grey! signal-threshold! signal-copy! signal-convert!
          signal-fill! signal-ramp!)
  (import (scheme base) (signals signal))
  (begin

    ;; The sum of the samples.
    (define (signal-sum s)
      (let sum ((s s) (total (lift (signal-zero s))))
        (if (signal-end? s)
            total
            (sum (signal-next s) (+ total (signal-get s))))))

    ;; The least sample; the signal must not be empty.
    (define (signal-min s)
      (check-not-empty "signal-min" s)
      (let minimum ((s s) (least (lift (signal-greatest s))))
        (if (signal-end? s)
            least
            (minimum (signal-next s) (min least (signal-get s))))))

    ;; The greatest sample; the signal must not be empty.
    (define (signal-max s)
      (check-not-empty "signal-max" s)
      (let maximum ((s s) (greatest (lift (signal-least s))))
        (if (signal-end? s)
            greatest
            (maximum (signal-next s) (max greatest (signal-get s))))))

    ;; The greatest absolute value of a sample, 0 of none.
    (define (signal-peak s)
      (let peak ((s s) (greatest (lift (signal-zero s))))
        (if (signal-end? s)
            greatest
            (peak (signal-next s) (max greatest (abs (signal-get s)))))))

    ;; The arithmetic mean as a float; the signal must not be empty.
    (define (signal-mean s)
      (check-not-empty "signal-mean" s)
      (/ (inexact (signal-sum s)) (inexact (signal-length s))))

    ;; The sum of the squares of the samples.
    (define (signal-energy s)
      (let energy ((s s) (total (lift (signal-zero s))))
        (if (signal-end? s)
            total
            (let ((x (signal-get s)))
              (energy (signal-next s) (+ total (* x x)))))))

    ;; Put x * numerator / 2^shift (rounded down, clamped to what `out` can hold) for each
    ;; integer x of `in`.
    (define (signal-gain! in out numerator shift)
      (check-same-length "signal-gain!" in out)
      (let gain ((in in) (out out))
        (if (not (and (signal-end? out) (signal-may-end? in)))
            (begin
              (signal-put! out (clamp out (arithmetic-shift (* (signal-get in) numerator)
                                                            (- shift))))
              (gain (signal-next in) (signal-next out))))))

    ;; Put the mean of `a` and `b`, rounded down if they are integers: half as loud, never clipped.
    (define (signal-mix! a b out)
      (check-same-length "signal-mix!" a out)
      (check-same-length "signal-mix!" b out)
      (let mix ((a a) (b b) (out out))
        (if (not (and (signal-end? out) (signal-may-end? a) (signal-may-end? b)))
            (let ((sum (+ (signal-get a) (signal-get b))))
              (signal-put! out (if (signal-float? out)
                                   (* 0.5 sum)
                                   (arithmetic-shift sum -1)))
              (mix (signal-next a) (signal-next b) (signal-next out))))))

    ;; Put the luma of red, green and blue samples of one size: ITU-R BT.601 in 8-bit weights.
    (define (signal-grey! red green blue out)
      (check-same-length "signal-grey!" red out)
      (check-same-length "signal-grey!" green red)
      (check-same-length "signal-grey!" blue red)
      (let grey ((red red) (green green) (blue blue) (out out))
        (if (not (and (signal-end? out) (signal-may-end? red)))
            (begin
              (signal-put! out (arithmetic-shift (+ (* 77 (signal-get red))
                                                    (* 150 (signal-get green))
                                                    (* 29 (signal-get blue)))
                                                 -8))
              (grey (signal-next red) (signal-next green) (signal-next blue)
                    (signal-next out))))))

    ;; Put 1 for each integer sample of `in` that is at least `level`, else 0.
    (define (signal-threshold! in out level)
      (check-same-length "signal-threshold!" in out)
      (let threshold ((in in) (out out))
        (if (not (and (signal-end? out) (signal-may-end? in)))
            (begin
              (signal-put! out (at-least (signal-get in) level))
              (threshold (signal-next in) (signal-next out))))))

    ;; 1 if x >= level, else 0: the sign of level - 1 - x, so that no conditional is left.
    (define (at-least x level)
      (bitwise-and (arithmetic-shift (- (- level 1) x) -63) 1))

    ;; Put the samples of `in` as they are: integers modulo 2^size of `out`, floats rounded if
    ;; `out` holds integers.
    (define (signal-copy! in out)
      (check-same-length "signal-copy!" in out)
      (let copy ((in in) (out out))
        (if (not (and (signal-end? out) (signal-may-end? in)))
            (let ((x (signal-get in)))
              (signal-put! out (if (and (signal-float? in) (not (signal-float? out)))
                                   (exact (round x))
                                   x))
              (copy (signal-next in) (signal-next out))))))

    ;; Put the samples of `in` scaled from its range to that of `out`: integers of one signedness
    ;; by a shift, full scale of floats is 1.0.
    (define (signal-convert! in out)
      (check-same-length "signal-convert!" in out)
      (let convert ((in in) (out out))
        (if (not (and (signal-end? out) (signal-may-end? in)))
            (begin
              (signal-put! out (rescale (signal-get in) in out))
              (convert (signal-next in) (signal-next out))))))

    (define (rescale x in out)
      (cond ((and (signal-float? in) (signal-float? out)) x)
            ((signal-float? in) (clamp out (exact (round (* x (full-scale out))))))
            ((signal-float? out) (* (inexact x) (/ 1.0 (full-scale in))))
            (else (arithmetic-shift x (- (signal-size out) (signal-size in))))))

    ;; The integer that 1.0 stands for, as a float.
    (define (full-scale s)
      (expt 2.0 (if (eq? (signal-kind s) 'signed) (- (signal-size s) 1) (signal-size s))))

    ;; Put `v` everywhere.
    (define (signal-fill! out v)
      (let fill ((out out))
        (if (not (signal-end? out))
            (begin
              (signal-put! out v)
              (fill (signal-next out))))))

    ;; Put v, v + step, v + 2 step, ...
    (define (signal-ramp! out v step)
      (let ramp ((out out) (v (lift v)))
        (if (not (signal-end? out))
            (begin
              (signal-put! out v)
              (ramp (signal-next out) (+ v step))))))

    (define (clamp s x)
      (if (signal-float? s)
          x
          (max (signal-least s) (min (signal-greatest s) x))))

    (define (check-not-empty who s)
      (if (signal-end? s)
          (error (string-append who ": the signal is empty"))))))
