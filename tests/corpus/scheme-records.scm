;;; Scheme with procedures as records and frames of names and a vector; a body may begin with
;;; definitions, which are in a frame of their own.

(define-record-type closure
  (make-closure names body env)
  closure?
  (names closure-names)
  (body closure-body)
  (env closure-env))

(define (run program x)
  (evaluate-body program (list (cons '(x) (vector x)))))

(define (defined body)
  (cond ((null? body) '())
        ((definition? (car body)) (cons (caadar body) (defined (cdr body))))
        (else (defined (cdr body)))))

(define (definition? e) (and (pair? e) (eq? (car e) 'define)))

(define (evaluate-body body env)
  (let* ((names (defined body))
         (env (cons (cons names (make-vector (length names) 0)) env)))
    (let loop ((body body))
      (let ((e (car body)))
        (cond ((definition? e)
               (assign! (caadr e) (make-closure (cdadr e) (cddr e) env) env)
               (loop (cdr body)))
              ((null? (cdr body)) (evaluate e env))
              (else (evaluate e env) (loop (cdr body))))))))

(define (find name names i)
  (cond ((null? names) #f)
        ((eq? name (car names)) i)
        (else (find name (cdr names) (+ i 1)))))

(define (look-up name env)
  (if (null? env)
      (error "unbound variable" name)
      (let ((i (find name (caar env) 0)))
        (if i (vector-ref (cdar env) i) (look-up name (cdr env))))))

(define (assign! name value env)
  (if (null? env)
      (error "unbound variable" name)
      (let ((i (find name (caar env) 0)))
        (if i (vector-set! (cdar env) i value) (assign! name value (cdr env))))))

(define (evaluate e env)
  (cond ((symbol? e) (look-up e env))
        ((not (pair? e)) e)
        (else
         (case (car e)
           ((quote) (cadr e))
           ((if) (evaluate (if (evaluate (cadr e) env) (caddr e) (cadddr e)) env))
           ((set!) (assign! (cadr e) (evaluate (caddr e) env) env))
           ((lambda) (make-closure (cadr e) (cddr e) env))
           ((let)
            (let ((values (map (lambda (b) (evaluate (cadr b) env)) (cadr e))))
              (evaluate-body (cddr e) (cons (cons (map car (cadr e)) (list->vector values)) env))))
           ((+) (+ (evaluate (cadr e) env) (evaluate (caddr e) env)))
           ((-) (- (evaluate (cadr e) env) (evaluate (caddr e) env)))
           ((*) (* (evaluate (cadr e) env) (evaluate (caddr e) env)))
           ((<) (< (evaluate (cadr e) env) (evaluate (caddr e) env)))
           ((=) (= (evaluate (cadr e) env) (evaluate (caddr e) env)))
           ((car) (car (evaluate (cadr e) env)))
           ((cdr) (cdr (evaluate (cadr e) env)))
           ((null?) (null? (evaluate (cadr e) env)))
           ((cons) (cons (evaluate (cadr e) env) (evaluate (caddr e) env)))
           (else
            (apply-closure (evaluate (car e) env)
                           (map (lambda (a) (evaluate a env)) (cdr e))))))))

(define (apply-closure f arguments)
  (evaluate-body (closure-body f)
                 (cons (cons (closure-names f) (list->vector arguments)) (closure-env f))))
