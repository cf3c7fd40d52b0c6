;;; A first-order functional language; the environment is a function's parameters and a list of
;;; their values.
;;;
;;;     program ::= ((f (x ...) = e) ...)                the first function is the entry
;;;     e       ::= x | number | 'datum | (if e then e else e) | (call f e ...) | (op e ...)

(define (run program . inputs)
  (let ((f (car program)))
    (evaluate (cadddr f) (cadr f) inputs program)))

(define (evaluate e names values program)
  (cond ((symbol? e) (list-ref values (place e names)))
        ((not (pair? e)) e)
        ((eq? (car e) 'quote) (cadr e))
        ((eq? (car e) 'if)
         (if (evaluate (list-ref e 1) names values program)
             (evaluate (list-ref e 3) names values program)
             (evaluate (list-ref e 5) names values program)))
        ((eq? (car e) 'call)
         (let ((f (assq (cadr e) program)))
           (evaluate (cadddr f)
                     (cadr f)
                     (map (lambda (e) (evaluate e names values program)) (cddr e))
                     program)))
        (else
         (let ((values (map (lambda (e) (evaluate e names values program)) (cdr e))))
           (apply (cdr (assq (car e) operations)) values)))))

(define (place name names)
  (let loop ((names names) (i 0))
    (cond ((null? names) (error "unbound:" name))
          ((eq? name (car names)) i)
          (else (loop (cdr names) (+ i 1))))))

(define operations
  (list (cons 'car car) (cons 'cdr cdr) (cons 'cons cons) (cons 'atom? (lambda (x) (not (pair? x))))
        (cons 'null? null?) (cons 'eq? eq?) (cons '+ +) (cons '- -) (cons '* *) (cons '< <)
        (cons '= =) (cons 'list list)))
