;;; Little: a language of functions by cases, with formulas as one writes them.
;;;
;;;     program ::= ((name (x ...) clause ...) ...)           the first function is the entry
;;;     clause  ::= (if formula then formula) | (else formula)
;;;     formula ::= number | x | (formula op formula) | (name formula ...)
;;;
;;;     cogen mix specialize little.scm --entry run \
;;;         "(static ((power (n) (if (n = 0) then 1) (else (2 * (power (n - 1)))))))" _
;;;
;;; `cogen specialize` takes the same arguments; docs/futamura.md makes a compiler of this.

(define (run program input)
  (let* ((function (car program))
         (parameter (car (cadr function))))
    (clauses (cddr function) (list (cons parameter input)) program)))

;; The first clause whose condition holds gives the value.
(define (clauses choices env program)
  (let ((clause (car choices)))
    (cond ((eq? (car clause) 'else) (formula (cadr clause) env program))
          ((formula (cadr clause) env program) (formula (cadddr clause) env program))
          (else (clauses (cdr choices) env program)))))

(define (formula f env program)
  (cond ((number? f) f)
        ((symbol? f) (lookup f env))
        ((infix? f)
         (operate (cadr f)
                  (formula (car f) env program)
                  (formula (caddr f) env program)))
        (else
         (let ((function (find (car f) program)))
           (clauses (cddr function)
                    (bind (cadr function) (cdr f) env program)
                    program)))))

(define (infix? f)
  (and (= (length f) 3) (memq (cadr f) '(+ - * < =))))

(define (operate op a b)
  (case op
    ((+) (+ a b))
    ((-) (- a b))
    ((*) (* a b))
    ((<) (< a b))
    (else (= a b))))

(define (bind names formulas env program)
  (if (null? names)
      '()
      (cons (cons (car names) (formula (car formulas) env program))
            (bind (cdr names) (cdr formulas) env program))))

(define (lookup name env)
  (cond ((null? env) (error "not a variable:" name))
        ((eq? name (caar env)) (cdar env))
        (else (lookup name (cdr env)))))

(define (find name program)
  (cond ((null? program) (error "not a function:" name))
        ((eq? name (caar program)) (car program))
        (else (find name (cdr program)))))

;; A program and an input to try.
(define program
  '((factorial (n)
      (if (n = 0) then 1)
      (else (n * (factorial (n - 1)))))))

(define data '(10))
