;;; Parameters of residual procedures that are equal in all calls, or that nothing uses, are left
;;; out; a part of tidy.scm.

;; Equal parameters.  `meanings` has for each function, by number, what its parameters mean: the
;; number of the first one that is equal in all calls.  At first all are taken to be equal.
(define meanings #f)
(define splits? #f)

(define (merge-parameters program)
  (set! functions (make-vector (length program) #f))
  (set! meanings (make-vector (length program) '()))
  (for-each
   (lambda (function)
     (vector-set! functions (number-of function) function)
     (vector-set! meanings
                  (number-of function)
                  (if (= (number-of function) 0)
                      (map caddr (variables-of function))
                      (map (lambda (x) 0) (variables-of function)))))
   program)
  (split-parameters! program)
  (map merged-function program))

(define (split-parameters! program)
  (set! splits? #f)
  (for-each (lambda (function) (split-by-calls! (code-of function) function)) program)
  (if splits? (split-parameters! program)))

(define (split-by-calls! code caller)
  (case (car code)
    ((var quote operation) #f)
    ((call)
     (let* ((old (vector-ref meanings (cadr code)))
            (new (split-by (map (lambda (e) (meaning e caller)) (cddr code)) old)))
       (if (not (equal? old new))
           (begin
             (vector-set! meanings (cadr code) new)
             (set! splits? #t)))))
    ((prim effect let lambda) (for-each (lambda (e) (split-by-calls! e caller)) (cddr code)))
    (else (for-each (lambda (e) (split-by-calls! e caller)) (cdr code)))))

(define (split-by arguments old)
  (map (lambda (e number) (first-equal e number arguments old 0)) arguments old))

(define (first-equal e number arguments old i)
  (if (and (= number (car old)) (same? e (car arguments)))
      i
      (first-equal e number (cdr arguments) (cdr old) (+ i 1))))

(define (same? a b)
  (or (eq? a b)
      (and (eq? (car a) (car b))
           (case (car a)
             ((var) (and (eq? (cadr a) (cadr b)) (= (caddr a) (caddr b))))
             ((quote) (eqv? (cadr a) (cadr b)))
             (else #f)))))

;; Variables are numbered from the parameters on.
(define (meaning code function)
  (let ((variables (variables-of function)))
    (if (and (eq? (car code) 'var) (< (caddr code) (length variables)))
        (list-ref variables
                  (list-ref (vector-ref meanings (number-of function)) (caddr code)))
        code)))

(define (merged-function function)
  (list (number-of function)
        (label-of function)
        (distinct (variables-of function) function)
        (merged (code-of function) function)))

;; Those of the items, one for each parameter, that stay.
(define (distinct items function)
  (let loop ((items items) (numbers (vector-ref meanings (number-of function))) (i 0))
    (cond ((null? items) '())
          ((= (car numbers) i) (cons (car items) (loop (cdr items) (cdr numbers) (+ i 1))))
          (else (loop (cdr items) (cdr numbers) (+ i 1))))))

(define (merged code function)
  (define (inner codes) (map (lambda (e) (merged e function)) codes))
  (case (car code)
    ((var) (meaning code function))
    ((quote operation) code)
    ((call)
     (cons 'call
           (cons (cadr code)
                 (distinct (inner (cddr code)) (vector-ref functions (cadr code))))))
    ((prim effect let lambda) (cons (car code) (cons (cadr code) (inner (cddr code)))))
    (else (cons (car code) (inner (cdr code))))))

;; Parameters that nothing uses.  `meanings` has for each function, by number, which are used: at
;; first those of the entry.  Operands of calls that must be evaluated are used.  What is called
;; mostly comes after what calls it, and tells it what is used: the last ones are looked at first.
(define (drop-parameters program)
  (for-each
   (lambda (function)
     (vector-set! functions (number-of function) function)
     (vector-set! meanings
                  (number-of function)
                  (map (lambda (x) (= (number-of function) 0)) (variables-of function))))
   program)
  (use-parameters! (reverse program))
  (map (lambda (function)
         (list (number-of function)
               (label-of function)
               (used (variables-of function) (number-of function))
               (dropped (code-of function))))
       program))

(define (use-parameters! program)
  (set! splits? #f)
  (for-each (lambda (function) (use! (code-of function) function)) program)
  (if splits? (use-parameters! program)))

(define (use! code caller)
  (case (car code)
    ((var) (use-variable! (caddr code) caller))
    ((quote operation) #f)
    ((call)
     (for-each (lambda (e x used?)
                 (if (or used? (not (memq (car e) '(var quote))))
                     (begin
                       (if (not used?) (use-variable! (caddr x) (vector-ref functions (cadr code))))
                       (use! e caller))))
               (cddr code)
               (variables-of (vector-ref functions (cadr code)))
               (vector-ref meanings (cadr code))))
    ((prim effect let lambda) (for-each (lambda (e) (use! e caller)) (cddr code)))
    (else (for-each (lambda (e) (use! e caller)) (cdr code)))))

;; The variable of that number is used, if it is a parameter.
(define (use-variable! n function)
  (let ((old (vector-ref meanings (number-of function))))
    (if (unused? n (variables-of function) old)
        (begin
          (vector-set! meanings
                       (number-of function)
                       (map (lambda (x used?) (or used? (= n (caddr x))))
                            (variables-of function)
                            old))
          (set! splits? #t)))))

(define (unused? n variables used)
  (and (pair? variables)
       (or (and (= n (caddr (car variables))) (not (car used)))
           (unused? n (cdr variables) (cdr used)))))

(define (used items number)
  (let loop ((items items) (used (vector-ref meanings number)))
    (cond ((null? items) '())
          ((car used) (cons (car items) (loop (cdr items) (cdr used))))
          (else (loop (cdr items) (cdr used))))))

(define (dropped code)
  (case (car code)
    ((var quote operation) code)
    ((call) (cons 'call (cons (cadr code) (used (map dropped (cddr code)) (cadr code)))))
    ((prim effect let lambda)
     (cons (car code) (cons (cadr code) (map dropped (cddr code)))))
    (else (cons (car code) (map dropped (cdr code))))))
