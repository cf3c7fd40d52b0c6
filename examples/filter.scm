;;; Sound filtered: 24-bit samples through a filter with taps known ahead, and resampled.
;;;
;;;     cogen specialize filter.scm --entry smooth! \
;;;         "(dynamic memory)" "(cyclic 32 0)" "(cyclic 32 0)" \
;;;         "(dynamic memory)" "(cyclic 32 0)" "(cyclic 32 0)" --emit c
;;;
;;; loads each word once a round, multiplies by constants and stores whole words.  For half as
;;; many samples again, as from 32 to 48 kHz:
;;;
;;;     cogen specialize filter.scm --entry to-48-khz! \
;;;         "(dynamic memory)" "(cyclic 32 0)" "(cyclic 32 0)" \
;;;         "(dynamic memory)" "(cyclic 32 0)" "(cyclic 32 0)" --emit c

(import (signals))

;; Signed samples of 24 bits without gaps; addresses are bits.
(define (sound buffer from to)
  (signed-signal (packed-signal buffer from to 24)))

;; A low pass: neighbours in the proportions 1 4 6 4 1, as many samples as before.
(define (smooth! in in-from in-to out out-from out-to)
  (signal-fir! (sound in in-from in-to) (sound out out-from out-to) '(1 4 6 4 1) 4))

(define (to-48-khz! in in-from in-to out out-from out-to)
  (signal-resample! (sound in in-from in-to) (sound out out-from out-to) 3 2 'linear))
