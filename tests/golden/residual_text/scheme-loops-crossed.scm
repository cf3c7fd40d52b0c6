; from loops.scm:84
(define (crossed memory n)
  ; from loops.scm:86
  (let loop-1 ((i 0))
    (cond ((= i n) 0)
          ((= (load-word memory i) 1)
           (let loop-2 ((i-2 (+ i 1)))
             ; from loops.scm:86
             (cond ((= i-2 n) 1)
                   ((= (load-word memory i-2) 0)
                    (let ((i-3 (+ i-2 1)))
                      (cond ((= i-3 n) 2)
                            (else (store-word! memory i-3 0)
                                  (loop-1 (+ i-3 1))))))
                   (else (loop-2 (+ i-2 1))))))
          (else (loop-1 (+ i 1))))))
