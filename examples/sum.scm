;;; The sum of a signal, whatever its layout.  With the layout known:
;;;
;;;     cogen specialize sum.scm --entry sum "(dynamic memory)" "(cyclic 32 0)" "(cyclic 32 0)" \
;;;         "(static 8)" "(static 8)" --emit c
;;;
;;; gives a loop of one load, one test and four shift-and-mask samples.  Other layouts to try: sizes
;;; and strides of 12, 12 (three words and eight samples a round) or 16, 24 (gaps between samples),
;;; different remainders (a prelude before the loop), --word-size 64.

(import (signals))

(define (sum buffer from to size stride)
  (signal-sum (make-signal buffer from to size stride)))

;; Samples in two's complement.
(define (sum-signed buffer from to size stride)
  (signal-sum (signed-signal (make-signal buffer from to size stride))))

;; Samples in big-endian bit order.
(define (sum-big buffer from to size stride)
  (signal-sum (big-endian-signal (make-signal buffer from to size stride))))

;; Of audio in two's complement: the greatest absolute value, and the sum of the squares.
(define (peak buffer from to size stride)
  (signal-peak (signed-signal (make-signal buffer from to size stride))))

(define (energy buffer from to size stride)
  (signal-energy (signed-signal (make-signal buffer from to size stride))))

(define (mean buffer from to size stride)
  (signal-mean (make-signal buffer from to size stride)))
