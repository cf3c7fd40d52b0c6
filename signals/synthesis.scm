;;; Synthesis: signals made from tables.

(define-library (signals synthesis)
  (export signal-wave!)
  (import (scheme base) (signals signal) (signals access) (signals loops))
  (begin

    ;; Fill `out` with the samples of a wave of which `table` holds one period in 2^bits samples
    ;; (bits known, from 0 to 32).  The phase of the first output sample is `phase` / 2^32 periods;
    ;; it grows by `step` / 2^32 a sample, the frequency divided by the sampling rate.  No samples
    ;; are interpolated.  The value is the phase after the last sample, to go on with.
    (define (signal-wave! table bits out phase step)
      (check "signal-wave!" (and (<= 0 bits 32)
                                 (= (signal-length table) (arithmetic-shift 1 bits)))
             "the table must have 2^bits samples, with bits from 0 to 32")
      (scan-signals! "signal-wave!"
                     (lambda (phase)
                       (values (signal-ref table (arithmetic-shift phase (- bits 32)))
                               (wrap (+ phase step))))
                     (lift (wrap phase)) out '()))

    (define (wrap phase)
      (bitwise-and phase #xFFFFFFFF))))
