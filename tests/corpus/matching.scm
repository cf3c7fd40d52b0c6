;; A little functional language with pattern matching.
;; program: ((define name (param ...) body) ... main); main sees the variable `input`.

(define (match-pattern pat val env)          ; => env or #f
  (cond ((eq? pat '_) env)
        ((symbol? pat) (cons (cons pat val) env))
        ((number? pat) (if (and (number? val) (= pat val)) env #f))
        ((eq? (car pat) 'nil) (if (null? val) env #f))
        ((eq? (car pat) 'cons)
         (if (pair? val)
             (let ((env2 (match-pattern (cadr pat) (car val) env)))
               (and env2 (match-pattern (caddr pat) (cdr val) env2)))
             #f))
        (else (error "bad pattern" pat))))

(define (interp e env defs)
  (cond ((number? e) e)
        ((symbol? e) (lookup e env))
        (else
         (case (car e)
           ((nil) '())
           ((cons) (cons (interp (cadr e) env defs) (interp (caddr e) env defs)))
           ((+) (+ (interp (cadr e) env defs) (interp (caddr e) env defs)))
           ((-) (- (interp (cadr e) env defs) (interp (caddr e) env defs)))
           ((*) (* (interp (cadr e) env defs) (interp (caddr e) env defs)))
           ((<) (< (interp (cadr e) env defs) (interp (caddr e) env defs)))
           ((=) (= (interp (cadr e) env defs) (interp (caddr e) env defs)))
           ((if) (if (interp (cadr e) env defs)
                     (interp (caddr e) env defs)
                     (interp (cadddr e) env defs)))
           ((let) (interp (cadddr e)
                          (cons (cons (cadr e) (interp (caddr e) env defs)) env)
                          defs))
           ((match) (try-clauses (interp (cadr e) env defs) (cddr e) env defs))
           (else (call (car e) (map (lambda (x) (interp x env defs)) (cdr e)) defs))))))

(define (lookup name env)
  (let ((b (assq name env)))
    (if b (cdr b) (error "unbound variable" name))))

(define (try-clauses val clauses env defs)
  (if (null? clauses)
      (error "no clause matches" val)
      (let ((env2 (match-pattern (caar clauses) val env)))
        (if env2
            (interp (cadar clauses) env2 defs)
            (try-clauses val (cdr clauses) env defs)))))

(define (call name args defs)
  (let ((d (find-definition name defs)))
    (interp (cadddr d) (map cons (caddr d) args) defs)))

(define (find-definition name defs)
  (cond ((null? defs) (error "undefined function" name))
        ((eq? (cadr (car defs)) name) (car defs))
        (else (find-definition name (cdr defs)))))

(define (split program defs)
  (if (null? (cdr program))
      (cons (car program) (reverse defs))
      (split (cdr program) (cons (car program) defs))))

(define (run program input)
  (let ((p (split program '())))
    (interp (car p) (list (cons 'input input)) (cdr p))))
