;;; Lambda calculus with numbers, called by value: environments are procedures, closures are
;;; records, recursion is `fix`.
;;;
;;;     e ::= number | x | (fn x e) | (e e) | (if e e e) | (fix f (fn x e)) | (op e e)

(define-record-type closure
  (make-closure parameter body env)
  closure?
  (parameter closure-parameter)
  (body closure-body)
  (env closure-env))

(define (run program input)
  (let ((f (evaluate program (lambda (x) (error "unbound" x)))))
    (call f input)))

(define (extend env name value)
  (lambda (x) (if (eq? x name) value (env x))))

(define (evaluate e env)
  (cond ((number? e) e)
        ((symbol? e) (env e))
        ((eq? (car e) 'fn) (make-closure (cadr e) (caddr e) env))
        ((eq? (car e) 'if)
         (if (evaluate (cadr e) env) (evaluate (caddr e) env) (evaluate (cadddr e) env)))
        ((eq? (car e) 'fix)
         (letrec ((env2 (lambda (x)
                          (if (eq? x (cadr e)) (evaluate (caddr e) env2) (env x)))))
           (evaluate (caddr e) env2)))
        ((memq (car e) '(+ - * = <))
         (operate (car e) (evaluate (cadr e) env) (evaluate (caddr e) env)))
        (else (call (evaluate (car e) env) (evaluate (cadr e) env)))))

(define (call f x)
  (evaluate (closure-body f) (extend (closure-env f) (closure-parameter f) x)))

(define (operate op a b)
  (case op ((+) (+ a b)) ((-) (- a b)) ((*) (* a b)) ((=) (= a b)) (else (< a b))))
