; from words.scm:11
(define (bits out a b)
  (store-word! out
               0
               (bitwise-xor (bitwise-and a b) (bitwise-ior a (bitwise-not b))))
  (store-word!
    out
    1
    (+ (arithmetic-shift a -3) (arithmetic-shift (bitwise-and a 255) 4)))
  (store-word! out 2 (arithmetic-shift a b))
  (store-word! out 3 (word-add (word-mul a b) (word-sub a b)))
  (store-word! out 4 (bitwise-xor (word-shift-left a 5) (word-shift-right a 5)))
  (store-word! out 5 (bit-count a))
  (store-word! out 6 (* 64 (buffer-words out)))
  (if #f #f))
