;;; Reductions: a value from a signal, and counts of its samples.

(define-library (signals reduce)
  (export signal-sum signal-min signal-max signal-peak signal-mean signal-energy signal-dot
          signal-histogram!)
  (import (scheme base) (signals signal) (signals loops) (signals access))
  (begin

    ;; The sum of the samples.
    (define (signal-sum s)
      (signal-fold + (signal-zero s) s))

    ;; The least sample; the signal must not be empty.
    (define (signal-min s)
      (check-not-empty "signal-min" s)
      (signal-fold min (signal-greatest s) s))

    ;; The greatest sample; the signal must not be empty.
    (define (signal-max s)
      (check-not-empty "signal-max" s)
      (signal-fold max (signal-least s) s))

    ;; The greatest absolute value of a sample, 0 of none.
    (define (signal-peak s)
      (signal-fold (lambda (greatest x) (max greatest (abs x))) (signal-zero s) s))

    ;; The arithmetic mean as a float; the signal must not be empty.
    (define (signal-mean s)
      (check-not-empty "signal-mean" s)
      (/ (inexact (signal-sum s)) (inexact (signal-length s))))

    ;; The sum of the squares of the samples.
    (define (signal-energy s)
      (signal-fold (lambda (total x) (+ total (* x x))) (signal-zero s) s))

    ;; The sum of the products of the samples of two signals.
    (define (signal-dot a b)
      (fold-signals "signal-dot" (lambda (total x y) (+ total (* x y))) (signal-zero a) a (list b)))

    ;; Add to each sample of `bins` how many samples of `s` belong to it: bin k counts those of
    ;; which k is the number above the least one, divided by 2^shift.  There must be 2^(size -
    ;; shift) bins, and they should begin at 0.
    (define (signal-histogram! s bins shift)
      (check-integers "signal-histogram!" s)
      (let ((least (signal-least s)))
        (check "signal-histogram!"
               (= (signal-length bins)
                  (+ (arithmetic-shift (- (signal-greatest s) least) (- shift)) 1))
               "there must be one bin for each value that the samples can have")
        (let count ((s s))
          (if (not (signal-end? s))
              (let ((k (arithmetic-shift (- (signal-get s) least) (- shift))))
                (signal-set! bins k (+ (signal-ref bins k) 1))
                (count (signal-next s)))))))))
