; Ackermann's function: deep recursion.

(define (ack m n)
  (cond ((= m 0) (+ n 1))
        ((= n 0) (ack (- m 1) 1))
        (else (ack (- m 1) (ack m (- n 1))))))

(define (repeat n result)
  (if (= n 0)
      result
      (repeat (- n 1) (ack 3 9))))

(display (repeat 10 0))
(newline)
