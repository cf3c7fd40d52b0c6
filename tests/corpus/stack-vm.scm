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
