; from words.scm:20
(define (bytes memory i)
  (let ((new (bitwise-and (load-word memory (+ i 1)) 15)))
    (store-word! memory
                 i
                 (bitwise-ior (bitwise-and (load-word memory i) 240) new))
    (load-word memory i)))
