;;; A lazy functional language: programs are combinators, arguments wait until they are needed.
;;;
;;;     program ::= ((f x ... = e) ...)                      the first combinator is the entry
;;;     e       ::= x | f | (quote datum) | (e e ...) | (op e ...) | (if e e e)
;;;     op      ::= + - * < = mod cons head tail null
;;;
;;; Application is curried; the parts of `cons` wait like arguments.

(define (run program input)
  (force-all (evaluate-body (car program) input program)))

;; The entry takes one argument, which is a value.
(define (evaluate-body definition input program)
  (evaluate (body-of definition)
            (list (cons (cadr definition) (lambda () input)))
            program))

(define (body-of definition)
  (if (eq? (cadr definition) '=)
      (caddr definition)
      (body-of (cdr definition))))

(define (evaluate e env program)
  (cond
   ((symbol? e)
    (if (bound? e env)
        ((lookup e env))
        (combinator (find e program) '() program)))
   ((memq (car e) '(quote if + - * < = mod cons head tail null)) (operate (car e) e env program))
   ((and (symbol? (car e)) (not (bound? (car e) env)))
    (saturate (find (car e) program) (cdr e) env '() program))
   (else (apply-to (evaluate (car e) env program) (cdr e) env program))))

;; A known combinator takes what arguments it wants at once.
(define (saturate definition arguments env new program)
  (cond
   ((eq? (cadr definition) '=)
    (apply-to (evaluate (caddr definition) new program) arguments env program))
   ((null? arguments) (combinator definition new program))
   (else
    (let ((thunk (delayed (car arguments) env program)))
      (saturate (cdr definition) (cdr arguments) env
                (cons (cons (cadr definition) thunk) new) program)))))

(define (combinator definition env program)
  (if (eq? (cadr definition) '=)
      (evaluate (caddr definition) env program)
      (lift (lambda (thunk)
        (combinator (cdr definition) (cons (cons (cadr definition) thunk) env) program)))))

(define (apply-to value arguments env program)
  (if (null? arguments)
      value
      (apply-to (value (delayed (car arguments) env program)) (cdr arguments) env program)))

;; A variable waits already.
(define (delayed e env program)
  (if (and (symbol? e) (bound? e env))
      (lookup e env)
      (lift (lambda () (evaluate e env program)))))

(define (operate op e env program)
  (case op
    ((quote) (lift (cadr e)))
    ((if)
     (if (evaluate (cadr e) env program)
         (evaluate (caddr e) env program)
         (evaluate (cadddr e) env program)))
    ((+) (+ (evaluate (cadr e) env program) (evaluate (caddr e) env program)))
    ((-) (- (evaluate (cadr e) env program) (evaluate (caddr e) env program)))
    ((*) (* (evaluate (cadr e) env program) (evaluate (caddr e) env program)))
    ((<) (< (evaluate (cadr e) env program) (evaluate (caddr e) env program)))
    ((=) (= (evaluate (cadr e) env program) (evaluate (caddr e) env program)))
    ((mod) (modulo (evaluate (cadr e) env program) (evaluate (caddr e) env program)))
    ((cons) (lift (cons (delayed (cadr e) env program) (delayed (caddr e) env program))))
    ((head) ((car (evaluate (cadr e) env program))))
    ((tail) ((cdr (evaluate (cadr e) env program))))
    (else (null? (evaluate (cadr e) env program)))))

(define (bound? name env)
  (and (pair? env) (or (eq? name (caar env)) (bound? name (cdr env)))))

(define (lookup name env)
  (if (eq? name (caar env)) (cdar env) (lookup name (cdr env))))

(define (find name program)
  (cond ((null? program) (error "lazy: not defined:" name))
        ((eq? name (caar program)) (car program))
        (else (find name (cdr program)))))

;; The answer as plain data: lists are made whole.
(define (force-all value)
  (if (pair? value)
      (let ((first (force-all ((car value)))))
        (cons first (force-all ((cdr value)))))
      value))

;; The first n values of a polynomial with their sum, and the first n primes by an endless sieve.
(define program
  '((main n =
      (cons (sum n (map polynomial (from '1)))
            (cons (take n (map polynomial (from '1))) (take n (sieve (from '2))))))
    (from n = (cons n (from (+ n '1))))
    (map f xs = (cons (f (head xs)) (map f (tail xs))))
    (polynomial x =
      (+ (* x (+ (* x (+ (* x (+ (* x '3) '1)) '4)) '1)) (mod (* x (+ x '5)) '9)))
    (sum n xs = (if (= n '0) '0 (+ (head xs) (sum (- n '1) (tail xs)))))
    (take n xs = (if (= n '0) '() (cons (head xs) (take (- n '1) (tail xs)))))
    (sieve xs = (cons (head xs) (sieve (filter (indivisible (head xs)) (tail xs)))))
    (indivisible p n = (< '0 (mod n p)))
    (filter p xs =
      (if (p (head xs)) (cons (head xs) (filter p (tail xs))) (filter p (tail xs))))))

(define data '(5))
