;;; An interpreter for the lambda calculus with numbers, call by value; with the term known, the
;;; term as a procedure of this language.
;;;
;;;     cogen specialize lambda.scm --entry run \
;;;         '(static (lambda n ((lambda f (f (f n))) (lambda x (+ x x)))))' "(dynamic int)"
;;;
;;;     term ::= number | name | (lambda name term) | (if term term term) | (fix name name term)
;;;            | (operator term term) | (term term)
;;;     operator ::= + - * = <
;;;
;;; (fix f x body) is the function f of x that its body may call.  `if` takes 0 for false.
;;; Functions of the term are procedures here; an environment is a list of names and values.

;; Apply the term, a function, to the input.
(define (run term input)
  ((evaluate term '()) input))

(define (evaluate term environment)
  (cond ((number? term) term)
        ((symbol? term) (look-up term environment))
        (else (evaluate-form (car term) term environment))))

(define (evaluate-form head term environment)
  (case head
    ((lambda)
     (lambda (value)
       (evaluate (caddr term) (bind (cadr term) value environment))))
    ((fix) (make-recursive term environment))
    ((if)
     (if (= (evaluate (cadr term) environment) 0)
         (evaluate (cadddr term) environment)
         (evaluate (caddr term) environment)))
    ((+ - * = <)
     (operate head
              (evaluate (cadr term) environment)
              (evaluate (caddr term) environment)))
    (else
     ((evaluate (car term) environment)
      (evaluate (cadr term) environment)))))

;; Each call of the function makes it again, so that no environment needs to be cyclic.
(define (make-recursive term environment)
  (lambda (value)
    (evaluate (cadddr term)
              (bind (caddr term) value
                    (bind (cadr term) (make-recursive term environment) environment)))))

(define (operate operator x y)
  (case operator
    ((+) (+ x y))
    ((-) (- x y))
    ((*) (* x y))
    ((=) (if (= x y) 1 0))
    (else (if (< x y) 1 0))))

(define (bind name value environment)
  (cons (cons name value) environment))

(define (look-up name environment)
  (cond ((null? environment) (error "no such variable" name))
        ((eq? name (car (car environment))) (cdr (car environment)))
        (else (look-up name (cdr environment)))))
