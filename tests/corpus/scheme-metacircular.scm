;;; The evaluator of "Structure and Interpretation of Computer Programs" (section 4.1): an
;;; environment is a list of frames, and definitions assign that of the globals; procedures are
;;; lists with a tag, and data like others.

(define (run program input)
  (let ((env (setup program)))
    (apply-procedure (m-eval 'main env) (list input))))

(define (setup program)
  (let ((env (list (cons '() '()))))
    (for-each (lambda (d) (m-eval d env)) program)
    env))

(define (m-eval exp env)
  (cond ((self-evaluating? exp) exp)
        ((variable? exp) (lookup-variable-value exp env))
        ((tagged-list? exp 'quote) (cadr exp))
        ((tagged-list? exp 'define) (define-variable! (cadr exp) (m-eval (caddr exp) env) env))
        ((tagged-list? exp 'if)
         (if (m-eval (cadr exp) env) (m-eval (caddr exp) env) (m-eval (cadddr exp) env)))
        ((tagged-list? exp 'lambda) (make-procedure (cadr exp) (cddr exp) env))
        ((tagged-list? exp 'begin) (eval-sequence (cdr exp) env))
        ((pair? exp)
         (let ((f (if (assq (car exp) primitives) (list 'primitive (car exp)) (m-eval (car exp) env))))
           (apply-procedure f (list-of-values (cdr exp) env))))
        (else (error "Unknown expression type" exp))))

(define (apply-procedure procedure arguments)
  (cond ((tagged-list? procedure 'primitive)
         (apply (cdr (assq (cadr procedure) primitives)) arguments))
        ((tagged-list? procedure 'procedure)
         (eval-sequence (procedure-body procedure)
                        (extend-environment (procedure-parameters procedure) arguments
                                            (procedure-environment procedure))))
        (else (error "Unknown procedure type" procedure))))

(define (list-of-values exps env)
  (if (null? exps) '() (cons (m-eval (car exps) env) (list-of-values (cdr exps) env))))

(define (eval-sequence exps env)
  (if (null? (cdr exps)) (m-eval (car exps) env)
      (begin (m-eval (car exps) env) (eval-sequence (cdr exps) env))))

(define (self-evaluating? exp) (number? exp))

(define (variable? exp) (symbol? exp))

(define (tagged-list? exp tag) (if (pair? exp) (eq? (car exp) tag) #f))

(define (make-procedure parameters body env) (list 'procedure parameters body env))

(define (procedure-parameters p) (cadr p))

(define (procedure-body p) (caddr p))

(define (procedure-environment p) (cadddr p))

(define (extend-environment vars vals base) (cons (cons vars vals) base))

(define (lookup-variable-value var env)
  (define (env-loop env)
    (define (scan vars vals)
      (cond ((null? vars) (env-loop (cdr env)))
            ((eq? var (car vars)) (car vals))
            (else (scan (cdr vars) (cdr vals)))))
    (if (null? env) (error "Unbound variable" var)
        (scan (caar env) (cdar env))))
  (env-loop env))

(define (define-variable! var val env)
  (let ((frame (car env)))
    (set-car! frame (cons var (car frame)))
    (set-cdr! frame (cons val (cdr frame)))))

(define primitives
  (list (cons '+ +) (cons '- -) (cons '* *) (cons '= =) (cons '< <) (cons 'cons cons) (cons 'car car)
        (cons 'cdr cdr) (cons 'null? null?) (cons 'eq? eq?)))
