;;; A stack machine with procedures.
;;;
;;;     program ::= ((label instruction ...) ...)             the first procedure is the entry
;;;     instruction ::= (push datum) | (load n) | (store n) | (add) | (sub) | (mul) | (less)
;;;            | (equal) | (jump label) | (jump-if-false label) | (call label n) | (return)
;;;
;;; The height of the stack is known everywhere, so compiled code has no stack.  A procedure has
;;; its arguments as its first local variables; a label ends the block before it by a jump.

(define (run program input)
  (let ((locals (list input (lift 0) (lift 0))))
    (execute (cdr (car program)) '() locals program)))

(define (execute code stack locals program)
  (let ((instruction (car code)))
    (case (car instruction)
      ((push) (execute (cdr code) (cons (lift (cadr instruction)) stack) locals program))
      ((load)
       (execute (cdr code) (cons (nth locals (cadr instruction)) stack) locals program))
      ((store)
       (execute (cdr code) (cdr stack)
                (replace locals (cadr instruction) (car stack)) program))
      ((jump) (execute (cdr (find (cadr instruction) program)) stack locals program))
      ((jump-if-false)
       (if (car stack)
           (execute (cdr code) (cdr stack) locals program)
           (execute (cdr (find (cadr instruction) program)) (cdr stack) locals program)))
      ((call)
       (let ((value (execute (cdr (find (cadr instruction) program))
                             '()
                             (append-zeros (take-reversed stack (caddr instruction) '()))
                             program)))
         (execute (cdr code) (cons value (drop stack (caddr instruction))) locals program)))
      ((return) (car stack))
      (else
       (let ((value (operate (car instruction) (cadr stack) (car stack))))
         (execute (cdr code) (cons value (cddr stack)) locals program))))))

(define (operate op a b)
  (case op
    ((add) (+ a b))
    ((sub) (- a b))
    ((mul) (* a b))
    ((less) (< a b))
    ((equal) (= a b))
    (else (error "stack machine: not an instruction:" op))))

(define (find label program)
  (cond ((null? program) (error "stack machine: no such label:" label))
        ((eq? label (caar program)) (car program))
        (else (find label (cdr program)))))

(define (nth items n) (if (= n 0) (car items) (nth (cdr items) (- n 1))))

(define (replace items n item)
  (if (= n 0)
      (cons item (cdr items))
      (cons (car items) (replace (cdr items) (- n 1) item))))

(define (take-reversed stack n taken)
  (if (= n 0) taken (take-reversed (cdr stack) (- n 1) (cons (car stack) taken))))

(define (drop stack n) (if (= n 0) stack (drop (cdr stack) (- n 1))))

;; Room for two more local variables.
(define (append-zeros locals)
  (if (null? locals)
      (list (lift 0) (lift 0))
      (cons (car locals) (append-zeros (cdr locals)))))

;; The sum of the first n Fibonacci numbers: a loop around a recursive procedure.
(define program
  '((main (push 0) (store 1) (push 0) (store 2) (jump loop))
    (loop (load 2) (load 0) (less) (jump-if-false end)
          (load 1) (load 2) (call fib 1) (add) (store 1)
          (load 2) (push 1) (add) (store 2) (jump loop))
    (end (load 1) (return))
    (fib (load 0) (push 2) (less) (jump-if-false more) (load 0) (return))
    (more (load 0) (push 1) (sub) (call fib 1)
          (load 0) (push 2) (sub) (call fib 1) (add) (return))))

(define data '(9))
