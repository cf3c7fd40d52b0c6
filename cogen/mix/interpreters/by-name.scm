;;; The lambda calculus with numbers, call by name.
;;;
;;;     e ::= x | number | (lambda x e) | (if0 e e e) | (+ e e) | (- e e) | (* e e) | (e e)
;;;
;;; What the environment holds waits: a procedure of no arguments.

(define (run program input)
  (let ((main (evaluate program '())))
    (main (lambda () input))))

(define (evaluate e env)
  (cond
   ((symbol? e) ((lookup e env)))
   ((number? e) e)
   (else
    (case (car e)
      ((lambda)
       (lift (lambda (thunk) (evaluate (caddr e) (cons (cons (cadr e) thunk) env)))))
      ((if0)
       (if (= (evaluate (cadr e) env) 0)
           (evaluate (caddr e) env)
           (evaluate (cadddr e) env)))
      ((+) (+ (evaluate (cadr e) env) (evaluate (caddr e) env)))
      ((-) (- (evaluate (cadr e) env) (evaluate (caddr e) env)))
      ((*) (* (evaluate (cadr e) env) (evaluate (caddr e) env)))
      (else
       (let ((procedure (evaluate (car e) env)))
         (procedure (delayed (cadr e) env))))))))

;; A variable waits already.
(define (delayed e env)
  (if (symbol? e)
      (lookup e env)
      (lift (lambda () (evaluate e env)))))

(define (lookup name env)
  (cond ((null? env) (error "not a variable:" name))
        ((eq? name (caar env)) (cdar env))
        (else (lookup name (cdr env)))))

;; The power 2^n through the fixed-point combinator, with an argument that would never end.
(define program
  '((lambda f ((lambda x (f (x x))) (lambda x (f (x x)))))
    (lambda power (lambda n
      (if0 n
           1
           (((lambda a (lambda b (+ a a)))
             (power (- n 1)))
            ((lambda x (x x)) (lambda x (x x)))))))))

(define data '(7))
