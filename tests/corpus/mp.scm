;;; MP: while programs over lists.  The store is two lists, of names and of values.
;;;
;;;     program ::= (program (input ...) (local ...) statement ...)
;;;     s       ::= (:= x e) | (if e (s ...) (s ...)) | (while e s ...)
;;;     e       ::= x | 'datum | (car e) | (cdr e) | (cons e e) | (equal? e e) | (atom? e)

(define (run program . input)
  (let* ((names (append (cadr program) (caddr program)))
         (values (block (cdddr program)
                        names
                        (append input (map (lambda (x) '()) (caddr program))))))
    (fetch (car names) names values)))

(define (block statements names values)
  (if (null? statements)
      values
      (block (cdr statements) names (statement (car statements) names values))))

(define (statement s names values)
  (case (car s)
    ((:=) (store (cadr s) (expression (caddr s) names values) names values))
    ((if) (if (truth (expression (cadr s) names values))
              (block (caddr s) names values)
              (block (cadddr s) names values)))
    ((while) (if (truth (expression (cadr s) names values))
                 (statement s names (block (cddr s) names values))
                 values))))

(define (truth v) (not (null? v)))

(define (expression e names values)
  (if (symbol? e)
      (fetch e names values)
      (case (car e)
        ((quote) (cadr e))
        ((car) (car (expression (cadr e) names values)))
        ((cdr) (cdr (expression (cadr e) names values)))
        ((cons) (cons (expression (cadr e) names values) (expression (caddr e) names values)))
        ((equal?)
         (if (equal? (expression (cadr e) names values) (expression (caddr e) names values))
             'yes
             '()))
        ((atom?) (if (pair? (expression (cadr e) names values)) '() 'yes)))))

(define (fetch name names values)
  (if (eq? name (car names))
      (car values)
      (fetch name (cdr names) (cdr values))))

(define (store name value names values)
  (if (eq? name (car names))
      (cons value (cdr values))
      (cons (car values) (store name value (cdr names) (cdr values)))))
