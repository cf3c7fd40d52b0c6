;;; Program of the small language -> the same, where a `lambda` that uses a variable which is
;;; assigned, and is only passed down to be called, is a procedure of the program.
;;;
;;;     (call each (lambda (y) (effect cell-set! (var sum) (var y))) (var l))
;;;     (each (f l) ... (app (var f) (prim car (var l))) (call each (var f) (prim cdr (var l))))
;;; ->
;;;     (call each (var sum) (var l))
;;;     (each (sum%%1 l) ... (call f%%2 (var sum%%1) (prim car (var l)))
;;;                          (call each (var sum%%1) (prim cdr (var l))))
;;;     (f%%2 (sum%%3 y%%4) (effect cell-set! (var sum%%3) (var y%%4)))
;;;
;;; A parameter stands for the `lambda` if no call passes anything but that or another such
;;; parameter, and if it is called, or passed on to one, and nothing else.

(define (lower program interesting?)
  (let ((found (find-lowered program program interesting?)))
    (if found
        (lower (lower-one program (car found) (cdr found)) interesting?)
        program)))

;; (lambda-expression parameter ...), or #f.
(define (find-lowered items program interesting?)
  (if (null? items)
      #f
      (or (find-in (caddr (car items)) program interesting?)
          (find-lowered (cdr items) program interesting?))))

(define (find-in e program interesting?)
  (or (and (eq? (car e) 'call) (find-argument (cddr e) (cadr e) 0 program interesting?))
      (find-in-all (parts-of-expression e) program interesting?)))

(define (find-in-all es program interesting?)
  (and (pair? es)
       (or (find-in (car es) program interesting?)
           (find-in-all (cdr es) program interesting?))))

(define (find-argument arguments name n program interesting?)
  (and (pair? arguments)
       (or (let ((e (car arguments)))
             (and (eq? (car e) 'lambda)
                  (list? (cadr e))
                  (any? interesting? (free-in e '()))
                  (let* ((x (list-ref (cadr (assq name program)) n))
                         (parameters (standing-for e (list x) program)))
                    (and parameters (cons e parameters)))))
           (find-argument (cdr arguments) name (+ n 1) program interesting?))))

;; The sub-expressions, those of a `lambda` among them.
(define (parts-of-expression e)
  (case (car e)
    ((var quote global operation) '())
    ((let lambda prim effect call) (cddr e))
    (else (cdr e))))

(define (free-in e bound)
  (case (car e)
    ((var) (if (memq (cadr e) bound) '() (list (cadr e))))
    ((let) (both (free-in (caddr e) bound) (free-in (cadddr e) (cons (cadr e) bound))))
    ((lambda) (free-in (caddr e) (append (variable-list (cadr e)) bound)))
    (else
     (let loop ((es (parts-of-expression e)))
       (if (null? es) '() (both (free-in (car es) bound) (loop (cdr es))))))))

(define (both xs ys)
  (append xs (remove (lambda (y) (memq y xs)) ys)))

;; All parameters that stand for the lambda expression, or #f if one of them does not.
(define (standing-for e new program)
  (let ((all (closed-under-passing new '() (length (cadr e)) program)))
    (and all
         (not (any? (lambda (x)
                      (let ((owner (owner-of x program)))
                        (not (only-passed? (car owner) (place-of x (cadr owner)) e all program))))
                    all))
         all)))

(define (closed-under-passing new done count program)
  (cond ((null? new) done)
        ((memq (car new) done) (closed-under-passing (cdr new) done count program))
        (else
         (let ((passed (passed-on (car new) (caddr (owner-of (car new) program)) count program)))
           (and passed
                (closed-under-passing (both passed (cdr new)) (cons (car new) done) count
                                      program))))))

(define (owner-of x program)
  (if (and (pair? (cadr (car program))) (memq x (cadr (car program))))
      (car program)
      (owner-of x (cdr program))))

(define (place-of x variables)
  (if (eq? x (car variables)) 0 (+ 1 (place-of x (cdr variables)))))

;; The parameters that a variable is passed on to, in a list, or #f if it is used otherwise than in
;; calls of it with so many arguments.
(define (passed-on x e count program)
  (case (car e)
    ((var) (if (eq? (cadr e) x) #f '()))
    ((app)
     (if (and (equal? (cadr e) (list 'var x)) (= (length (cddr e)) count))
         (passed-on-by-all x (cddr e) count program)
         (passed-on-by-all x (cdr e) count program)))
    ((call)
     (let loop ((arguments (cddr e)) (parameters (cadr (assq (cadr e) program))) (found '()))
       (cond ((null? arguments) found)
             ((equal? (car arguments) (list 'var x))
              (loop (cdr arguments) (cdr parameters) (both (list (car parameters)) found)))
             (else
              (let ((more (passed-on x (car arguments) count program)))
                (and more (loop (cdr arguments) (cdr parameters) (both more found))))))))
    ((memo) (if (memq x (free-in e '())) #f '()))
    (else (passed-on-by-all x (parts-of-expression e) count program))))

(define (passed-on-by-all x es count program)
  (if (null? es)
      '()
      (let ((first (passed-on x (car es) count program)))
        (and first
             (let ((rest (passed-on-by-all x (cdr es) count program)))
               (and rest (both first rest)))))))

;; Do all calls of a procedure pass the lambda expression or a variable of ALL at that place?
(define (only-passed? name place e all program)
  (not (any? (lambda (item) (passes-another? (caddr item) name place e all)) program)))

(define (passes-another? part name place e all)
  (or (and (eq? (car part) 'call)
           (eq? (cadr part) name)
           (let ((argument (list-ref (cddr part) place)))
             (not (or (eq? argument e)
                      (and (eq? (car argument) 'var) (memq (cadr argument) all))))))
      (any? (lambda (inner) (passes-another? inner name place e all)) (parts-of-expression part))))

;; The program with a procedure for the lambda expression: each parameter that stands for that is
;; replaced by variables for what is free in it.
(define (lower-one program e parameters)
  (let* ((free (free-in e '()))
         (name (numbered-name 'lambda))
         (stand (map (lambda (x) (cons x (map numbered-name free))) parameters))
         (own (map (lambda (x) (cons x (numbered-name x))) (append free (cadr e)))))
    (append
     (map (lambda (item)
            (if (symbol? (cadr item))
                (list (car item) (cadr item) (lowered (caddr item) e name free stand))
                (list (car item)
                      (with-free (cadr item) stand)
                      (lowered (caddr item) e name free stand))))
          program)
     (list (list name
                 (map cdr own)
                 (lowered (renamed (caddr e) own) e name free stand))))))

(define (with-free variables stand)
  (cond ((null? variables) '())
        ((assq (car variables) stand)
         => (lambda (found) (append (cdr found) (with-free (cdr variables) stand))))
        (else (cons (car variables) (with-free (cdr variables) stand)))))

(define (lowered part e name free stand)
  (define (inner es) (map (lambda (part) (lowered part e name free stand)) es))
  (case (car part)
    ((var quote global operation) part)
    ((app)
     (let ((found (and (eq? (car (cadr part)) 'var) (assq (cadr (cadr part)) stand))))
       (if found
           (cons 'call
                 (cons name
                       (append (map (lambda (x) (list 'var x)) (cdr found)) (inner (cddr part)))))
           (cons 'app (inner (cdr part))))))
    ((call)
     (cons 'call
           (cons (cadr part)
                 (apply append
                        (map (lambda (argument)
                               (cond ((eq? argument e) (map (lambda (x) (list 'var x)) free))
                                     ((and (eq? (car argument) 'var)
                                           (assq (cadr argument) stand))
                                      => (lambda (found)
                                           (map (lambda (x) (list 'var x)) (cdr found))))
                                     (else (inner-argument argument e name free stand))))
                             (cddr part))))))
    ((let lambda prim effect) (cons (car part) (cons (cadr part) (inner (cddr part)))))
    (else (cons (car part) (inner (cdr part))))))

(define (inner-argument argument e name free stand)
  (list (lowered argument e name free stand)))

;; What a variable was called before it was renamed: ((new . old) ...).
(define renamed-variables '())

;; The expression with other variables, which are NAMES for those that are free in it.
(define (renamed e names)
  (define (inner es) (map (lambda (e) (renamed e names)) es))
  (case (car e)
    ((var)
     (let ((found (assq (cadr e) names)))
       (if found (list 'var (cdr found)) e)))
    ((quote global operation) e)
    ((let)
     (let ((x (numbered-name (cadr e))))
       (set! renamed-variables (cons (cons x (cadr e)) renamed-variables))
       (list 'let x (renamed (caddr e) names)
             (renamed (cadddr e) (cons (cons (cadr e) x) names)))))
    ((lambda)
     (let* ((xs (variable-list (cadr e)))
            (new (map (lambda (x) (cons x (numbered-name x))) xs)))
       (list 'lambda
             (if (symbol? (cadr e)) (cdr (car new)) (map cdr new))
             (renamed (caddr e) (append new names)))))
    ((prim effect call) (cons (car e) (cons (cadr e) (inner (cddr e)))))
    (else (cons (car e) (inner (cdr e))))))
