; Characters of a port, read in line: after spaces.
;
; after-spaces _

(define (after-spaces port)
  (cond ((eqv? (peek-char port) #\space)
         (read-char port)
         (after-spaces port))
        (else (read-char port))))
