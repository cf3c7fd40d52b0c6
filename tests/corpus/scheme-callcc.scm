;;; A subset of Scheme that takes call/cc, sequences and variables that are assigned from the
;;; language it is written in.  A variable is a box; environments are association lists.

(define (run program input)
  (let* ((globals (map (lambda (d) (cons (caadr d) (box #f))) program)))
    (for-each (lambda (d)
                (set-box! (cdr (assq (caadr d) globals))
                          (make-procedure (cdadr d) (cddr d) globals)))
              program)
    ((unbox (cdar (reverse globals))) input)))

(define (box x) (vector x))
(define (unbox b) (vector-ref b 0))
(define (set-box! b x) (vector-set! b 0 x))

(define (make-procedure names body env)
  (lambda args
    (sequence body (append (map (lambda (n a) (cons n (box a))) names args) env))))

(define (sequence es env)
  (if (null? (cdr es))
      (evaluate (car es) env)
      (begin (evaluate (car es) env) (sequence (cdr es) env))))

(define (evaluate e env)
  (cond ((symbol? e) (unbox (variable e env)))
        ((not (pair? e)) e)
        (else
         (case (car e)
           ((quote) (cadr e))
           ((if) (if (evaluate (cadr e) env) (evaluate (caddr e) env) (evaluate (cadddr e) env)))
           ((lambda) (make-procedure (cadr e) (cddr e) env))
           ((begin) (sequence (cdr e) env))
           ((set!) (set-box! (variable (cadr e) env) (evaluate (caddr e) env)))
           ((while)
            (let loop ()
              (if (evaluate (cadr e) env)
                  (begin (sequence (cddr e) env) (loop))
                  #f)))
           ((call/cc) (call/cc (evaluate (cadr e) env)))
           (else
            (let ((operator (assq (car e) operators))
                  (args (map (lambda (a) (evaluate a env)) (cdr e))))
              (if operator
                  (apply (cdr operator) args)
                  (apply (evaluate (car e) env) args))))))))

(define (variable name env)
  (let ((found (assq name env)))
    (if found (cdr found) (error "not a variable:" name))))

(define operators
  (list (cons '+ +) (cons '- -) (cons '* *) (cons 'quotient quotient)
        (cons 'remainder remainder) (cons '= =) (cons '< <) (cons '> >) (cons 'cons cons)
        (cons 'car car) (cons 'cdr cdr) (cons 'null? null?) (cons 'not not)))
