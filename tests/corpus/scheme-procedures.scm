;;; A subset of Scheme in continuation passing style, with call/cc.  Environments, continuations and
;;; procedures, primitive ones too, are procedures.
;;;
;;;     e ::= x | constant | (quote d) | (if e e e) | (lambda (x ...) e) | (let ((x e)) e)
;;;         | (letproc ((f (x ...) e) ...) e) | (callcc e) | (begin e ...) | (e e ...)

(define (run program input)
  (eval-k program initial (lambda (f) (f (list input) (lambda (v) v)))))

(define (empty-env x) (error "unbound" x))
(define (extend-env env x v) (lambda (y) (if (eq? x y) v (env y))))
(define (extend-env* env xs vs)
  (if (null? xs) env
      (extend-env* (extend-env env (car xs) (car vs)) (cdr xs) (cdr vs))))
(define (extend-rec env bindings)
  (letrec ((new (lambda (y)
                  (let ((b (assq y bindings)))
                    (if b (make-proc (cadr b) (caddr b) new) (env y))))))
    new))
(define (make-proc params body env)
  (lambda (args k) (eval-k body (extend-env* env params args) k)))

(define (eval-k e env k)
  (cond
    ((symbol? e) (k (env e)))
    ((not (pair? e)) (k e))
    (else
     (case (car e)
       ((quote) (k (cadr e)))
       ((if) (eval-k (cadr e) env
                     (lambda (v) (eval-k (if v (caddr e) (cadddr e)) env k))))
       ((lambda) (k (make-proc (cadr e) (caddr e) env)))
       ((letproc) (eval-k (caddr e) (extend-rec env (cadr e)) k))
       ((let) (eval-k (cadr (car (cadr e))) env
                (lambda (v) (eval-k (caddr e) (extend-env env (car (car (cadr e))) v) k))))
       ((callcc) (eval-k (cadr e) env
                   (lambda (f) (f (list (lambda (args k2) (k (car args)))) k))))
       ((begin) (eval-seq (cdr e) env k))
       (else (eval-k (car e) env
               (lambda (f) (eval-list (cdr e) env
                 (lambda (args) (f args k))))))))))
(define (eval-seq es env k)
  (if (null? (cdr es)) (eval-k (car es) env k)
      (eval-k (car es) env (lambda (v) (eval-seq (cdr es) env k)))))
(define (eval-list es env k)
  (if (null? es) (k '())
      (eval-k (car es) env
        (lambda (v) (eval-list (cdr es) env (lambda (vs) (k (cons v vs))))))))

(define (prim f) (lambda (args k) (k (apply f args))))
(define initial
  (let loop ((names '(+ - * = < car cdr cons null? pair?))
             (procs (list + - * = < car cdr cons null? pair?)) (env empty-env))
    (if (null? names) env
        (loop (cdr names) (cdr procs) (extend-env env (car names) (prim (car procs)))))))
