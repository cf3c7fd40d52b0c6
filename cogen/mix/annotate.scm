;;; Timed expressions, solved -> annotated program, as mix.scm takes it.
;;;
;;; Annotations name code that a value could hold several times, and put conversions where the
;;; binding time of an expression is not that of its place.

(define points '())
(define closures '())
(define floating '())
(define types '())
(define current 'none)
(define counter 0)
(define scope '())

;; Copies that are alike: ((copy . other) ...).
(define alike '())

(define (find-alike!)
  (set! alike '())
  (let loop ((functions (reverse reached)) (kept '()))
    (if (pair? functions)
        (let* ((function (car functions))
               (copy (assq (car function) copies))
               (other (and copy (find-like function (cdr copy) kept))))
          (if other (set! alike (cons (cons (car function) (car other)) alike)))
          (loop (cdr functions) (if (and copy (not other)) (cons function kept) kept))))))

(define (find-like function name kept)
  (cond ((null? kept) #f)
        ((and (eq? name (cdr (assq (car (car kept)) copies)))
              (like? (cons (cadddr function) (caddr function))
                     (cons (cadddr (car kept)) (caddr (car kept))))
              (like? (list-ref function 4) (list-ref (car kept) 4)))
         (car kept))
        (else (find-like function name (cdr kept)))))

;; Timed expressions of the same form: are their times of the same types?
(define (like? a b)
  (cond ((and (pair? a) (pair? b)) (and (like? (car a) (car b)) (like? (cdr a) (cdr b))))
        ((and (time? a) (time? b))
         (and (eq? (shape a) (shape b))
              (or (memq (shape a) '(s d)) (eq? (node-of a) (node-of b)))
              #t))
        (else (eqv? a b))))

(define (kept-name name)
  (let ((found (assq name alike)))
    (if found (cdr found) name)))

(define (new-label)
  (set! counter (+ counter 1))
  (string->symbol
   (string-append (symbol->string current) "%" (number->string counter))))

(define (new-variable time)
  (set! counter (+ counter 1))
  (let ((x (string->symbol (string-append "t%%" (number->string counter)))))
    (declare! x time)
    x))

(define (declare! x time)
  (set! scope (cons (cons x time) scope)))

(define (type-of time)
  (case (shape time)
    ((s) 's)
    ((d) 'd)
    (else (type-number (node-of time)))))

(define (type-number node)
  (let ((found (assq node types)))
    (if found
        (cdr found)
        (let ((number (length types)))
          (set! types (cons (cons node number) types))
          number))))

;; The type table: describing a type may meet new ones.
(define (type-table done)
  (if (= done (length types))
      '()
      (let* ((node (car (list-ref types (- (length types) done 1))))
             (row (if (pair-node? node)
                      (cons done (type-of-parts (pair-node-parts node)))
                      (cons done (cons 'f (map car (closure-node-labels node)))))))
        (cons row (type-table (+ done 1))))))

(define (type-of-parts parts)
  (if (any? (lambda (part) (not (eq? (car part) 'cons))) parts)
      (cons 'r (map (lambda (part) (cons (car part) (map type-of (cdr part)))) parts))
      (cons 'p (map type-of (cdar parts)))))

(define (dynamic? time) (eq? (time-kind time) 'd))

(define (trivial? annotated)
  (or (eq? (car annotated) 'var)
      (and (eq? (car annotated) 'lift) (eq? (car (cadr annotated)) 'const))))

;; Whether an expression that is not code may need bindings around it.
(define (floats? e)
  (case (car e)
    ((dlet klet fork) #t)
    ((let) (floats? (cadddr e)))
    ((sif) (or (floats? (caddr e)) (floats? (cadddr e))))
    ((call)
     (let ((function (assq (cadr e) reached)))
       (or (memq (cadr e) floating)
           (names-code? (caddr function) (cddr e)))))
    ((app)
     (any? (lambda (label)
             (or (memq label floating)
                 (names-code? (parameter-times (lambda-labelled label)) (cdddr e))))
           (cadr e)))
    (else #f)))

(define (parameter-times e)
  (let ((spread (cadr (caddr e))))
    (if spread (list (cadr spread)) (list-ref e 4))))

(define (names-code? times arguments)
  (and (pair? times)
       (or (and (dynamic? (car times)) (not (trivial? (car arguments))))
           (names-code? (cdr times) (cdr arguments)))))

(define lambdas '())

(define (lambda-labelled label) (cdr (assq label lambdas)))

;; The expression as a value of another binding time.
(define (coerced e time)
  (if (dynamic? time)
      (as-code e)
      (let ((from (shape (time-of e))))
        (if (and (eq? (shape time) 'p)
                 (eq? from 's)
                 (not (eq? (time-kind (time-of e)) 'bottom)))
            (named-operand (annotate e) (time-of e)
                           (lambda (operand) (list 'raise (type-of time) operand)))
            (annotate e)))))

(define (as-code e)
  (cond
   ((dynamic? (time-of e)) (annotate e))
   ((fork? e) (annotate-unknown e))
   ((eq? (car e) 'if)
    (let ((test (annotate (caddr e))))
      (named-operand test (time-of (caddr e))
                     (lambda (test)
                       (list 'sif test (as-code (cadddr e)) (as-code (list-ref e 4)))))))
   ((eq? (car e) 'let) (annotate-let e as-code))
   ((and (eq? (car e) 'prim) (eq? (caddr e) 'error))
    (cons 'dprim (cons 'error (map as-code (cdddr e)))))
   ((eq? (shape (time-of e)) 'p)
    (named-operand (annotate e) (time-of e)
                   (lambda (operand) (list 'residualize (type-of (time-of e)) operand))))
   (else
    (named-operand (annotate e) (time-of e) (lambda (operand) (list 'lift operand))))))

;; An operand that is not code but needs bindings is evaluated first, under a name.
(define (named-operand operand time build)
  (if (and (not (dynamic? time)) (floats? operand))
      (let ((x (new-variable time)))
        (continued x operand (build (list 'var x))))
      (build operand)))

;; Code that stands before an operand which needs bindings is named as well, to keep its place.
(define (named-operands operands times build)
  (if (null? operands)
      (build '())
      (named-in-order (car operands) (car times) (any-floats? (cdr operands) (cdr times))
                      (lambda (first)
                        (named-operands (cdr operands) (cdr times)
                                        (lambda (rest) (build (cons first rest))))))))

(define (any-floats? operands times)
  (and (pair? operands)
       (or (and (not (dynamic? (car times))) (floats? (car operands)))
           (any-floats? (cdr operands) (cdr times)))))

(define (named-in-order operand time before? build)
  (if (and before? (dynamic? time) (not (trivial? operand)))
      (let ((x (new-variable time)))
        (list 'dlet x operand (build (list 'var x))))
      (named-operand operand time build)))

(define (annotate-to es times build)
  (named-operands (map coerced es times) times build))

(define (annotate-let e annotate-body)
  (let* ((x (caddr e))
         (time (list-ref e 5))
         (value (coerced (cadddr e) time))
         (tag (cond ((dynamic? time) (if (trivial? value) 'let 'dlet))
                    ((floats? value) 'klet)
                    (else 'let))))
    (declare! x time)
    (let ((body (annotate-body (list-ref e 4))))
      (if (eq? tag 'klet) (continued x value body) (list tag x value body)))))

(define (annotate e)
  (case (car e)
    ((var) (list 'var (caddr e)))
    ((quote) (list 'const (caddr e)))
    ((if) (annotate-if e))
    ((let) (annotate-let e (lambda (body) (coerced body (time-of e)))))
    ((prim) (annotate-primitive (caddr e) (time-of e) (cdddr e)))
    ((call) (annotate-call (caddr e) (cdddr e) (time-of e)))
    ((lambda) (annotate-lambda e))
    ((app) (annotate-application e))
    ((effect) (annotate-effect (caddr e) (cdddr e)))
    ((global) (annotate-global (caddr e)))
    ((memo) (memo-point (new-label) (list 'kept (as-code (caddr e)))))
    ((lift) (as-code (caddr e)))))

;; A call that stands for an operation on a list is that operation where the list is code after all.
(define (annotate-call name arguments time)
  (let ((operation (assq name apart)))
    (if (and operation (dynamic? (time-of (list-ref arguments (caddr operation)))))
        (annotate-primitive (cadr operation) time arguments)
        (annotate-to arguments
                     (caddr (assq name reached))
                     (lambda (arguments) (cons 'call (cons (kept-name name) arguments)))))))

(define (annotate-effect op arguments)
  (if (and (memq op '(vector-set! vector-fill! vector-copy! set-car! set-cdr! list-set!))
           (eq? (time-kind (time-of (car arguments))) 's))
      (error "data that are known from the start would be changed by" op))
  (cons 'deffect (cons op (map as-code arguments))))

;; A value that is made once: by the residual program, or each time anew if it is known.
(define (annotate-global name)
  (if (dynamic? (cadddr (assq name reached)))
      (list 'memo name '())
      (list 'call name)))

(define (annotate-if e)
  (let ((time (time-of e)))
    (cond
     ((fork? e)
      (let ((test (annotate (caddr e))))
        (list 'fork test (coerced (cadddr e) time) (coerced (list-ref e 4) time))))
     ((dynamic? (time-of (caddr e))) (annotate-unknown e))
     (else
        (named-operand (annotate (caddr e)) (time-of (caddr e))
                       (lambda (test)
                         (list 'sif test
                               (coerced (cadddr e) time)
                               (coerced (list-ref e 4) time))))))))

;; An unknown conditional that is code.
(define (annotate-unknown e)
  (let* ((label (new-label))
         (test (annotate (caddr e))))
    (memo-point label
                (list (if (may-be-constant? test) 'cif 'dif)
                      test
                      (as-code (cadddr e))
                      (as-code (list-ref e 4))))))

;; Whether code may turn out to be a constant.
(define (may-be-constant? code)
  (case (car code)
    ((var lift call app residualize) #t)
    ((sif) (or (may-be-constant? (caddr code)) (may-be-constant? (cadddr code))))
    ((let dlet klet) (may-be-constant? (cadddr code)))
    (else #f)))

(define (memo-point label body)
  (let ((free (free-variables body)))
    (add-point! label free body)
    (list 'memo label free)))

(define (add-point! label free body)
  (set! points
        (cons (list label free (map (lambda (x) (type-of (cdr (assq x scope)))) free) body)
              points)))

(define (annotate-primitive op time arguments)
  (let ((times (map time-of arguments)))
    (cond
     ((eq? op 'known?) (list 'const (eq? (shape (car times)) 's)))
     ((and (memq op '(car cdr)) (not (dynamic? (car times))))
      (static-operation op arguments times))
     ((and (eq? op 'vector-ref) (eq? (shape (car times)) 'p) (not (dynamic? (cadr times))))
      (static-operation op arguments times))
     ((and (eq? op 'make-vector) (eq? (shape time) 'p))
      (named-operand (annotate (car arguments)) (car times)
                     (lambda (size)
                       (known-data 'vector (cdr arguments) time
                                   (lambda (parts) (list 'p2 op size (car parts)))))))
     ((and (eq? op 'record-ref) (not (dynamic? (caddr times))))
      (named-operand (annotate (caddr arguments)) (caddr times)
                     (lambda (e)
                       (list 'field (literal (car arguments)) (literal (cadr arguments)) e))))
     ((eq? op 'apply) (annotate-apply (car arguments) (cadr arguments)))
     ((dynamic? time)
      (cons (if (and vectors-change? (memq op making-vectors)) 'deffect 'dprim)
            (cons op (map as-code arguments))))
     ((eq? op 'cons)
      (if (eq? (shape time) 'p)
          (known-data 'cons arguments time (lambda (parts) (cons 'p2 (cons 'cons parts))))
          (static-operation op arguments times)))
     ((eq? op 'make-record)
      (let ((type (literal (car arguments))))
        (known-data type (cdr arguments) time (lambda (parts) (cons 'make (cons type parts))))))
     ((eq? op 'record-is?)
      (named-operand (annotate (cadr arguments)) (cadr times)
                     (lambda (e) (list 'is (literal (car arguments)) e))))
     ((eq? op 'error)
      (named-operands (map annotate arguments) times (lambda (parts) (cons 'stop parts))))
     ((and (eq? op 'procedure?) (eq? (shape (car times)) 'f))
      (static-operation 'pair? arguments times))
     (else (static-operation op arguments times)))))

(define (static-operation op arguments times)
  (named-operands
   (map annotate arguments)
   times
   (lambda (parts)
     (cons (cdr (assv (length parts) '((1 . p1) (2 . p2) (3 . p3)))) (cons op parts)))))

;; A pair or record with code in it: the code gets a name, since it may be used many times.
(define (known-data type arguments time build)
  (let loop ((arguments arguments)
             (times (part-times (node-of time) type))
             (parts '()))
    (if (null? arguments)
        (build (reverse parts))
        (named-part (car arguments) (car times)
                    (lambda (part) (loop (cdr arguments) (cdr times) (cons part parts)))))))

(define (named-part e time build)
  (let ((part (coerced e time)))
    (if (and (dynamic? time) (not (trivial? part)))
        (let ((x (new-variable time)))
          (list 'dlet x part (build (list 'var x))))
        (named-operand part time build))))

(define (annotate-lambda e)
  (cond ((not (dynamic? (time-of e))) (annotate-closure e))
        ((list-ref e 7) (list 'operation (list-ref e 7)))
        (else (annotate-residual e))))

(define (annotate-closure e)
  (let* ((label (car (caddr e)))
         (spread (cadr (caddr e)))
         (variables (if spread (list (car spread)) (variable-list (cadddr e))))
         (times (if spread (list (cadr spread)) (list-ref e 4)))
         (body (begin
                 (for-each declare! variables times)
                 (coerced (if spread (caddr spread) (list-ref e 6)) (list-ref e 5)))))
    (let ((free (without variables (free-variables body))))
      (set! closures
            (cons (list label
                        free
                        (map (lambda (x) (type-of (cdr (assq x scope)))) free)
                        variables
                        (map parameter-kind times)
                        body)
                  closures))
      (list 'clo label free))))

(define (annotate-residual e)
  (for-each declare! (variable-list (cadddr e)) (list-ref e 4))
  (let* ((label (car (caddr e)))
         (body (as-code (list-ref e 6)))
         (free (free-variables body)))
    (add-point! label free body)
    (list 'dlam (cadddr e) label free)))

(define (parameter-kind time) (if (dynamic? time) 'd 's))

(define (annotate-application e)
  (let* ((function (caddr e))
         (parts (cons function (cadddr e)))
         (from (time-of function)))
    (cond
     ((dynamic? from) (cons 'dapp (map as-code parts)))
     ((and (eq? (time-kind from) 'f) (convention (node-of from))) (known-application parts))
     ((eq? (time-kind from) 'f) (known-application (list function ((list-ref e 4)))))
     (else
      (named-operands (map annotate parts) (map time-of parts)
                      (lambda (parts) (cons 'app (cons '() parts))))))))

(define (known-application parts)
  (let* ((from (time-of (car parts)))
         (node (node-of from)))
    (annotate-to parts
                 (cons from (parameter-list node))
                 (lambda (parts)
                   (cons 'app (cons (map car (closure-node-labels node)) parts))))))

(define (annotate-apply function items)
  (let ((from (time-of function)))
    (cond ((dynamic? from) (list 'deffect 'apply (as-code function) (as-code items)))
          ((eq? (time-kind from) 'f) (known-application (list function items)))
          (else
           (named-operand (annotate function) from (lambda (part) (list 'app '() part)))))))

(include "free.scm")

;; Labels for lambda expressions, by the function they stand in.
(define (label-lambdas! timed)
  (case (car timed)
    ((quote var global) #f)
    ((app)
     (label-lambdas! (caddr timed))
     (for-each label-lambdas! (cadddr timed)))
    ((lambda)
     (set-car! (caddr timed) (new-label))
     (set! lambdas (cons (cons (car (caddr timed)) timed) lambdas))
     (label-lambdas! (list-ref timed 6)))
    ((let)
     (label-lambdas! (cadddr timed))
     (label-lambdas! (list-ref timed 4)))
    ((prim effect call) (for-each label-lambdas! (cdddr timed)))
    (else (for-each label-lambdas! (cddr timed)))))

(define (annotate-function function)
  (set! current (car function))
  (set! scope (map cons (cadr function) (caddr function)))
  (list (car function)
        (cadr function)
        (map parameter-kind (caddr function))
        (coerced (list-ref function 4) (cadddr function))))

;; A value that the residual program makes once is a memo point.
(define (annotate-once! function)
  (set! current (car function))
  (set! scope '())
  (add-point! (car function) '() (list 'once (as-code (list-ref function 4)))))

(define (once? function)
  (and (memq (car function) globals) (dynamic? (cadddr function))))

;; Annotate all, again when more functions turn out to need bindings around their values; such a
;; value that is made once is left to the residual program.
(define (annotate-program entry variables times start)
  (set! points '())
  (set! closures '())
  (set! counter start)
  (find-alike!)
  (let* ((functions (remove (lambda (f) (assq (car f) alike)) (reverse reached)))
         (annotated (map annotate-function (remove once? functions)))
         (found (append (floating-names annotated 4) (floating-names closures 6)))
         (effectful (select-common found globals)))
    (for-each annotate-once! (remove (lambda (f) (not (once? f))) functions))
    (cond
     ((pair? effectful)
      (for-each (lambda (name) (make-dynamic! (cadddr (assq name reached)))) effectful)
      (solve-all!)
      (set! floating '())
      (annotate-program entry variables times counter))
     ((> (length found) (length floating))
      (set! floating found)
      (annotate-program entry variables times start))
     (else
      (set! current entry)
      (set! scope (map cons variables times))
      (add-point! entry variables
                  (as-code (infer-call entry variables times)))
      (list annotated
            (reverse closures)
            (reverse points)
            (type-table-closed)
            (remove (lambda (name) (not (once? (assq name reached)))) globals))))))

(define (remove out? items)
  (cond ((null? items) '())
        ((out? (car items)) (remove out? (cdr items)))
        (else (cons (car items) (remove out? (cdr items))))))

(define (select-common xs others)
  (remove (lambda (x) (not (memq x others))) xs))

(define (infer-call entry variables times)
  (cons 'call
        (cons (cadddr (assq entry reached))
              (cons entry
                    (map (lambda (x time) (list 'var time x)) variables times)))))

;; Of functions or closures, SIZE items each with the body last, those whose value may float.
(define (floating-names items size)
  (cond ((null? items) '())
        ((floats-value? (car items) size)
         (cons (car (car items)) (floating-names (cdr items) size)))
        (else (floating-names (cdr items) size))))

(define (floats-value? item size)
  (let ((result (if (= size 4)
                    (cadddr (assq (car item) reached))
                    (list-ref (lambda-labelled (car item)) 5))))
    (and (not (dynamic? result)) (floats? (list-ref item (- size 1))))))

(define (type-table-closed)
  (let ((table (type-table 0)))
    (if (= (length table) (length types)) table (type-table-closed))))
