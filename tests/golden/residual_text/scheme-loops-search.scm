; from loops.scm:28
(define (search memory wanted)
  (let ((end (buffer-words memory)))
    ; from loops.scm:31
    (let loop-1 ((i 0))
      (cond ((= i end) -1)
            ((= (load-word memory i) wanted) i)
            (else (loop-1 (+ i 1)))))))
