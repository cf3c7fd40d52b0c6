;;; The small language (cogen/mix/subset.py) in itself: a self-interpreter.
;;;
;;;     program ::= ((name (variable ...) body) ...)
;;;     e       ::= (var x) | (quote datum) | (if e e e) | (let x e e) | (prim op e ...)
;;;            | (call name e ...) | (lambda (x ...) e) | (app e e ...) | (lift e)
;;;
;;; The first procedure is the entry.  Procedures that are values take up to three arguments.

(define (run program arguments)
  (let ((definition (car program)))
    (evaluate (caddr definition) (take (cadr definition) arguments) program)))

;; The arguments come in a list that only the running program has.
(define (take names arguments)
  (if (null? names)
      '()
      (let ((value (car arguments))
            (rest (cdr arguments)))
        (cons (cons (car names) value) (take (cdr names) rest)))))

(define (evaluate e env program)
  (let ((tag (car e)))
    (cond
     ((eq? tag 'var) (lookup (cadr e) env))
     ((eq? tag 'quote) (cadr e))
     ((eq? tag 'if)
      (if (evaluate (cadr e) env program)
          (evaluate (caddr e) env program)
          (evaluate (cadddr e) env program)))
     ((eq? tag 'let)
      (let ((value (evaluate (caddr e) env program)))
        (evaluate (cadddr e) (cons (cons (cadr e) value) env) program)))
     ((eq? tag 'prim) (operate (cadr e) (cddr e) env program))
     ((eq? tag 'call)
      (let ((definition (find (cadr e) program)))
        (enter (cadr definition) (cddr e) env '() (caddr definition) program)))
     ((eq? tag 'lambda) (procedure (cadr e) (caddr e) env program))
     ((eq? tag 'app) (apply-procedure (evaluate (cadr e) env program) (cddr e) env program))
     ((eq? tag 'lift) (evaluate (cadr e) env program))
     (else (error "not an expression:" e)))))

(define (enter names arguments env new body program)
  (if (null? names)
      (evaluate body new program)
      (let ((value (evaluate (car arguments) env program)))
        (enter (cdr names) (cdr arguments) env (cons (cons (car names) value) new) body program))))

(define (procedure names body env program)
  (cond
   ((null? names) (lambda () (evaluate body env program)))
   ((null? (cdr names))
    (lambda (a) (evaluate body (cons (cons (car names) a) env) program)))
   ((null? (cddr names))
    (lambda (a b)
      (evaluate body (cons (cons (car names) a) (cons (cons (cadr names) b) env)) program)))
   (else
    (lambda (a b c)
      (evaluate body
                (cons (cons (car names) a)
                      (cons (cons (cadr names) b) (cons (cons (caddr names) c) env)))
                program)))))

(define (apply-procedure f arguments env program)
  (cond
   ((null? arguments) (f))
   ((null? (cdr arguments)) (f (evaluate (car arguments) env program)))
   ((null? (cddr arguments))
    (f (evaluate (car arguments) env program) (evaluate (cadr arguments) env program)))
   (else
    (f (evaluate (car arguments) env program)
       (evaluate (cadr arguments) env program)
       (evaluate (caddr arguments) env program)))))

(define (lookup x env)
  (if (eq? x (caar env)) (cdar env) (lookup x (cdr env))))

(define (find name program)
  (if (eq? name (caar program)) (car program) (find name (cdr program))))

(define (operate op arguments env program)
  (cond
   ((eq? op 'error)
    (error (evaluate (car arguments) env program) (evaluate-all (cdr arguments) env program)))
   ((null? (cdr arguments)) (apply-1 op (evaluate (car arguments) env program)))
   ((null? (cddr arguments))
    (apply-2 op
             (evaluate (car arguments) env program)
             (evaluate (cadr arguments) env program)))
   (else
    (apply-3 op
             (evaluate (car arguments) env program)
             (evaluate (cadr arguments) env program)
             (evaluate (caddr arguments) env program)))))

(define (evaluate-all es env program)
  (if (null? es)
      '()
      (cons (evaluate (car es) env program) (evaluate-all (cdr es) env program))))

;; The operations: apply-1, apply-2, apply-3.
(include "../operations.scm")

;; A factorial and a Fibonacci number.
(define program
  '((main (n)
      (prim + (call factorial (var n)) (call fibonacci (var n))))
    (factorial (n)
      (if (prim = (var n) (quote 0))
          (quote 1)
          (prim * (var n) (call factorial (prim - (var n) (quote 1))))))
    (fibonacci (n)
      (if (prim < (var n) (quote 2))
          (var n)
          (prim + (call fibonacci (prim - (var n) (quote 1)))
                  (call fibonacci (prim - (var n) (quote 2))))))))

(define data '((13)))
