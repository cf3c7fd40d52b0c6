;;; A subset of Scheme with call/cc, in continuation-passing style.  Environments are association
;;; lists; procedures, of the interpreted program too, take their arguments and a continuation.

(define (run program input)
  (call-named (caadr (last program)) (list input) program (lambda (x) x)))

(define (last l)
  (if (null? (cdr l)) (car l) (last (cdr l))))

(define (call-named name args program k)
  (let ((d (find-definition name program)))
    (evaluate (caddr d) (bind (cdadr d) args '()) program k)))

(define (find-definition name program)
  (cond ((null? program) (error "not defined:" name))
        ((eq? name (caadr (car program))) (car program))
        (else (find-definition name (cdr program)))))

(define (evaluate e env program k)
  (cond ((symbol? e)
         (let ((found (assq e env)))
           (if found
               (k (cdr found))
               (k (lambda (args k) (call-named e args program k))))))
        ((not (pair? e)) (k e))
        ((eq? (car e) 'quote) (k (cadr e)))
        ((eq? (car e) 'if)
         (evaluate (cadr e) env program
                   (lambda (test)
                     (if test
                         (evaluate (caddr e) env program k)
                         (evaluate (cadddr e) env program k)))))
        ((eq? (car e) 'lambda)
         (k (lambda (args k)
              (evaluate (caddr e) (bind (cadr e) args env) program k))))
        ((eq? (car e) 'let)
         (evaluate-all (map cadr (cadr e)) env program
                       (lambda (values)
                         (evaluate (caddr e) (bind (map car (cadr e)) values env) program k))))
        ((eq? (car e) 'call/cc)
         (evaluate (cadr e) env program
                   (lambda (f)
                     (f (list (lambda (args ignored) (k (car args)))) k))))
        ((memq (car e) '(+ - * quotient remainder = < > cons car cdr null? not))
         (evaluate-all (cdr e) env program
                       (lambda (args) (k (primitive (car e) args)))))
        ((and (symbol? (car e)) (not (assq (car e) env)))
         (evaluate-all (cdr e) env program
                       (lambda (args) (call-named (car e) args program k))))
        (else
         (evaluate (car e) env program
                   (lambda (f)
                     (evaluate-all (cdr e) env program
                                   (lambda (args) (f args k))))))))

(define (evaluate-all es env program k)
  (if (null? es)
      (k '())
      (evaluate (car es) env program
                (lambda (first)
                  (evaluate-all (cdr es) env program
                                (lambda (rest) (k (cons first rest))))))))

(define (bind names values env)
  (if (null? names)
      env
      (cons (cons (car names) (car values)) (bind (cdr names) (cdr values) env))))

(define (primitive name args)
  (case name
    ((+) (+ (car args) (cadr args)))
    ((-) (- (car args) (cadr args)))
    ((*) (* (car args) (cadr args)))
    ((quotient) (quotient (car args) (cadr args)))
    ((remainder) (remainder (car args) (cadr args)))
    ((=) (= (car args) (cadr args)))
    ((<) (< (car args) (cadr args)))
    ((>) (> (car args) (cadr args)))
    ((cons) (cons (car args) (cadr args)))
    ((car) (car (car args)))
    ((cdr) (cdr (car args)))
    ((null?) (null? (car args)))
    (else (not (car args)))))
