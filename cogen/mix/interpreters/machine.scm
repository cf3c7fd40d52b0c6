;;; A stack machine: instructions in a vector, a program counter, a list as the stack,
;;; variables in a vector.

(define (run program input)
  (let ((vars (make-vector (car program) 0))
        (code (cadr program)))
    (vector-set! vars 0 input)
    (step code 0 '() vars)))

(define (step code pc stack vars)
  (let ((instruction (vector-ref code pc)))
    (case (car instruction)
      ((push) (step code (+ pc 1) (cons (cadr instruction) stack) vars))
      ((load)
       (step code (+ pc 1) (cons (vector-ref vars (cadr instruction)) stack) vars))
      ((store)
       (vector-set! vars (cadr instruction) (car stack))
       (step code (+ pc 1) (cdr stack) vars))
      ((dup) (step code (+ pc 1) (cons (car stack) stack) vars))
      ((swap) (step code (+ pc 1)
                    (cons (cadr stack) (cons (car stack) (cddr stack))) vars))
      ((jump) (step code (cadr instruction) stack vars))
      ((jump-zero)
       (if (= (car stack) 0)
           (step code (cadr instruction) (cdr stack) vars)
           (step code (+ pc 1) (cdr stack) vars)))
      ((halt) (car stack))
      (else
       (step code
             (+ pc 1)
             (cons (operate (car instruction) (cadr stack) (car stack)) (cddr stack))
             vars)))))

(define (operate name a b)
  (case name
    ((add) (+ a b))
    ((sub) (- a b))
    ((mul) (* a b))
    ((div) (quotient a b))
    ((rem) (remainder a b))
    ((less) (if (< a b) 1 0))
    ((equal) (if (= a b) 1 0))
    (else (error "unknown instruction" name))))

;; How many prime numbers there are up to a number.
(define program
  '(5 #((push 2) (store 1)
        (load 0) (load 1) (less) (jump-zero 9)                 ; 2: if not n < i
        (jump 32) (push 0) (halt)                              ; 6
        (push 2) (store 2) (push 1) (store 3)                  ; 9
        (load 1) (load 2) (dup) (mul) (less)                   ; 13: i < d * d
        (jump-zero 21)                                         ; 18
        (jump 27) (halt)                                       ; 19
        (load 1) (load 2) (rem) (jump-zero 35)                 ; 21
        (jump 39) (halt)                                       ; 25
        (load 4) (push 1) (add) (store 4)                      ; 27: one more
        (jump 44)                                              ; 31
        (load 4) (halt) (halt)                                 ; 32
        (push 0) (store 3) (jump 44) (halt)                    ; 35: no prime
        (load 2) (push 1) (add) (store 2) (jump 13)            ; 39
        (load 1) (push 1) (add) (store 1) (jump 2))))

(define data '(30))
