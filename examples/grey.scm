;;; Colour to grey, and grey to black and white, for pictures of any layout.
;;;
;;;     cogen specialize grey.scm --entry grey! "(dynamic memory)" "(cyclic 32 0)" "(cyclic 32 0)" \
;;;         "(dynamic memory)" "(cyclic 32 0)" "(cyclic 32 0)" "(static 8)" --emit c
;;;
;;; for 8-bit pixels, interleaved; three words become one in each round.

(import (signals))

;; Interleaved red, green and blue samples of `size` bits become grey samples of `size` bits.
;; The addresses `from` and `to` are bits.
(define (grey! colours from to greys grey-from grey-to size)
  (let ((all (packed-signal colours from to size)))
    (signal-grey! (signal-channel all 0 3) (signal-channel all 1 3) (signal-channel all 2 3)
                  (packed-signal greys grey-from grey-to size))))

;; Samples of `size` bits become bits: 1 for at least `level`.
(define (threshold! samples from to bits bits-from bits-to size level)
  (signal-threshold! (packed-signal samples from to size)
                     (packed-signal bits bits-from bits-to 1)
                     level))
