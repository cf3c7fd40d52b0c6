;;; Lambda calculus with numbers, called by name: a variable stands for a thunk; environments are
;;; association lists.
;;;
;;;     e ::= number | x | (lambda (x) e) | (e e) | (if e e e) | (let x e e) | (op e e)
;;;     `let` is recursive

(define (run program input)
  ((evaluate program '()) (lambda () input)))

(define (evaluate e env)
  (cond ((number? e) e)
        ((symbol? e) ((cdr (assq e env))))
        (else
         (case (car e)
           ((lambda)
            (lambda (thunk) (evaluate (caddr e) (cons (cons (caadr e) thunk) env))))
           ((if)
            (if (evaluate (cadr e) env) (evaluate (caddr e) env) (evaluate (cadddr e) env)))
           ((let)
            (letrec ((thunk (lambda () (evaluate (caddr e) (new))))
                     (new (lambda () (cons (cons (cadr e) thunk) env))))
              (evaluate (cadddr e) (new))))
           ((+) (+ (evaluate (cadr e) env) (evaluate (caddr e) env)))
           ((-) (- (evaluate (cadr e) env) (evaluate (caddr e) env)))
           ((*) (* (evaluate (cadr e) env) (evaluate (caddr e) env)))
           ((=) (= (evaluate (cadr e) env) (evaluate (caddr e) env)))
           ((<) (< (evaluate (cadr e) env) (evaluate (caddr e) env)))
           (else
            ((evaluate (car e) env) (lambda () (evaluate (cadr e) env))))))))
