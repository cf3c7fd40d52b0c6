;;; The generic programs of the signal benchmarks.  The specialized and the unspecialized opponent
;;; are made of the same text.

(import (signals))

(define (sum buffer from to size)
  (signal-sum (packed-signal buffer from to size)))

(define (sum-signed buffer from to size)
  (signal-sum (signed-signal (packed-signal buffer from to size))))

(define (grey! colours from to greys grey-from grey-to size)
  (let ((all (packed-signal colours from to size)))
    (signal-grey! (signal-channel all 0 3) (signal-channel all 1 3) (signal-channel all 2 3)
                  (packed-signal greys grey-from grey-to size))))

(define (mix! a a-from a-to a-size b b-from b-to b-size out out-from out-to out-size)
  (signal-mix! (signed-signal (packed-signal a a-from a-to a-size))
               (signed-signal (packed-signal b b-from b-to b-size))
               (signed-signal (packed-signal out out-from out-to out-size))))
