;;; A subset of Scheme, as in textbooks: an environment is a list of frames, a frame a pair of
;;; lists, of names and of values; definitions change the global frame; a procedure is a list of
;;; its parameters, its body and its environment.

(define (run program input)
  (let ((env (list (cons '() '()))))
    (let loop ((forms program))
      (define-procedure! (car forms) env)
      (if (null? (cdr forms))
          (apply-procedure (evaluate (caadr (car forms)) env) (list input))
          (loop (cdr forms))))))

(define (define-procedure! form env)
  (let ((frame (car env)))
    (set-car! frame (cons (caadr form) (car frame)))
    (set-cdr! frame (cons (make-procedure (cdadr form) (cddr form) env) (cdr frame)))))

(define (make-procedure names body env) (list 'procedure names body env))

(define (apply-procedure p arguments)
  (evaluate-body (caddr p) (cons (cons (cadr p) arguments) (cadddr p))))

(define (evaluate-body body env)
  (if (null? (cdr body))
      (evaluate (car body) env)
      (begin (evaluate (car body) env)
             (evaluate-body (cdr body) env))))

(define (evaluate e env)
  (cond ((symbol? e) (car (find-place e env)))
        ((not (pair? e)) e)
        ((eq? (car e) 'quote) (cadr e))
        ((eq? (car e) 'if)
         (if (evaluate (cadr e) env)
             (evaluate (caddr e) env)
             (evaluate (cadddr e) env)))
        ((eq? (car e) 'set!)
         (set-car! (find-place (cadr e) env) (evaluate (caddr e) env)))
        ((eq? (car e) 'begin) (evaluate-body (cdr e) env))
        ((eq? (car e) 'lambda) (make-procedure (cadr e) (cddr e) env))
        ((eq? (car e) 'let)
         (evaluate-body (cddr e)
                        (cons (cons (map car (cadr e)) (evaluate-all (map cadr (cadr e)) env))
                              env)))
        ((primitive? (car e)) (apply-primitive (car e) (evaluate-all (cdr e) env)))
        (else (apply-procedure (evaluate (car e) env) (evaluate-all (cdr e) env)))))

(define (evaluate-all es env)
  (if (null? es)
      '()
      (let ((first (evaluate (car es) env)))
        (cons first (evaluate-all (cdr es) env)))))

;; The part of a frame's values that starts with the variable's.
(define (find-place name env)
  (let scan ((names (caar env)) (values (cdar env)))
    (cond ((null? names) (find-place name (cdr env)))
          ((eq? name (car names)) values)
          (else (scan (cdr names) (cdr values))))))

(define (primitive? name)
  (memq name '(+ - * quotient remainder = < > cons car cdr null? not)))

(define (apply-primitive name arguments)
  (let ((x (car arguments)) (more (cdr arguments)))
    (case name
      ((+) (+ x (car more)))
      ((-) (- x (car more)))
      ((*) (* x (car more)))
      ((quotient) (quotient x (car more)))
      ((remainder) (remainder x (car more)))
      ((=) (= x (car more)))
      ((<) (< x (car more)))
      ((>) (> x (car more)))
      ((cons) (cons x (car more)))
      ((car) (car x))
      ((cdr) (cdr x))
      ((null?) (null? x))
      (else (not x)))))
