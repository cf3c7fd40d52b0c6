;;; The specializer, in the language and in the subset that it specialises itself.
;;;
;;; It takes an annotated program (bta.scm makes it), the known arguments, and gives a residual
;;; program.  Everything a program does is decided by annotations; values here are
;;;
;;;     type s    the datum itself
;;;     type d    code
;;;     a pair    a pair of values, or a datum that is no pair
;;;     a record  an instance, a pair of values, or a datum that is neither
;;;     closure   (label value ...), the values of its free variables
;;;
;;;     program ::= (functions closures points types once)
;;;     function ::= (name (variable ...) (kind ...) body)          kind: d or s
;;;     closure  ::= (label (free ...) (type ...) (variable ...) (kind ...) body)
;;;     point    ::= (label (free ...) (type ...) body)
;;;     once     ::= (label ...)                  points of values that are made once, in order
;;;     type     ::= s | d | a number, looked up:  (number p type type) | (number f label ...)
;;;                | (number r (record type ...) ...)      record: (name field ...), `cons`, or
;;;                                                       `vector`, with one type for all items
;;;
;;;     e ::= (var x) | (const c) | (lift e) | (p1 op e) | (p2 op e e) | (p3 op e e e)
;;;         | (dprim op e ...) | (sif e e e) | (dif e e e) | (cif e e e) | (memo label (free ...))
;;;                                               cif: the code of the test may be a constant
;;;         | (fork e e e)                        an unknown test between values that are not code
;;;         | (let x e e) | (dlet x e e) | (klet x e e) | (call f e ...)
;;;         | (clo label (free ...)) | (app (label ...) e e ...)
;;;         | (dlam (x ...) label (free ...)) | (dlam x label (free ...))    free: of the body
;;;         | (dapp e ...) | (deffect op e ...) | (once e) | (kept e) | (operation op)
;;;         | (make record e ...) | (field record n e) | (is record e)
;;;         | (raise type e) | (residualize type e) | (stop e ...)
;;;
;;;     code ::= (quote c) | (var x n) | (if code code code) | (let (var x n) code code)
;;;            | (prim op code ...) | (effect op code ...) | (call key code ...)
;;;            | (lambda ((var x n) ...) code) | (lambda (var x n) code) | (app code code ...)
;;;            | (operation op)
;;;            | (once code)           the whole body of a value that is made once
;;;            | (kept code)           of a function that shall stay one
;;;
;;; A memo point (memo) becomes the call of a residual function that is named by its key: the
;;; point's label and the static parts of its free variables.  The main procedure makes residual
;;; functions until no key is new, and puts numbers for the keys.
;;;
;;; Nothing that is known is ever changed.  What changes data, or reads data that may be changed,
;;; or writes output, is an effect: it is always code, and a `dlet` (or the place of an operand)
;;; keeps it in its order among other code.
;;;
;;; Source: Jones, Gomard and
;;; Sestoft, "Partial Evaluation and Automatic Program Generation" (1993), chapters 4, 5 and 10;
;;; Bondorf, "Improving binding times without explicit CPS-conversion" (1992) for `spec-with`.

(define (functions program) (car program))
(define (closures program) (cadr program))
(define (points program) (caddr program))
(define (types program) (cadddr program))
(define (once program) (car (cddddr program)))

;; A record with parts that are not all known.
(define-record-type instance
  (make-instance type parts)
  instance?
  (type instance-type)
  (parts instance-parts))

;; The residual program: a list of (number label (variable ...) code), the entry first.
;; STATICS has an item for each parameter of the entry: what is known of it.  A memo point may
;; have up to about LIMIT versions; the label of one that would have more, or of which they grow
;; and grow, is the result.
(define (mix program entry limit statics)
  (let ((state (intern-all (once program) (cdr (intern (cons entry statics) (list '() 0))))))
    (make-functions (reverse (cddr state)) state (lift '()) program limit)))

(define (intern-all labels state)
  (if (null? labels)
      state
      (intern-all (cdr labels) (cdr (intern (list (car labels)) state)))))

;; STATE is (table count pending ...); a pending item is (number key).
(define (make-functions pending state made program limit)
  (cond ((null? pending) (reverse made))
        ((no-end? (car (car pending)) (assq (car (cadr (car pending))) (car state)) limit)
         (car (cadr (car pending))))
        (else
         (let* ((item (car pending))
                (function (spec-point (cadr item) (points program) program))
                (numbered (number-code (cadr function)
                                       (cons (car state) (cons (cadr state) (cdr pending)))))
                (after (cdr numbered)))
           (make-functions (cddr after)
                           after
                           (cons (list (car item) (car (cadr item)) (car function) (car numbered))
                                 made)
                           program
                           limit)))))

;; Are there too many versions?  At every 64th it is seen whether new ones set new records of size,
;; and at the 32nd whether all do, by more than what a program nests.
(define (no-end? number bucket limit)
  (if (> (length bucket) limit)
      #t
      (let* ((versions (from-version number (cdr bucket)))
             (count (length versions)))
        (cond ((= (remainder count 64) 0) (> (car (all-records versions)) 16))
              ((= count 32)
               (let ((found (all-records versions)))
                 (if (= (car found) 31) (> (cdr found) 500) #f)))
              (else #f)))))

(define (all-records versions) (records versions (car (car (reverse versions)))))

;; The version of that number and those before.
(define (from-version number versions)
  (if (= number (cdr (car versions))) versions (from-version number (cdr versions))))

;; How often a version was larger than all before, and the largest size; the last one comes first.
;; What all have in common, as the program is, does not count.
(define (records versions first)
  (if (null? (cdr versions))
      '(0 . 0)
      (let ((before (records (cdr versions) first))
            (size (size-beyond (car (car versions)) first)))
        (if (> size (cdr before)) (cons (+ (car before) 1) size) before))))

(define (size-beyond datum other)
  (cond ((eq? datum other) 0)
        ((pair? datum)
         (if (pair? other)
             (+ (+ 1 (size-beyond (car datum) (car other))) (size-beyond (cdr datum) (cdr other)))
             (+ (+ 1 (size-beyond (car datum) '())) (size-beyond (cdr datum) '()))))
        ((vector? datum) (size-beyond (vector->list datum) '()))
        ((string? datum) (string-length datum))
        (else 0)))

;; Numbers for the keys in code: (code . state).
(define (number-code code state)
  (let ((tag (car code)))
    (cond ((eq? tag 'var) (cons code state))
          ((eq? tag 'quote) (cons code state))
          ((eq? tag 'operation) (cons code state))
          ((eq? tag 'prim) (after-head code (number-all (cddr code) state)))
          ((eq? tag 'effect) (after-head code (number-all (cddr code) state)))
          ((eq? tag 'if) (after-tag code (number-all (cdr code) state)))
          ((eq? tag 'let) (after-head code (number-all (cddr code) state)))
          ((eq? tag 'lambda) (after-head code (number-all (cddr code) state)))
          ((eq? tag 'call) (number-call code (number-all (cddr code) state)))
          (else (after-tag code (number-all (cdr code) state))))))

(define (after-head code numbered)
  (cons (cons (car code) (cons (cadr code) (car numbered))) (cdr numbered)))

(define (after-tag code numbered)
  (cons (cons (car code) (car numbered)) (cdr numbered)))

(define (number-all codes state)
  (if (null? codes)
      (cons '() state)
      (let* ((first (number-code (car codes) state))
             (rest (number-all (cdr codes) (cdr first))))
        (cons (cons (car first) (car rest)) (cdr rest)))))

(define (number-call code numbered)
  (let ((found (intern (cadr code) (cdr numbered))))
    (cons (cons 'call (cons (car found) (car numbered))) (cdr found))))

;; The number of a key: (number . state).  The table is ((label (statics . number) ...) ...).
(define (intern key state)
  (let* ((bucket (assq (car key) (car state)))
         (entry (if bucket (assoc (cdr key) (cdr bucket)) #f)))
    (if entry
        (cons (cdr entry) state)
        (let* ((number (cadr state))
               (new (cons (cdr key) number)))
          (cons number
                (cons (if bucket
                          (put-entry (car key) new (car state))
                          (cons (list (car key) new) (car state)))
                      (cons (+ number 1) (cons (list number key) (cddr state)))))))))

(define (put-entry label entry table)
  (if (eq? label (car (car table)))
      (cons (cons label (cons entry (cdr (car table)))) (cdr table))
      (cons (car table) (put-entry label entry (cdr table)))))

;; The function of a key: (variables code).
(define (spec-point key points program)
  (cond ((null? points) (error "no such memo point:" (car key)))
        ((eq? (car key) (car (car points)))
         (let ((point (car points)))
           (enter-point (cadr point) (caddr point) (cdr key) '() 0 program point)))
        (else (spec-point key (cdr points) program))))

(define (enter-point free kinds statics env n program point)
  (if (null? free)
      (list (memo-arguments (cadr point) (caddr point) env program)
            (spec (cadddr point) env n program))
      (let ((type (car kinds)))
        (cond ((eq? type 's)
               (let ((value (car statics)))
                 (enter-point (cdr free) (cdr kinds) (cdr statics)
                              (cons (cons (car free) value) env) n program point)))
              ((eq? type 'd)
               (let ((value (list 'var (car free) n)))
                 (enter-point (cdr free) (cdr kinds) (cdr statics)
                              (cons (cons (car free) value) env) (+ n 1) program point)))
              (else
               (let* ((built (rebuild (car statics) type (car free) n program))
                      (value (car built)))
                 (enter-point (cdr free) (cdr kinds) (cdr statics)
                              (cons (cons (car free) value) env) (cdr built) program point)))))))

;; The value of an expression; LEVEL is the number of the next residual variable.
(define (spec e env level program)
  (let ((tag (car e)))
    (cond
     ((eq? tag 'var) (lookup (cadr e) env))
     ((eq? tag 'const) (cadr e))
     ((eq? tag 'lift) (list 'quote (spec (cadr e) env level program)))
     ((eq? tag 'p1) (apply-1 (cadr e) (spec (caddr e) env level program)))
     ((eq? tag 'p2)
      (apply-2 (cadr e)
               (spec (caddr e) env level program)
               (spec (cadddr e) env level program)))
     ((eq? tag 'sif)
      (if (spec (cadr e) env level program)
          (spec (caddr e) env level program)
          (spec (cadddr e) env level program)))
     ((eq? tag 'call)
      (let ((function (assq (cadr e) (functions program))))
        (unfold (cadr function) (caddr function) (cddr e) env '() level program
                (cadddr function))))
     ((eq? tag 'dprim) (cons 'prim (cons (cadr e) (spec-all (cddr e) env level program))))
     ((eq? tag 'memo) (memo (cadr e) (caddr e) env program))
     ((eq? tag 'let)
      (let ((value (spec (caddr e) env level program)))
        (spec (cadddr e) (cons (cons (cadr e) value) env) level program)))
     ((eq? tag 'dlet)
      (let* ((value (spec (caddr e) env level program))
             (code (name (cadr e) level value)))
        (wrap code value
              (spec (cadddr e) (cons (cons (cadr e) code) env) (+ level 1) program))))
     ((eq? tag 'dif) (cons 'if (spec-all (cdr e) env level program)))
     ((eq? tag 'cif)
      (let ((test (spec (cadr e) env level program)))
        (list 'if test
              (arm test #t (caddr e) env level program)
              (arm test #f (cadddr e) env level program))))
     ((eq? tag 'clo) (cons (cadr e) (values-of (caddr e) env)))
     ((eq? tag 'app)
      (let ((closure (spec (caddr e) env level program)))
        (apply-closure (cadr e) closure (cdddr e) env level program)))
     ((eq? tag 'dlam)
      (if (symbol? (cadr e))
          (residual-procedure (cadr e) (caddr e) (cadddr e) env level program)
          (residual-lambda (cadr e) (caddr e) (cadddr e) env '() level program)))
     ((eq? tag 'deffect) (cons 'effect (cons (cadr e) (spec-all (cddr e) env level program))))
     ((eq? tag 'field)
      (field (spec (cadddr e) env level program) (cadr e) (caddr e)))
     ((eq? tag 'is) (of-type? (spec (caddr e) env level program) (cadr e)))
     ((eq? tag 'make) (make-instance (cadr e) (spec-parts (cddr e) env level program)))
     ((eq? tag 'operation) (list 'operation (cadr e)))
     ((eq? tag 'once) (list 'once (spec (cadr e) env level program)))
     ((eq? tag 'kept) (list 'kept (spec (cadr e) env level program)))
     ((eq? tag 'dapp) (cons 'app (spec-all (cdr e) env level program)))
     ((eq? tag 'klet)
      (spec-with (caddr e) env level program
                 (lift (lambda (value level)
                         (spec (cadddr e) (cons (cons (cadr e) value) env) level program)))))
     ((eq? tag 'raise) (raise-datum (spec (caddr e) env level program) (cadr e) program))
     ((eq? tag 'residualize) (residualize (spec (caddr e) env level program) (cadr e) program))
     ((eq? tag 'p3)
      (apply-3 (cadr e)
               (spec (caddr e) env level program)
               (spec (cadddr e) env level program)
               (spec (car (cddddr e)) env level program)))
     ((eq? tag 'stop)
      (error (spec (cadr e) env level program) (spec-all (cddr e) env level program)))
     (else (error "an annotation is not known:" tag)))))

(define (spec-all es env level program)
  (if (null? es)
      '()
      (cons (spec (car es) env level program) (spec-all (cdr es) env level program))))

;; The code of an arm, if the test's does not say already that it is another one: then a constant.
(define (arm test truth e env level program)
  (if (decided? test (not truth))
      (lift '(quote #f))
      (spec e env level program)))

;; The same, of an arm whose value is not code.
(define (arm-with test truth e env level program k)
  (if (decided? test (not truth))
      (lift '(quote #f))
      (spec-with e env level program k)))

(define (decided? test truth)
  (if (eq? (car test) 'quote)
      (eq? (not (cadr test)) (not truth))
      #f))

;; The parts of a record: values, not all of them code.
(define (spec-parts es env level program)
  (if (null? es)
      '()
      (cons (spec (car es) env level program) (spec-parts (cdr es) env level program))))

;; The same for an expression whose value is not code but needs residual bindings around it: K
;; takes the value and the level and gives code; the bindings are put around that.
(define (spec-with e env level program k)
  (let ((tag (car e)))
    (cond
     ((eq? tag 'sif)
      (if (spec (cadr e) env level program)
          (spec-with (caddr e) env level program k)
          (spec-with (cadddr e) env level program k)))
     ((eq? tag 'call)
      (let ((function (assq (cadr e) (functions program))))
        (unfold-with (cadr function) (caddr function) (cddr e) env '() level program
                     (cadddr function) k)))
     ((eq? tag 'let)
      (let ((value (spec (caddr e) env level program)))
        (spec-with (cadddr e) (cons (cons (cadr e) value) env) level program k)))
     ((eq? tag 'dlet)
      (let* ((value (spec (caddr e) env level program))
             (code (name (cadr e) level value)))
        (wrap code value
              (spec-with (cadddr e) (cons (cons (cadr e) code) env) (+ level 1) program k))))
     ((eq? tag 'klet)
      (spec-with (caddr e) env level program
                 (lift (lambda (value level)
                         (spec-with (cadddr e) (cons (cons (cadr e) value) env) level program
                                    k)))))
     ((eq? tag 'app)
      (let ((closure (spec (caddr e) env level program)))
        (apply-closure-with (cadr e) closure (cdddr e) env level program k)))
     ((eq? tag 'fork)
      (let ((test (spec (cadr e) env level program)))
        (list 'if test
              (arm-with test #t (caddr e) env level program k)
              (arm-with test #f (cadddr e) env level program k))))
     (else (k (spec e env level program) level)))))

;; Code that may be put at several places: a variable or a constant stands for itself.
(define (trivial? code)
  (let ((tag (car code)))
    (if (eq? tag 'var) #t (eq? tag 'quote))))

(define (name x level code)
  (name-code (lift x) level code))

(define (name-code x level code)
  (cond ((trivial? code) code)
        ((> level 5000) (error "more residual variables in one function than 5000; one is" x))
        (else (list 'var x level))))

(define (wrap variable code body)
  (if (trivial? code) body (list 'let variable code body)))

(define (lookup x env)
  (if (eq? x (car (car env)))
      (cdr (car env))
      (lookup x (cdr env))))

(define (values-of xs env)
  (if (null? xs)
      '()
      (cons (lookup (car xs) env) (values-of (cdr xs) env))))

;; Calls: arguments that are code get a name, the body is specialised in their place.
(define (unfold variables kinds arguments env new level program body)
  (if (null? variables)
      (spec body new level program)
      (let ((value (spec (car arguments) env level program)))
        (if (eq? (car kinds) 'd)
            (let ((code (name (car variables) level value)))
              (wrap code value
                    (unfold (cdr variables) (cdr kinds) (cdr arguments) env
                            (cons (cons (car variables) code) new) (+ level 1) program body)))
            (unfold (cdr variables) (cdr kinds) (cdr arguments) env
                    (cons (cons (car variables) value) new) level program body)))))

(define (unfold-with variables kinds arguments env new level program body k)
  (if (null? variables)
      (spec-with body new level program k)
      (let ((value (spec (car arguments) env level program)))
        (if (eq? (car kinds) 'd)
            (let ((code (name (car variables) level value)))
              (wrap code value
                    (unfold-with (cdr variables) (cdr kinds) (cdr arguments) env
                                 (cons (cons (car variables) code) new) (+ level 1) program body
                                 k)))
            (unfold-with (cdr variables) (cdr kinds) (cdr arguments) env
                         (cons (cons (car variables) value) new) level program body k)))))

;; A static closure is one of the labels; the last needs no test.
(define (apply-closure labels closure arguments env level program)
  (cond ((null? labels) (error "a procedure was expected, got" closure))
        ((null? (cdr labels))
         (enter-closure (assq (car labels) (closures program)) closure arguments env level program))
        ((eq? (car closure) (car labels))
         (enter-closure (assq (car labels) (closures program)) closure arguments env level program))
        (else (apply-closure (cdr labels) closure arguments env level program))))

(define (enter-closure entry closure arguments env level program)
  (bind-free (cadr entry) (cdr closure) '() entry arguments env level program))

(define (bind-free free values new entry arguments env level program)
  (if (null? free)
      (let ((rest (cdddr entry)))
        (unfold (car rest) (cadr rest) arguments env new level program (caddr rest)))
      (let ((value (car values)))
        (bind-free (cdr free) (cdr values) (cons (cons (car free) value) new) entry arguments env
                   level program))))

(define (apply-closure-with labels closure arguments env level program k)
  (cond ((null? labels) (error "a procedure was expected, got" closure))
        ((null? (cdr labels))
         (enter-closure-with (assq (car labels) (closures program)) closure arguments env level
                             program k))
        ((eq? (car closure) (car labels))
         (enter-closure-with (assq (car labels) (closures program)) closure arguments env level
                             program k))
        (else (apply-closure-with (cdr labels) closure arguments env level program k))))

(define (enter-closure-with entry closure arguments env level program k)
  (bind-free-with (cadr entry) (cdr closure) '() entry arguments env level program k))

(define (bind-free-with free values new entry arguments env level program k)
  (if (null? free)
      (let ((rest (cdddr entry)))
        (unfold-with (car rest) (cadr rest) arguments env new level program (caddr rest) k))
      (let ((value (car values)))
        (bind-free-with (cdr free) (cdr values) (cons (cons (car free) value) new) entry arguments
                        env level program k))))

(define (residual-lambda variables label free env made level program)
  (if (null? variables)
      (list 'lambda (reverse made) (memo label free env program))
      (let ((code (list 'var (car variables) level)))
        (residual-lambda (cdr variables) label free (cons (cons (car variables) code) env)
                         (cons code made) (+ level 1) program))))

;; One that takes a list of arguments.
(define (residual-procedure variable label free env level program)
  (let ((code (list 'var variable level)))
    (list 'lambda code (memo label free (cons (cons variable code) env) program))))

;; Records.  A value of a type with records is looked at row by row: SOME is given the record, the
;; parts and their types of the row that fits, NONE the value if none does.
(define (with-row value rows none some)
  (cond ((null? rows) (none value))
        ((of-type? value (car (car rows)))
         (some (car (car rows)) (parts-of value (car (car rows))) (cdr (car rows))))
        (else (with-row value (cdr rows) none some))))

(define (of-type? value record)
  (cond ((eq? record 'cons) (pair? value))
        ((eq? record 'vector) (vector? value))
        ((instance? value) (equal? (instance-type value) record))
        (else #f)))

(define (parts-of value record)
  (cond ((eq? record 'cons) (list (car value) (cdr value)))
        ((eq? record 'vector) (vector->list value))
        (else (instance-parts value))))

(define (made-of record parts)
  (cond ((eq? record 'cons) (cons (car parts) (cadr parts)))
        ((eq? record 'vector) (list->vector parts))
        (else (make-instance record parts))))

(define (field value record n)
  (if (of-type? value record)
      (list-ref (instance-parts value) n)
      (error "expected a record of another type:" (car record))))

(define (record-name record)
  (if (symbol? record) record (car record)))

(include "memo.scm")

(include "residualize.scm")

;; The operations: apply-1, apply-2, apply-3.
(include "operations.scm")
