; from words.scm:30
(define (samples buffer from to)
  (let ((fromq (cyclic-quotient from 32 0)) (toq (cyclic-quotient to 32 0)))
    ; from loops.scm:46
    (let fold-1 ((state 0) (fromq-1 fromq))
      (if (= fromq-1 toq)
          state
          (let* ((t (load-word buffer fromq-1))
                 (t-5 (+ state
                         (bitwise-and t 4095)
                         (bitwise-and (arithmetic-shift t -12) 4095)))
                 (t-6 (arithmetic-shift t -24))
                 (t-7 (load-word buffer (+ fromq-1 1)))
                 (t-17 (+ t-5
                          (bitwise-ior t-6
                                       (arithmetic-shift (bitwise-and t-7 15) 8))
                          (bitwise-and (arithmetic-shift t-7 -4) 4095)
                          (bitwise-and (arithmetic-shift t-7 -16) 4095)))
                 (t-18 (arithmetic-shift t-7 -28))
                 (t-19 (load-word buffer (+ fromq-1 2))))
            (fold-1 (+ t-17
                       (bitwise-ior t-18
                                    (arithmetic-shift (bitwise-and t-19 255) 4))
                       (bitwise-and (arithmetic-shift t-19 -8) 4095)
                       (arithmetic-shift t-19 -20))
                    (+ fromq-1 3)))))))
