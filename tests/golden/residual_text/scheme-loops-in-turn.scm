; from loops.scm:58
(define (in-turn n) (if (ping n) (not (pong n)) (pong (quotient n 2))))

; from loops.scm:61
(define (ping n-1)
  (or (< n-1 1) (and (ping (floor-quotient n-1 3)) (pong (- n-1 1)))))

; from loops.scm:64
(define (pong n-3)
  (cond ((< n-3 1) #f)
        ((pong (floor-quotient n-3 5)) #t)
        (else (ping (- n-3 1)))))
