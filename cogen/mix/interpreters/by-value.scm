;;; The lambda calculus with numbers, call by value.
;;;
;;;     e ::= x | number | (lambda x e) | (if0 e e e) | (+ e e) | (- e e) | (* e e) | (e e)
;;;
;;; The environment has known names and unknown values; procedures become procedures.

(define (run program input)
  (let ((main (evaluate program '())))
    (main input)))

(define (evaluate e env)
  (cond
   ((symbol? e) (lookup e env))
   ((number? e) e)
   (else
    (case (car e)
      ((lambda)
       (lambda (value) (evaluate (caddr e) (cons (cons (cadr e) value) env))))
      ((if0)
       (if (= (evaluate (cadr e) env) 0)
           (evaluate (caddr e) env)
           (evaluate (cadddr e) env)))
      ((+) (+ (evaluate (cadr e) env) (evaluate (caddr e) env)))
      ((-) (- (evaluate (cadr e) env) (evaluate (caddr e) env)))
      ((*) (* (evaluate (cadr e) env) (evaluate (caddr e) env)))
      (else
       (let ((procedure (evaluate (car e) env)))
         (procedure (evaluate (cadr e) env))))))))

(define (lookup name env)
  (cond ((null? env) (error "not a variable:" name))
        ((eq? name (caar env)) (cdar env))
        (else (lookup name (cdr env)))))

;; Fibonacci's numbers through the fixed-point combinator for call by value.
(define program
  '((lambda f ((lambda x (f (lambda v ((x x) v)))) (lambda x (f (lambda v ((x x) v))))))
    (lambda fib (lambda n
      (if0 n 0 (if0 (- n 1) 1 (+ (fib (- n 1)) (fib (- n 2)))))))))

(define data '(12))
