;;; Two signals of sound mixed into a third, each of any sample size.
;;;
;;;     cogen specialize mix.scm --entry mix! \
;;;         "(dynamic memory)" "(cyclic 32 0)" "(cyclic 32 0)" "(static 16)" \
;;;         "(dynamic memory)" "(cyclic 32 0)" "(cyclic 32 0)" "(static 16)" \
;;;         "(dynamic memory)" "(cyclic 32 0)" "(cyclic 32 0)" "(static 16)" --emit c
;;;
;;; Try 24 for one of them: the loop is unrolled until both have their alignment again.

(import (signals))

;; Signed samples without gaps; addresses are bits.  The mix is half as loud, so it never clips.
(define (mix! a a-from a-to a-size b b-from b-to b-size out out-from out-to out-size)
  (signal-mix! (signed-signal (packed-signal a a-from a-to a-size))
               (signed-signal (packed-signal b b-from b-to b-size))
               (signed-signal (packed-signal out out-from out-to out-size))))

;; One signal as loud as numerator / 2^shift times, clipped to what the result can hold.
(define (gain! in in-from in-to in-size out out-from out-to out-size numerator shift)
  (signal-gain! (signed-signal (packed-signal in in-from in-to in-size))
                (signed-signal (packed-signal out out-from out-to out-size))
                numerator shift))
