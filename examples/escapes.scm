;;; Numbers of one byte, or of two if the first is 128 or more, decoded and added up.
;;;
;;;     cogen specialize escapes.scm --entry sum "(dynamic memory)" "(cyclic 64 0)" \
;;;         "(cyclic 64 0)" --word-size 64 --emit c
;;;
;;; finds the first bytes of eight at once, without a conditional: a subtraction carries along each
;;; row of bytes with high bits.  `decode!` tests eight bytes at once for the common case that all
;;; of them are numbers of one byte:
;;;
;;;     cogen specialize escapes.scm --entry decode! "(dynamic memory)" "(cyclic 32 0)" \
;;;         "(cyclic 32 0)" "(dynamic memory)" "(cyclic 32 0)" "(cyclic 32 0)" --emit c

(import (signals))

(define (sum buffer from to)
  (escaped-sum (packed-signal buffer from to 8)))

;; Into numbers of 16 bits; the value is how many there are.
(define (decode! buffer from to out out-from out-to)
  (escape-decode! (packed-signal buffer from to 8) (packed-signal out out-from out-to 16)))
