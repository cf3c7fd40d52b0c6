;;; A first-order functional language like Mixwell.
;;;
;;;     program ::= ((f (x ...) e) ...)                   the first procedure is the entry
;;;     e       ::= x | (quote datum) | (if e e e) | (call f e ...) | (op e ...)

(define (run program input)
  (apply-function (car program) input program))

;; INPUT is a list that only the running program knows.
(define (apply-function definition input program)
  (evaluate (caddr definition) (bind (cadr definition) input) program))

(define (bind names input)
  (if (null? names)
      '()
      (let ((value (car input)))
        (cons (cons (car names) value) (bind (cdr names) (cdr input))))))

(define (evaluate e env program)
  (if (symbol? e)
      (lookup e env)
      (case (car e)
        ((quote) (lift (cadr e)))
        ((if)
         (if (evaluate (cadr e) env program)
             (evaluate (caddr e) env program)
             (evaluate (cadddr e) env program)))
        ((call)
         (let ((definition (find-function (cadr e) program)))
           (evaluate (caddr definition)
                     (pair-up (cadr definition) (evaluate-all (cddr e) env program))
                     program)))
        (else (operate (car e) (evaluate-all (cdr e) env program))))))

(define (evaluate-all es env program)
  (if (null? es)
      '()
      (cons (evaluate (car es) env program) (evaluate-all (cdr es) env program))))

(define (pair-up names values)
  (cond ((null? names)
         (if (null? values) '() (error "Mixwell: too many arguments")))
        ((null? values) (error "Mixwell: too few arguments for" names))
        (else (cons (cons (car names) (car values)) (pair-up (cdr names) (cdr values))))))

(define (find-function name program)
  (cond ((null? program) (error "Mixwell: no such function:" name))
        ((eq? name (caar program)) (car program))
        (else (find-function name (cdr program)))))

(define (lookup name env)
  (cond ((null? env) (error "Mixwell: not a variable:" name))
        ((eq? name (caar env)) (cdar env))
        (else (lookup name (cdr env)))))

(define (operate op values)
  (case op
    ((null?) (null? (car values)))
    ((pair?) (pair? (car values)))
    ((not) (not (car values)))
    ((car) (car (car values)))
    ((cdr) (cdr (car values)))
    ((cons) (lift (cons (car values) (cadr values))))
    ((eq?) (eqv? (car values) (cadr values)))
    ((equal?) (equal? (car values) (cadr values)))
    ((+) (+ (car values) (cadr values)))
    ((-) (- (car values) (cadr values)))
    ((*) (* (car values) (cadr values)))
    ((<) (< (car values) (cadr values)))
    ((=) (= (car values) (cadr values)))
    (else (error "Mixwell: not an operation:" op))))

;; How many ways to put n queens on a board.
(define program
  '((solve (n) (call place n n '()))
    (place (n row queens)
      (if (= row '0) '1 (call try n n row queens)))
    (try (n column row queens)
      (if (= column '0)
          '0
          (if (call safe? column '1 queens)
              (+ (call place n (- row '1) (cons column queens))
                 (call try n (- column '1) row queens))
              (call try n (- column '1) row queens))))
    (safe? (column distance queens)
      (if (null? queens)
          '#t
          (if (= (car queens) column)
              '#f
              (if (= (car queens) (+ column distance))
                  '#f
                  (if (= (car queens) (- column distance))
                      '#f
                      (call safe? column (+ distance '1) (cdr queens)))))))))

(define data '((5)))
