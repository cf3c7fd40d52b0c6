;;; Residual program as mix.scm gives it -> a program of the small language (subset.py).  What is
;;; made once comes last, in its order.
;;;
;;; Parameters that are equal in all calls become one, those that are only passed on to themselves
;;; none; functions that are called once are put in
;;; their place; variables get names; a binding that is used once goes to its use, where that
;;; changes neither what is evaluated nor its order as far as anything can fail; a binding that
;;; nothing uses and that cannot fail is dropped; a pair that is only taken apart is not made;
;;; operations on numbers that are constants are done, and tests that are constants decided, or
;;; left out if both arms are the same.
;;;
;;; A variable on the way is #(name uses code): CODE is what stands for it, or #f.

(define functions #f)
(define calls #f)
(define counter 0)
(define pairs-change? #f)
(define left-out? #f)
(define known-pairs '())

(define (number-of function) (car function))
(define (label-of function) (cadr function))
(define (variables-of function) (caddr function))
(define (code-of function) (cadddr function))

(define (tidy program) (tidy-merged (drop-parameters (merge-parameters program))))

(define (tidy-merged program)
  (set! functions (make-vector (length program) #f))
  (set! calls (make-vector (length program) 0))
  (set! pairs-change? (changes-pairs? program))
  (set! left-out? #f)
  (for-each (lambda (function) (vector-set! functions (number-of function) function)) program)
  (for-each (lambda (function) (count-calls! (code-of function))) program)
  (let* ((names (name-functions program 1))
         (items (map (lambda (function) (tidy-function function names)) (kept program))))
    (ordered (if left-out? (reachable items) items))))

(include "parameters.scm")

;; The items that what stays at the top level, or the first, leads to.
(define (reachable items)
  (let ((reached '()))
    (define (reach! item)
      (if (not (memq item reached))
          (begin
            (set! reached (cons item reached))
            (reach-called! (caddr item)))))
    (define (reach-called! code)
      (case (car code)
        ((var quote operation) #f)
        ((call global)
         (reach! (assq (cadr code) items))
         (for-each reach-called! (cddr code)))
        ((let lambda prim effect) (for-each reach-called! (cddr code)))
        (else (for-each reach-called! (cdr code)))))
    (reach! (car items))
    (for-each (lambda (item) (if (symbol? (cadr item)) (reach! item))) items)
    (select (lambda (item) (memq item reached)) items)))

(define (changes-pairs? e)
  (and (pair? e)
       (or (and (eq? (car e) 'effect)
                (pair? (cdr e))
                (memq (cadr e) '(set-car! set-cdr! list-set!))
                #t)
           (changes-pairs? (car e))
           (changes-pairs? (cdr e)))))

(define (kept program)
  (cond ((null? program) '())
        ((keeps? (number-of (car program))) (cons (car program) (kept (cdr program))))
        (else (kept (cdr program)))))

;; Procedures, then values that are made once.
(define (ordered items)
  (append (select (lambda (item) (not (symbol? (cadr item)))) items)
          (select (lambda (item) (symbol? (cadr item))) items)))

(define (select ok? items)
  (cond ((null? items) '())
        ((ok? (car items)) (cons (car items) (select ok? (cdr items))))
        (else (select ok? (cdr items)))))

(define (keeps? number)
  (or (= number 0)
      (not (= (vector-ref calls number) 1))
      (marked? (vector-ref functions number))))

(define (once? function) (eq? (car (code-of function)) 'once))

(define (marked? function) (memq (car (code-of function)) '(once kept)))

;; A vector of names by number; only functions that stay have one.
(define (name-functions program next)
  (let ((names (make-vector (length program) #f)))
    (let loop ((program program) (next next))
      (cond ((null? program) names)
            ((= (number-of (car program)) 0)
             (vector-set! names 0 (label-of (car program)))
             (loop (cdr program) next))
            ((keeps? (number-of (car program)))
             (vector-set! names
                          (number-of (car program))
                          (numbered-name (label-of (car program)) "-" next))
             (loop (cdr program) (+ next 1)))
            (else (loop (cdr program) next))))))

;; A new name: the old one without what was put behind it before, by the analysis or here.
(define (numbered-name symbol mark number)
  (string->symbol
   (string-append (base-name (symbol->string symbol)) mark (number->string number))))

(define (base-name text)
  (let loop ((i 0))
    (cond ((= i (string-length text)) (without-number text i))
          ((and (> i 0) (memv (string-ref text i) '(#\% #\.))) (without-number text i))
          (else (loop (+ i 1))))))

;; The first END characters without -1 and the like at their end.
(define (without-number text end)
  (let loop ((i end))
    (cond ((<= i 1) (substring text 0 end))
          ((char-numeric? (string-ref text (- i 1))) (loop (- i 1)))
          ((and (< i end) (char=? (string-ref text (- i 1)) #\-)) (without-number text (- i 1)))
          (else (substring text 0 end)))))

(define (count-calls! code)
  (case (car code)
    ((var quote operation) #f)
    ((call)
     (vector-set! calls (cadr code) (+ 1 (vector-ref calls (cadr code))))
     (for-each count-calls! (cddr code)))
    ((prim effect let lambda) (for-each count-calls! (cddr code)))
    (else (for-each count-calls! (cdr code)))))

(define (tidy-function function names)
  (set! counter 0)
  (let* ((variables (map new-variable (variables-of function)))
         (env (map cons (variables-of function) variables))
         (code (if (marked? function) (cadr (code-of function)) (code-of function)))
         (code (rename code env names)))
    (list (vector-ref names (number-of function))
          (if (once? function) 'global (map variable-name variables))
          (finish (simplify code)))))

(define (variable-name variable) (vector-ref variable 0))
(define (uses variable) (vector-ref variable 1))
(define (stands-for variable) (vector-ref variable 2))

(define (new-variable code)
  (set! counter (+ counter 1))
  (vector (numbered-name (cadr code) "." counter) 0 #f))

(define (count! variable n)
  (vector-set! variable 1 (+ n (uses variable))))

;; Code with variables of its own, once-called functions in place.  ENV has variables or
;; constants for the numbered variables of the function.
(define (rename code env names)
  (case (car code)
    ((var)
     (let ((found (resolve code env)))
       (if (eq? (car found) 'var) (count! (cadr found) 1))
       found))
    ((quote operation) code)
    ((let)
     (let* ((value (rename (caddr code) env names))
            (variable (new-variable (cadr code))))
       (list 'let variable value
             (rename (cadddr code) (cons (cons (cadr code) variable) env) names))))
    ((lambda)
     (if (takes-list? code)
         (let ((variable (new-variable (cadr code))))
           (list 'lambda variable
                 (rename (caddr code) (cons (cons (cadr code) variable) env) names)))
         (let ((variables (map new-variable (cadr code))))
           (list 'lambda variables
                 (rename (caddr code) (append (map cons (cadr code) variables) env) names)))))
    ((call)
     (if (keeps? (cadr code))
         (cons (if (once? (vector-ref functions (cadr code))) 'global 'call)
               (cons (vector-ref names (cadr code)) (rename-all (cddr code) env names)))
         (let ((function (vector-ref functions (cadr code))))
           (rename (code-of function)
                   (map (lambda (variable argument)
                          (cons variable (value-in-env (resolve argument env))))
                        (variables-of function)
                        (cddr code))
                   names))))
    ((prim effect) (cons (car code) (cons (cadr code) (rename-all (cddr code) env names))))
    ((app) (rename-application (cadr code) (cddr code) env names))
    (else (cons (car code) (rename-all (cdr code) env names)))))

(define (takes-list? code)
  (let ((variables (cadr code)))
    (and (pair? variables) (eq? (car variables) 'var))))

;; ((lambda (x ...) e) e ...) is a binding.
(define (rename-application function arguments env names)
  (if (and (eq? (car function) 'lambda)
           (not (takes-list? function))
           (= (length (cadr function)) (length arguments)))
      (let loop ((variables (cadr function))
                 (values (rename-all arguments env names))
                 (inner env))
        (if (null? variables)
            (rename (caddr function) inner names)
            (let ((variable (new-variable (car variables))))
              (list 'let variable (car values)
                    (loop (cdr variables) (cdr values)
                          (cons (cons (car variables) variable) inner))))))
      (cons 'app (rename-all (cons function arguments) env names))))

(define (rename-all codes env names)
  (map (lambda (code) (rename code env names)) codes))

(define (value-in-env code)
  (if (eq? (car code) 'var) (cadr code) code))

;; What a variable or constant of the function stands for.
(define (resolve code env)
  (if (eq? (car code) 'quote)
      code
      (let ((found (find code env)))
        (if (vector? found) (list 'var found) found))))

(define (find code env)
  (let ((x (cadr code))
        (n (caddr code)))
    (let loop ((env env))
      (let ((variable (caar env)))
        (if (and (= n (caddr variable)) (eq? x (cadr variable)))
            (cdar env)
            (loop (cdr env)))))))

(define (simplify code)
  (case (car code)
    ((quote operation) code)
    ((var) (constant-or code))
    ((let) (simplify-binding (cadr code) (simplify (caddr code)) (cadddr code)))
    ((if) (simplify-if (simplify (cadr code)) (caddr code) (cadddr code)))
    ((prim) (fold (cadr code) (map simplify (cddr code))))
    ((lambda) (list 'lambda (cadr code) (simplify (caddr code))))
    ((effect call global)
     (cons (car code) (cons (cadr code) (map simplify (cddr code)))))
    (else (cons (car code) (map simplify (cdr code))))))

;; What a variable stands for, if that is a constant.
(define (constant-or variable)
  (let ((code (stands-for (cadr variable))))
    (if (and code (eq? (car code) 'quote)) code variable)))

(define (simplify-binding variable value body)
  (if (eq? (car value) 'quote)
      (begin
        (put! variable value)
        (simplify body))
      (simplify-let variable (meant value) (simplify body))))

;; What a value is whose variable has gone to its use: `x` of (let x e x) is e.
(define (meant value)
  (let ((code (and (eq? (car value) 'var) (stands-for (cadr value)))))
    (if code (meant code) value)))

(define (simplify-if test then otherwise)
  (if (eq? (car test) 'quote)
      (let ((other (if (cadr test) otherwise then)))
        (forget! other)
        (if (calls? other) (set! left-out? #t))
        (simplify (if (cadr test) then otherwise)))
      (let* ((then (within-test test (lambda () (simplify then))))
             (otherwise (simplify otherwise)))
        (if (and (total? test) (same-leaf? then otherwise))
            (begin
              (forget! test)
              (forget! otherwise)
              then)
            (list 'if test then otherwise)))))

;; What is done where a test is true: variables that it found to be pairs can be taken apart.
(define (within-test test thunk)
  (if (and (eq? (car test) 'prim) (eq? (cadr test) 'pair?) (eq? (car (caddr test)) 'var))
      (let ((outer known-pairs))
        (set! known-pairs (cons (cadr (caddr test)) outer))
        (let ((code (thunk)))
          (set! known-pairs outer)
          code))
      (thunk)))

;; Are these constants, variables or calls with such, and the same?
(define (same-leaf? a b)
  (and (eq? (car a) (car b))
       (case (car a)
         ((quote) (equal? a b))
         ((var) (eq? (cadr a) (cadr b)))
         ((call) (and (eq? (cadr a) (cadr b)) (same-leaves? (cddr a) (cddr b))))
         (else #f))))

(define (same-leaves? a b)
  (or (null? a) (and (same-leaf? (car a) (car b)) (same-leaves? (cdr a) (cdr b)))))

(define (calls? code)
  (case (car code)
    ((call global) #t)
    ((var quote operation) #f)
    ((let lambda prim effect) (any-calls? (cddr code)))
    (else (any-calls? (cdr code)))))

(define (any-calls? codes)
  (and (pair? codes) (or (calls? (car codes)) (any-calls? (cdr codes)))))

;; An operation on small integers is done.
(define (fold op operands)
  (if (and (= (length operands) 2) (small? (car operands)) (small? (cadr operands)))
      (let ((a (cadr (car operands)))
            (b (cadr (cadr operands))))
        (case op
          ((+) (list 'quote (+ a b)))
          ((-) (list 'quote (- a b)))
          ((*) (list 'quote (* a b)))
          ((=) (list 'quote (= a b)))
          ((<) (list 'quote (< a b)))
          ((>) (list 'quote (> a b)))
          (else (cons 'prim (cons op operands)))))
      (cons 'prim (cons op operands))))

(define (small? code)
  (and (eq? (car code) 'quote)
       (integer? (cadr code))
       (exact? (cadr code))
       (< -1000000000 (cadr code) 1000000000)))

(define (simplify-let variable value body)
  (cond
   ((and (= (uses variable) 0) (or (total? value) (takes-known-pair-apart? value)))
    (forget! value)
    body)
   ((eq? (car value) 'quote) (put! variable value) body)
   ((eq? (car value) 'var)
    (count! (cadr value) (- (uses variable) 1))
    (put! variable value)
    body)
   ((and (eq? (car value) 'prim)
         (eq? (cadr value) 'cons)
         (not pairs-change?)
         (= (uses variable) (selections variable body)))
    (split variable (caddr value) (cadddr value) body))
   ((and (= (uses variable) 1) (may-move? value (position variable body)))
    (put! variable value)
    body)
   (else (list 'let variable value body))))

(define (takes-known-pair-apart? value)
  (and (eq? (car value) 'prim)
       (memq (cadr value) '(car cdr))
       (eq? (car (caddr value)) 'var)
       (memq (cadr (caddr value)) known-pairs)))

(define (put! variable code) (vector-set! variable 2 code))

;; Variables of its own for each part of a pair that is only taken apart.
(define (split variable a b body)
  (let ((first (new-variable (list 'var (variable-name variable))))
        (rest (new-variable (list 'var (variable-name variable)))))
    (let ((body (select-from variable first rest body)))
      (simplify-let first a (simplify-let rest b body)))))

;; Uses of a variable that are operands of `car` or `cdr`.
(define (selections variable code)
  (case (car code)
    ((var) (if (stands-for (cadr code)) (selections variable (stands-for (cadr code))) 0))
    ((quote global operation) 0)
    ((prim) (if (selects? variable code) 1 (all-selections variable (cddr code))))
    ((effect call let lambda) (all-selections variable (cddr code)))
    (else (all-selections variable (cdr code)))))

(define (all-selections variable codes)
  (if (null? codes)
      0
      (+ (selections variable (car codes)) (all-selections variable (cdr codes)))))

(define (selects? variable code)
  (and (memq (cadr code) '(car cdr))
       (eq? (car (caddr code)) 'var)
       (eq? (cadr (caddr code)) variable)))

(define (select-from variable first rest code)
  (define (walk code) (select-from variable first rest code))
  (case (car code)
    ((var)
     (if (stands-for (cadr code))
         (put! (cadr code) (walk (stands-for (cadr code)))))
     code)
    ((quote global operation) code)
    ((let)
     (let ((value (caddr code)))
       (if (and (eq? (car value) 'prim) (selects? variable value))
           (simplify-let (cadr code) (walk value) (walk (cadddr code)))
           (list 'let (cadr code) (walk value) (walk (cadddr code))))))
    ((prim effect call lambda)
     (if (and (eq? (car code) 'prim) (selects? variable code))
         (let ((part (if (eq? (cadr code) 'car) first rest)))
           (count! part 1)
           (list 'var part))
         (cons (car code) (cons (cadr code) (map walk (cddr code))))))
    (else (cons (car code) (map walk (cdr code))))))

(define (may-move? value position)
  (case position
    ((first) #t)
    ((later) (total? value))
    (else #f)))

;; The code goes away: its variables are used less.
(define (forget! code)
  (case (car code)
    ((var)
     (let ((variable (cadr code)))
       (count! variable -1)
       (if (stands-for variable) (forget! (stands-for variable)))))
    ((quote operation) #f)
    ((prim effect let lambda call global) (for-each forget! (cddr code)))
    (else (for-each forget! (cdr code)))))

;; Operations that take anything, and look at nothing that may change.
(define total-operations
  '(cons null? pair? not eq? eqv? symbol? number? integer? boolean? string? char? procedure?
    make-record record-is?))

(define (total? code)
  (case (car code)
    ((quote lambda global operation) #t)
    ((var) (if (stands-for (cadr code)) (total? (stands-for (cadr code))) #t))
    ((prim) (and (memq (cadr code) total-operations) (all-total? (cddr code))))
    ((if) (all-total? (cdr code)))
    (else #f)))

(define (all-total? codes)
  (or (null? codes) (and (total? (car codes)) (all-total? (cdr codes)))))

;; Where a variable stands in code: `first` if nothing before it in the order of evaluation can
;; fail, `later` after such an operation or in an arm, `inside` a procedure, or #f.
(define (position variable code)
  (case (car code)
    ((var)
     (cond ((eq? (cadr code) variable) 'first)
           ((stands-for (cadr code)) (position variable (stands-for (cadr code))))
           (else #f)))
    ((quote global operation) #f)
    ((lambda) (if (position variable (caddr code)) 'inside #f))
    ((if)
     (or (position variable (cadr code))
         (later (or (position variable (caddr code)) (position variable (cadddr code))))))
    ((app) (position-in variable (cdr code)))
    (else (position-in variable (cddr code)))))

(define (position-in variable codes)
  (if (null? codes)
      #f
      (or (position variable (car codes))
          (let ((found (position-in variable (cdr codes))))
            (if (total? (car codes)) found (later found))))))

(define (later position)
  (if (eq? position 'first) 'later position))

;; The name of a variable: what nothing uses is shown as a sequence if its value has an effect.
(define (shown-name variable value)
  (if (and (= (uses variable) 0) (effect? value))
      (variable-name (new-variable '(var %seq)))
      (variable-name variable)))

(define (effect? code)
  (case (car code)
    ((effect) #t)
    ((let) (or (effect? (cadddr code)) (and (total? (cadddr code)) (effect? (caddr code)))))
    (else #f)))

(define (finish code)
  (case (car code)
    ((var)
     (let ((variable (cadr code)))
       (if (stands-for variable)
           (finish (stands-for variable))
           (list 'var (variable-name variable)))))
    ((quote) code)
    ((let)
     (list 'let (shown-name (cadr code) (caddr code))
           (finish (caddr code))
           (finish (cadddr code))))
    ((lambda)
     (list 'lambda
           (if (vector? (cadr code)) (variable-name (cadr code)) (map variable-name (cadr code)))
           (finish (caddr code))))
    ((global operation) code)
    ((prim effect call) (cons (car code) (cons (cadr code) (map finish (cddr code)))))
    (else (cons (car code) (map finish (cdr code))))))
