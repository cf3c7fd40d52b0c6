;;; Layouts: ways to lay signals out in a buffer, and views of one signal as another.

(define-library (signals layouts)
  (export packed-signal signed-signal float-signal big-endian-signal
          signal-channel signal-plane signal-reverse signal-align
          signal-take signal-drop signal-drop-last signal-shifted signal-loose-end signal-loose)
  (import (scheme base) (signals signal) (signals groups))
  (begin

    ;; Samples of `size` bits without gaps from bit address `from` up to `to`.
    (define (packed-signal buffer from to size)
      (make-signal buffer from to size size))

    ;; The same samples in two's complement.
    (define (signed-signal s)
      (signal-with-kind s 'signed))

    ;; The same samples as binary32 (size 32) or binary64 (size 64) floats.
    (define (float-signal s)
      (signal-with-kind s 'float))

    ;; The same samples in big-endian bit order: address 0 is the most significant bit of byte 0,
    ;; a sample's high bit comes first.
    (define (big-endian-signal s)
      (signal-with-order s 'big))

    ;; Channel `k` (from 0) of `channels` interleaved ones.  `s` is the signal of all the samples,
    ;; whose number is a multiple of `channels`; of a group, that of its fields must be one, too.
    (define (signal-channel s k channels)
      (if (signal-group? s)
          (group-channel s k channels)
          (signal-with-range (signal-with-skip s (* k (signal-stride s)))
                             (signal-from s) (signal-to s) (* channels (signal-stride s)))))

    ;; Plane `k` (from 0) of planes that lie one after the other, each `bits` bits from the one
    ;; before.  `s` is plane 0.
    (define (signal-plane s k bits)
      (if (signal-group? s)
          (signal-moved s (* k bits))
          (signal-with-skip s (* k bits))))

    ;; The samples from the last to the first.
    (define (signal-reverse s)
      (if (signal-group? s)
          (group-reverse s)
          (let ((stride (signal-stride s)))
            (signal-with-range s (- (signal-to s) stride) (- (signal-from s) stride)
                               (- stride)))))

    ;; The first `n` samples, which must be there.
    (define (signal-take s n)
      (if (signal-group? s)
          (group-take s n)
          (signal-with-range s (signal-from s) (+ (signal-from s) (samples-span s n))
                             (signal-stride s))))

    ;; The samples after the first `n`, which must be there.
    (define (signal-drop s n)
      (if (signal-group? s)
          (group-drop s n)
          (signal-with-range s (+ (signal-from s) (samples-span s n)) (signal-to s)
                             (signal-stride s))))

    ;; The samples before the last `n`, which must be there.
    (define (signal-drop-last s n)
      (if (signal-group? s)
          (group-drop-last s n)
          (signal-with-range s (signal-from s) (- (signal-to s) (samples-span s n))
                             (signal-stride s))))

    ;; As many samples, `n` samples further on, where there must be some.  `n` is known.
    (define (signal-shifted s n)
      (if (signal-group? s)
          (group-shifted s n)
          (signal-with-skip s (* n (signal-stride s)))))

    ;; How many bits `n` samples are apart: cyclic by the stride, whatever `n` is.
    (define (samples-span s n)
      (let ((stride (signal-stride s)))
        (if (< stride 0)
            (- (set-base (* (- stride) n) (- stride)))
            (set-base (* stride n) stride))))

    ;; The same signal, its number of samples unknown even if it is known: a loop over it is a
    ;; loop, not a copy of the body for each sample.
    (define (signal-loose-end s)
      (if (signal-group? s)
          (group-with-ends s (group-from s) (somewhere (group-to s)))
          (signal-with-range s (signal-from s) (somewhere (signal-to s)) (signal-stride s))))

    ;; The same signal at addresses that are not known even if they are.
    (define (signal-loose s)
      (if (signal-group? s)
          (group-with-ends s (somewhere (group-from s)) (somewhere (group-to s)))
          (signal-with-range s (somewhere (signal-from s)) (somewhere (signal-to s))
                             (signal-stride s))))

    ;; An address of which only the place in its word stays known.
    (define (somewhere address)
      (let ((w (word-size)))
        (+ (set-base (* w (lift (floor-quotient address w))) w)
           (floor-remainder address w))))

    ;; The same signal with addresses that are cyclic by `base` (see `set-base`), for addresses
    ;; of which little is known: one residual prelude for each possible pair of remainders of the
    ;; start and of the number of samples, then one loop.  Addresses known to be multiples of 8,
    ;; (cyclic 8 0), have a fourth of the preludes for a base of 32.
    (define (signal-align s base)
      (let* ((stride (signal-stride s))
             (from (set-base (signal-from s) base))
             (count (set-base (signal-length s) (quotient base (gcd base stride)))))
        (signal-with-range s from (+ from (* count stride)) stride)))))
