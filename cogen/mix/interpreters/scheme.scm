;;; A subset of Scheme; environments are association lists, procedures are closures.
;;;
;;; A program is a list of definitions; the last procedure is the one that is called.

(define (run program input)
  (let ((globals (map (lambda (d) (cons (caadr d) d)) program)))
    (apply-procedure (caar (reverse globals)) (list input) globals)))

(define (evaluate e env globals)
  (cond ((symbol? e) (lookup e env globals))
        ((not (pair? e)) e)
        (else
         (case (car e)
           ((quote) (cadr e))
           ((if) (if (evaluate (cadr e) env globals)
                     (evaluate (caddr e) env globals)
                     (evaluate (cadddr e) env globals)))
           ((lambda)
            (lambda args (evaluate (caddr e) (extend (cadr e) args env) globals)))
           ((let)
            (evaluate (caddr e)
                      (extend (map car (cadr e))
                              (map (lambda (b) (evaluate (cadr b) env globals)) (cadr e))
                              env)
                      globals))
           ((+ - * quotient remainder = < > cons car cdr null? not)
            (primitive (car e) (map (lambda (a) (evaluate a env globals)) (cdr e))))
           (else
            (let ((args (map (lambda (a) (evaluate a env globals)) (cdr e))))
              (if (and (symbol? (car e)) (not (assq (car e) env)))
                  (apply-procedure (car e) args globals)
                  (apply (evaluate (car e) env globals) args))))))))

(define (apply-procedure name args globals)
  (let ((d (cdr (assq name globals))))
    (evaluate (caddr d) (extend (cdadr d) args '()) globals)))

(define (lookup name env globals)
  (let ((found (assq name env)))
    (if found
        (cdr found)
        (lambda args (apply-procedure name args globals)))))

(define (extend names values env)
  (if (null? names)
      env
      (cons (cons (car names) (car values))
            (extend (cdr names) (cdr values) env))))

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
    ((not) (not (car args)))))

;; Sums up and sorts some numbers.
(define program
  '((define (iota n) (if (= n 0) '() (cons n (iota (- n 1)))))
    (define (append a b)
      (if (null? a) b (cons (car a) (append (cdr a) b))))
    (define (map f l)
      (if (null? l) '() (cons (f (car l)) (map f (cdr l)))))
    (define (filter p l)
      (if (null? l)
          '()
          (if (p (car l))
              (cons (car l) (filter p (cdr l)))
              (filter p (cdr l)))))
    (define (fold f e l)
      (if (null? l) e (fold f (f e (car l)) (cdr l))))
    (define (quicksort l)
      (if (null? l)
          '()
          (let ((pivot (car l)))
            (append (quicksort (filter (lambda (x) (< x pivot)) (cdr l)))
                    (cons pivot
                          (quicksort (filter (lambda (x) (not (< x pivot))) (cdr l))))))))
    (define (main n)
      (let ((l (map (lambda (x) (remainder (* x 7) 11)) (iota n))))
        (cons (fold (lambda (a b) (+ a b)) 0 l) (quicksort l))))))

(define data '(10))
