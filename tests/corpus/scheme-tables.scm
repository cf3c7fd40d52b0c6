;;; A Scheme whose special forms and primitives stand in tables, which expressions of the top level
;;; fill; definitions are bound in the last frame. Procedures are closures of the host.
(import (srfi 69))
(define forms (make-hash-table eq?))
(define primitives '())
(define (install! name form) (hash-table-set! forms name form))
(define-syntax define-primitives
  (syntax-rules ()
    ((_ name ...)
     (begin (set! primitives (cons (cons 'name name) primitives)) ...))))

(define-primitives + - * = < > cons car cdr null? not remainder quotient)

(install! 'quote (lambda (e env) (cadr e)))
(install! 'if
  (lambda (e env)
    (if (evaluate (cadr e) env)
        (evaluate (caddr e) env)
        (evaluate (cadddr e) env))))
(install! 'lambda
  (lambda (e env)
    (lambda arguments (evaluate-body (cddr e) (extend (cadr e) arguments env)))))
(install! 'let
  (lambda (e env)
    (evaluate-body (cddr e)
                   (extend (map car (cadr e))
                           (map (lambda (b) (evaluate (cadr b) env)) (cadr e))
                           env))))
(install! 'cond
  (lambda (e env)
    (let loop ((clauses (cdr e)))
      (cond ((null? clauses) #f)
            ((eq? (caar clauses) 'else) (evaluate-body (cdar clauses) env))
            ((evaluate (caar clauses) env) (evaluate-body (cdar clauses) env))
            (else (loop (cdr clauses)))))))

(define (extend names values env)
  (append (map cons names values) env))

(define (evaluate e env)
  (cond ((symbol? e) (cdr (or (assq e env) (assq e primitives) (error "unbound" e))))
        ((not (pair? e)) e)
        ((and (symbol? (car e)) (hash-table-ref forms (car e) (lambda () #f)))
         => (lambda (form) (form e env)))
        (else
         (let ((f (evaluate (car e) env)))
           (apply f (map (lambda (a) (evaluate a env)) (cdr e)))))))

(define (evaluate-body body env)
  (cond ((null? (cdr body)) (evaluate (car body) env))
        (else (evaluate (car body) env)
              (evaluate-body (cdr body) env))))

(define (run program input)
  (define (procedure-of d)
    (lambda arguments (evaluate-body (cddr d) (extend (cdadr d) arguments (globals)))))
  (define (globals) (map (lambda (d) (cons (caadr d) (procedure-of d))) program))
  ((cdr (assq 'main (globals))) input))
