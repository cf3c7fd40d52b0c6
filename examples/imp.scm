;;; An interpreter for a small imperative language; with the program known, a compiler for it.
;;;
;;;     cogen specialize imp.scm --entry run \
;;;         '(static ((a b) (while b (begin (:= t (remainder a b)) (:= a b) (:= b t))) a))' \
;;;         "(list (dynamic int) (dynamic int))"
;;;
;;;     program    ::= ((parameter ...) command expression)
;;;     command    ::= (:= name expression) | (begin command ...) | (skip)
;;;                  | (if expression command command) | (while expression command)
;;;     expression ::= number | name | (operator expression expression)
;;;     operator   ::= + - * quotient remainder = < >
;;;
;;; Values are integers; 0 is false, other numbers are true.  A variable that no parameter names
;;; starts as 0.  Names and commands are known, values are not: the store is a list of names and
;;; a list of values of the same length.

(define (run program inputs)
  (let* ((parameters (car program))
         (command (cadr program))
         (result (caddr program))
         (names (append parameters
                        (others (assigned command) parameters))))
    (evaluate result names
              (execute command names (fill inputs (length names))))))

;; The store after a command.
(define (execute command names values)
  (case (car command)
    ((:=) (update names values (cadr command)
                  (evaluate (caddr command) names values)))
    ((begin) (execute-all (cdr command) names values))
    ((if) (if (true? (evaluate (cadr command) names values))
              (execute (caddr command) names values)
              (execute (cadddr command) names values)))
    ((while) (repeat (cadr command) (caddr command) names values))
    ((skip) values)
    (else (error "no such command" command))))

(define (execute-all commands names values)
  (if (null? commands)
      values
      (execute-all (cdr commands) names (execute (car commands) names values))))

(define (repeat test body names values)
  (if (true? (evaluate test names values))
      (repeat test body names (execute body names values))
      values))

(define (true? value)
  (not (= value 0)))

(define (evaluate expression names values)
  (cond ((number? expression) expression)
        ((symbol? expression) (look-up expression names values))
        (else (operate (car expression)
                       (evaluate (cadr expression) names values)
                       (evaluate (caddr expression) names values)))))

(define (operate operator x y)
  (case operator
    ((+) (+ x y))
    ((-) (- x y))
    ((*) (* x y))
    ((quotient) (quotient x y))
    ((remainder) (remainder x y))
    ((=) (if (= x y) 1 0))
    ((<) (if (< x y) 1 0))
    ((>) (if (> x y) 1 0))
    (else (error "no such operator" operator))))

(define (look-up name names values)
  (cond ((null? names) (error "no such variable" name))
        ((eq? name (car names)) (car values))
        (else (look-up name (cdr names) (cdr values)))))

(define (update names values name value)
  (if (eq? name (car names))
      (cons value (cdr values))
      (cons (car values) (update (cdr names) (cdr values) name value))))

;; The names that a command assigns.
(define (assigned command)
  (case (car command)
    ((:=) (list (cadr command)))
    ((begin) (assigned-all (cdr command)))
    ((if) (assigned-all (cddr command)))
    ((while) (assigned (caddr command)))
    (else '())))

(define (assigned-all commands)
  (if (null? commands)
      '()
      (append (assigned (car commands)) (assigned-all (cdr commands)))))

;; The names, each once, that are not among the known ones.
(define (others names known)
  (cond ((null? names) '())
        ((memq (car names) known) (others (cdr names) known))
        (else (cons (car names) (others (cdr names) (cons (car names) known))))))

;; The values, and zeros up to the given number.
(define (fill values count)
  (cond ((= count 0) '())
        ((null? values) (cons 0 (fill values (- count 1))))
        (else (cons (car values) (fill (cdr values) (- count 1))))))
