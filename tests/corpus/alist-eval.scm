;; A small Scheme.  Environments are association lists, closures tagged lists.

(define (tagged? x tag) (and (pair? x) (eq? (car x) tag)))

(define (make-closure params body env) (list 'closure params body env))

(define primitives
  (list (cons '+ +) (cons '- -) (cons '* *) (cons '= =) (cons '< <) (cons '> >)
        (cons 'quotient quotient) (cons 'remainder remainder)
        (cons 'cons cons) (cons 'car car) (cons 'cdr cdr) (cons 'null? null?)
        (cons 'pair? pair?) (cons 'eq? eq?) (cons 'not not) (cons 'list list)
        (cons 'append append)))

(define (lookup x env globals)
  (cond ((assq x env) => cdr)
        ((assq x globals)
         => (lambda (entry) (make-closure (cadr entry) (cddr entry) '())))
        ((assq x primitives) => cdr)
        (else (error "unbound variable" x))))

(define (extend params args env)
  (cond ((and (null? params) (null? args)) env)
        ((null? params) (error "too many arguments"))
        ((null? args) (error "too few arguments"))
        (else (cons (cons (car params) (car args)) (extend (cdr params) (cdr args) env)))))

(define (ev x env globals)
  (cond ((symbol? x) (lookup x env globals))
        ((not (pair? x)) x)
        (else
         (case (car x)
           ((quote) (cadr x))
           ((if) (if (ev (cadr x) env globals)
                     (ev (caddr x) env globals)
                     (ev (cadddr x) env globals)))
           ((lambda) (make-closure (cadr x) (cddr x) env))
           ((let) (ev-body (cddr x)
                           (append (map (lambda (b) (cons (car b) (ev (cadr b) env globals)))
                                        (cadr x))
                                   env)
                           globals))
           ((cond) (ev-cond (cdr x) env globals))
           ((and) (ev-and (cdr x) env globals))
           ((or) (ev-or (cdr x) env globals))
           (else (ap (ev (car x) env globals)
                     (map (lambda (a) (ev a env globals)) (cdr x))
                     globals))))))

(define (ev-body body env globals)
  (if (null? (cdr body))
      (ev (car body) env globals)
      (begin (ev (car body) env globals)
             (ev-body (cdr body) env globals))))

(define (ev-cond clauses env globals)
  (cond ((null? clauses) #f)
        ((eq? (caar clauses) 'else) (ev-body (cdar clauses) env globals))
        ((ev (caar clauses) env globals) (ev-body (cdar clauses) env globals))
        (else (ev-cond (cdr clauses) env globals))))

(define (ev-and xs env globals)
  (cond ((null? xs) #t)
        ((null? (cdr xs)) (ev (car xs) env globals))
        ((ev (car xs) env globals) (ev-and (cdr xs) env globals))
        (else #f)))

(define (ev-or xs env globals)
  (cond ((null? xs) #f)
        ((null? (cdr xs)) (ev (car xs) env globals))
        (else (let ((v (ev (car xs) env globals)))
                (if v v (ev-or (cdr xs) env globals))))))

(define (ap f args globals)
  (cond ((tagged? f 'closure)
         (ev-body (caddr f) (extend (cadr f) args (cadddr f)) globals))
        ((procedure? f) (apply f args))
        (else (error "not applicable" f))))

;; A program is a list of (define (f x ...) body ...); main is called.
(define (run program input)
  (let ((globals (map (lambda (d) (cons (caadr d) (cons (cdadr d) (cddr d)))) program)))
    (ap (lookup 'main '() globals) (list input) globals)))
