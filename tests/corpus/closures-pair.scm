;;; As closures-untagged, but a procedure is a pair of its expression and its environment.

(define (run program input)
  (let ((globals (map (lambda (d) (cons (cadr d) (caddr d))) program)))
    (app (ev (cdr (assq 'main globals)) '() globals) (list input) globals)))

(define (ev e env globals)
  (cond ((symbol? e)
         (let ((b (assq e env)))
           (if b (cdr b) (ev (cdr (assq e globals)) '() globals))))
        ((not (pair? e)) e)
        ((eq? (car e) 'quote) (cadr e))
        ((eq? (car e) 'if)
         (if (ev (cadr e) env globals) (ev (caddr e) env globals) (ev (cadddr e) env globals)))
        ((eq? (car e) 'lambda) (cons e env))
        ((memq (car e) '(+ - * < = cons car cdr null? eq?))
         (prim (car e) (evlis (cdr e) env globals)))
        (else (app (ev (car e) env globals) (evlis (cdr e) env globals) globals))))

(define (evlis es env globals)
  (if (null? es) '() (cons (ev (car es) env globals) (evlis (cdr es) env globals))))

(define (app f args globals)
  (ev (caddr (car f)) (bind (cadr (car f)) args (cdr f)) globals))

(define (bind names args env)
  (if (null? names) env (cons (cons (car names) (car args)) (bind (cdr names) (cdr args) env))))

(define (prim op args)
  (case op
    ((+) (+ (car args) (cadr args)))
    ((-) (- (car args) (cadr args)))
    ((*) (* (car args) (cadr args)))
    ((<) (< (car args) (cadr args)))
    ((=) (= (car args) (cadr args)))
    ((eq?) (eq? (car args) (cadr args)))
    ((cons) (cons (car args) (cadr args)))
    ((car) (car (car args)))
    ((cdr) (cdr (car args)))
    (else (null? (car args)))))
