; Bits, and memory in words of 8, 32 and 64 bits.
;
; bits "(dynamic memory)" "(dynamic int)" "(dynamic int)" --word-size 64
; bytes "(dynamic memory)" "(dynamic int)" --word-size 8
; copy "(dynamic memory)" "(dynamic memory)" "(dynamic int)"
; samples "(dynamic memory)" "(cyclic 32 0)" "(cyclic 32 0)" "(static 12)"
; table "(dynamic int)" --word-size 8

(import (signals))

(define (bits out a b)
  (store-word! out 0 (bitwise-xor (bitwise-and a b) (bitwise-ior a (bitwise-not b))))
  (store-word! out 1 (+ (arithmetic-shift a -3) (arithmetic-shift (bitwise-and a 255) 4)))
  (store-word! out 2 (arithmetic-shift a b))
  (store-word! out 3 (word-add (word-mul a b) (word-sub a b)))
  (store-word! out 4 (bitwise-xor (word-shift-left a 5) (word-shift-right a 5)))
  (store-word! out 5 (bit-count a))
  (store-word! out 6 (* (word-size) (buffer-words out))))

(define (bytes memory i)
  (store-bits! memory i 15 (load-word memory (+ i 1)))
  (load-word memory i))

(define (copy from to count)
  (let loop ((i 0))
    (when (< i count)
      (store-word! to i (load-word from i))
      (loop (+ i 1)))))

(define (samples buffer from to size)
  (signal-sum (make-signal buffer from to size size)))

(define (table i)
  (load-word #u8(2 3 5 7 11 13 17 19) (bitwise-and i 7)))
