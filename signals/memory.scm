;;; Samples in memory: bit fields of any size at any bit address, read from and written to words.
;;;
;;; After Draves (seed 004), "Automatic program specialization for interactive media", chapter on
;;; bit-addressing, extended to fields that cross word boundaries and to big-endian bit order.
;;;
;;; A bit address counts the bits of a buffer.  In little-endian order the least significant bit
;;; of a word has its least address and a sample's low bit comes first; in big-endian order
;;; address 0 is the most significant bit of byte 0 and a sample's high bit comes first.
;;; Sizes are 1 to 64 bits; a field is an unsigned integer, one of 64 bits a signed one.
;;;
;;; Written for the specializer: with the size static and the address cyclic by the word size
;;; (or by a multiple of it), quotients become offsets, remainders, shifts and masks constants,
;;; and a field inside one word costs exactly one `load-word`.  Words go through the cache of
;;; (signals cache), which is off unless a program says `init-cache`.

(define-library (signals memory)
  (export load-field store-field! load-field-big store-field-big! sign-extend)
  (import (scheme base) (signals cache))
  (begin

    ;; 2^n - 1, the mask of n bits; n from 1 to 64 (-1 for 64).
    (define (ones n)
      (word-shift-right -1 (- 64 n)))

    ;; The field of `size` bits at little-endian bit address `p`.
    (define (load-field buf p size)
      (let ((w (word-size)))
        (load-from-words buf (floor-quotient p w) (floor-remainder p w) size w)))

    ;; The field that starts at bit `r` of word `q` and goes on in as many words as it needs.
    (define (load-from-words buf q r size w)
      (if (<= (+ r size) w)
          (bitwise-and (arithmetic-shift (load-cached buf q r size) (- r)) (ones size))
          (let* ((here (- w r))
                 (low (bitwise-and (arithmetic-shift (load-cached buf q r here) (- r))
                                   (ones here)))
                 (high (load-from-words buf (+ q 1) 0 (- size here) w)))
            (bitwise-ior low (shift-up high here size)))))

    ;; x * 2^n as a part of `size` bits: only 64 bits reach the sign.
    (define (shift-up x n size)
      (if (< size 64) (arithmetic-shift x n) (word-shift-left x n)))

    ;; Store the low `size` bits of `v` at little-endian bit address `p`; no other bit changes.
    (define (store-field! buf p size v)
      (let ((w (word-size)))
        (store-to-words! buf (floor-quotient p w) (floor-remainder p w) size v w)))

    (define (store-to-words! buf q r size v w)
      (if (<= (+ r size) w)
          (store-in-word! buf q r size v w)
          (let ((here (- w r)))
            (store-in-word! buf q r here v w)
            (store-to-words! buf (+ q 1) 0 (- size here) (arithmetic-shift v (- here)) w))))

    ;; Store the low `size` bits of `v` at bit `r` of word `q`.  The specializer makes one store of
    ;; those into one word, and reads the word before only if bits of it are kept.
    (define (store-in-word! buf q r size v w)
      (if (= size w)
          (store-cached! buf q (ones w) v)
          (store-cached! buf q (shift-up (ones size) r w)
                         (shift-up (bitwise-and v (ones size)) r w))))

    ;; The field of `size` bits at big-endian bit address `p`: its pieces byte by byte, the high
    ;; one first.  A piece lies within a byte, so within a word.
    (define (load-field-big buf p size)
      (let* ((bit (floor-remainder p 8))
             (here (min size (- 8 bit)))
             (piece (load-field buf (+ (- p bit) (- 8 bit here)) here)))
        (if (= here size)
            piece
            (let ((rest (load-field-big buf (+ p here) (- size here))))
              (bitwise-ior (shift-up piece (- size here) size) rest)))))

    ;; Store the low `size` bits of `v` at big-endian bit address `p`; no other bit changes.
    (define (store-field-big! buf p size v)
      (let* ((bit (floor-remainder p 8))
             (here (min size (- 8 bit))))
        (store-field! buf (+ (- p bit) (- 8 bit here)) here (arithmetic-shift v (- here size)))
        (if (< here size)
            (store-field-big! buf (+ p here) (- size here) v))))

    ;; The signed value of a field of `size` bits in two's complement.
    (define (sign-extend x size)
      (if (< size 64)
          (let ((sign (arithmetic-shift 1 (- size 1))))
            (- (bitwise-xor x sign) sign))
          x))))
