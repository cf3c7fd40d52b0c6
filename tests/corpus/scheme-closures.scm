;;; A subset of Scheme, compiled to closures: expressions are analysed once, to procedures of an
;;; environment; environments are vectors of values, the first of which is the environment around.

(define (run program input)
  (let* ((names (map caadr program))
         (globals (make-vector (length program) 0)))
    (let loop ((forms program) (i 0))
      (cond ((pair? forms)
             (vector-set! globals i
                          (procedure-of (cdadr (car forms)) (caddr (car forms)) '() names globals))
             (loop (cdr forms) (+ i 1)))))
    (((vector-ref globals (- (length program) 1)) #f) input)))

;; A procedure of an environment that gives a procedure.
(define (procedure-of names body scope globals-names globals)
  (let ((body (analyse body (cons names scope) globals-names globals)))
    (lambda (env)
      (lambda args (body (list->vector (cons env args)))))))

(define (analyse e scope names globals)
  (cond ((symbol? e) (analyse-variable e scope names globals))
        ((not (pair? e)) (lambda (env) e))
        ((eq? (car e) 'quote) (let ((value (cadr e))) (lambda (env) value)))
        ((eq? (car e) 'if)
         (let ((test (analyse (cadr e) scope names globals))
               (yes (analyse (caddr e) scope names globals))
               (no (analyse (cadddr e) scope names globals)))
           (lambda (env) (if (test env) (yes env) (no env)))))
        ((eq? (car e) 'lambda) (procedure-of (cadr e) (caddr e) scope names globals))
        ((eq? (car e) 'let)
         (analyse (cons (list 'lambda (map car (cadr e)) (caddr e)) (map cadr (cadr e)))
                  scope names globals))
        ((assq (car e) primitives)
         => (lambda (p)
              (let ((f (cdr p)) (args (analyse-all (cdr e) scope names globals)))
                (lambda (env) (apply f (map (lambda (a) (a env)) args))))))
        (else
         (let ((f (analyse (car e) scope names globals))
               (args (analyse-all (cdr e) scope names globals)))
           (lambda (env)
             (apply (f env) (map (lambda (a) (a env)) args)))))))

(define (analyse-all es scope names globals)
  (map (lambda (e) (analyse e scope names globals)) es))

(define (analyse-variable name scope names globals)
  (let find ((scope scope) (depth 0))
    (if (null? scope)
        (let ((i (index name names 0)))
          (lambda (env) ((vector-ref globals i) #f)))
        (let ((i (index name (car scope) 1)))
          (if i
              (lambda (env) (vector-ref (ancestor env depth) i))
              (find (cdr scope) (+ depth 1)))))))

(define (ancestor env depth)
  (if (= depth 0) env (ancestor (vector-ref env 0) (- depth 1))))

(define (index name names i)
  (cond ((null? names) #f)
        ((eq? name (car names)) i)
        (else (index name (cdr names) (+ i 1)))))

(define primitives
  (list (cons '+ +) (cons '- -) (cons '* *) (cons 'quotient quotient)
        (cons 'remainder remainder) (cons '= =) (cons '< <) (cons '> >) (cons 'cons cons)
        (cons 'car car) (cons 'cdr cdr) (cons 'null? null?) (cons 'not not)))
