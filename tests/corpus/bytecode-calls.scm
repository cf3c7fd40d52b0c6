;;; Byte code with calls.  The code of all procedures is one vector of numbers; a procedure is
;;; the place where its code starts.  Arguments are a list, the operand stack is another.

(define op-const 0)
(define op-arg 1)
(define op-add 2)
(define op-sub 3)
(define op-mul 4)
(define op-less 5)
(define op-equal 6)
(define op-branch 7)     ; if false
(define op-jump 8)
(define op-call 9)       ; place, number of arguments
(define op-return 10)
(define op-rem 11)

(define (run code input)
  (execute code 0 '() (list input)))

(define (execute code pc stack args)
  (let ((op (vector-ref code pc)))
    (define (operand n) (vector-ref code (+ pc n)))
    (define (binary f)
      (execute code (+ pc 1) (cons (f (cadr stack) (car stack)) (cddr stack)) args))
    (cond ((= op op-const) (execute code (+ pc 2) (cons (operand 1) stack) args))
          ((= op op-arg) (execute code (+ pc 2) (cons (list-ref args (operand 1)) stack) args))
          ((= op op-add) (binary +))
          ((= op op-sub) (binary -))
          ((= op op-mul) (binary *))
          ((= op op-rem) (binary remainder))
          ((= op op-less) (binary <))
          ((= op op-equal) (binary =))
          ((= op op-branch)
           (if (car stack)
               (execute code (+ pc 2) (cdr stack) args)
               (execute code (operand 1) (cdr stack) args)))
          ((= op op-jump) (execute code (operand 1) stack args))
          ((= op op-call)
           (let ((result (execute code (operand 1) '() (take-reversed stack (operand 2) '()))))
             (execute code (+ pc 3) (cons result (list-tail stack (operand 2))) args)))
          ((= op op-return) (car stack))
          (else (error "illegal instruction" op)))))

(define (take-reversed l n result)
  (if (= n 0)
      result
      (take-reversed (cdr l) (- n 1) (cons (car l) result))))
