; from words.scm:33
(define (table i) (load-word #u8(2 3 5 7 11 13 17 19) (bitwise-and i 7)))
