;;; Grey pictures become black and white ones, one bit for each pixel.
;;;
;;;     cogen specialize dither.scm --entry dither! \
;;;         "(dynamic memory)" "(cyclic 8 0)" "(dynamic memory)" "(cyclic 8 0)" \
;;;         "(static 640)" "(dynamic int)" --word-size 8 --emit c
;;;
;;; becomes a loop for each of the matrix's rows, the thresholds constants in it; with error
;;; diffusion (entry diffuse!, one more buffer for the errors), one loop that carries them along:
;;;
;;;     cogen specialize dither.scm --entry diffuse! \
;;;         "(dynamic memory)" "(cyclic 8 0)" "(dynamic memory)" "(cyclic 8 0)" \
;;;         "(dynamic memory)" "(static 640)" "(dynamic int)" --word-size 8 --emit c

(import (signals))

;; Pixels of 8 bits at `from`, bits at `bits-from`, rows without gaps; `width` is a multiple of 8.
(define (dither! pixels from bits bits-from width height)
  (image-dither! (rows pixels from 8 width height)
                 (rows bits bits-from 1 width height)
                 (bayer-matrix 2)))

(define (diffuse! pixels from bits bits-from errors width height)
  (image-diffuse! (rows pixels from 8 width height)
                  (rows bits bits-from 1 width height)
                  (signed-signal (packed-signal errors 0 (* 16 (+ width 1)) 16))))

(define (rows buffer from size width height)
  (make-image (packed-signal buffer from (+ from (* size width)) size) (* size width) height))
