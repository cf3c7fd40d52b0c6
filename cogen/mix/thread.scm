;;; Program of the small language -> the same, where variables that are assigned, and vectors that
;;; are changed, are values: so they may be known.
;;;
;;;     (let n (effect make-cell (var s))                            (let n (var s)
;;;       (let %seq (effect cell-set! (var n) (prim + ...n... 1))      (let n%%1 (prim + (var n) 1)
;;;         (call f (var n))))                                           (call f (var n%%1))))
;;;
;;; A variable has a new name after each assignment.  Where an arm of a conditional assigns, what
;;; follows is a procedure of the variables that may have changed.  A procedure that may assign what
;;; its caller reads afterwards takes what follows as its last argument:
;;;
;;;     (let y (call pop (var stack)) (call g (var y) (var stack)))
;;;     (pop (s) (let x (prim car (effect cell-ref (var s)))
;;;                (let %seq (effect cell-set! (var s) (prim cdr ...)) (var x))))
;;; ->
;;;     (call pop (var stack) (lambda (y stack%%1) (call g (var y) (var stack%%1))))
;;;     (pop (s k) (let x (prim car (var s))
;;;                  (let s%%2 (prim cdr (var s)) (app (var k) (var x) (var s%%2)))))
;;;
;;; A vector is the list of its items then.  This is done for variables that are only read, assigned
;;; and passed to procedures (of which each parameter is only passed such), in no `lambda` but where
;;; they are bound and those that `lower.scm` makes procedures of; not in programs with `call/cc`,
;;; by which an old value could come back; and not if nothing is won: LEFT are the names of
;;; variables that stay.
;;;
;;; Source: Appel, "SSA is functional programming" (1998); Kelsey, "A correspondence between
;;; continuation passing style and static single assignment form" (1995).

;; A variable: KIND is `cell` or `vector`, HOME the `lambda` or item that binds it, ROOT? tells
;; whether it is no parameter, WRITTEN? whether it may be changed through it, SPOILT? whether it
;; stays as it is; TO are the parameters that it is passed to, FROM the variables passed to it.
(define-record-type slot
  (make-slot name kind home root? written? spoilt? leaves? to from)
  slot?
  (name slot-name)
  (kind slot-kind)
  (home slot-home set-slot-home!)
  (root? slot-root?)
  (written? slot-written? set-slot-written!)
  (spoilt? slot-spoilt? set-slot-spoilt!)
  (leaves? slot-leaves? set-slot-leaves!)
  (to slot-to set-slot-to!)
  (from slot-from set-slot-from!))

(define slots '())              ; ((variable . slot) ...)

;; Variables that procedures give back: ((procedure parameter ...) ...).
(define returned '())

;; Parameters of procedures that should be known, and the variables that stay if they are not:
;; ((procedure (parameter-number ...) variable ...) ...).
(define watched '())

(define threaded '())           ; the program, as it is threaded
(define most-items 32)          ; a vector of more is left as it is

(define (thread program entry left)
  (set! watched '())
  (set! returned '())
  (set! slots '())
  (set! renamed-variables '())
  (set! localized '())
  (if (or (not (changes? '(cell-set! vector-set! vector-fill!) program))
          (changes? '(call/cc call-with-current-continuation) program))
      program
      (let ((own (localize program entry left)))
        (find-slots! own left)
        (let ((lowered (lower own (lambda (x) (pair? (assq x slots))))))
          (find-slots! lowered left)
          (set! threaded lowered)
          (for-each (lambda (item) (scan! (caddr item) (car item))) lowered)
          (for-each (lambda (x) (spoil! (slot-named x))) (cadr (assq entry lowered)))
          (find-written!)
          (find-returned!)
          (let ((spoilt (spoilt-roots)))
            (if (pair? spoilt)
                (thread program entry (append spoilt left))
                (thread-program lowered)))))))

;; What the roots are called in the program as it was.
(define (origin x)
  (cond ((assq x renamed-variables) => (lambda (found) (origin (cdr found))))
        ((assq x localized) => cdr)
        (else x)))

(define (spoilt-roots)
  (map (lambda (pair) (origin (car pair)))
       (keep (lambda (pair) (and (slot-root? (cdr pair)) (slot-spoilt? (cdr pair)))) slots)))

(define (keep ok? items) (remove (lambda (item) (not (ok? item))) items))

(include "slots.scm")

;; The program

(define (thread-program program)
  ;; Copies of procedures for vectors come to SOURCE (infer.scm).
  (set! source '())
  (let ((made (map thread-item program)))
    (append made source)))

(define (thread-item item)
  (let ((name (car item)))
    (if (null? (returned-by name))
        (list name (cadr item) (thread-expression (caddr item) (own-environment item)
                                                  (list 'tail #f name)))
        (let ((k (numbered-name 'k)))
          (watch-times! name (indices-of (in-order name) (cadr item)) (in-order name))
          (list name
                (append (cadr item) (list k))
                (thread-expression (caddr item) (own-environment item)
                                   (cons 'tail (cons k (cons name (in-order name))))))))))

;; The variables that a procedure gives back, in order of its parameters.
(define (in-order name)
  (let ((xs (returned-by name)))
    (if (null? xs) '() (keep (lambda (x) (memq x xs)) (cadr (assq name threaded))))))

(define (indices-of xs variables)
  (map (lambda (x) (place-of x variables)) xs))

;; Where variables are: ((variable . its name now) ...).
(define (own-environment item)
  (if (pair? (cadr item))
      (map (lambda (x) (cons x x)) (keep slot-named (cadr item)))
      '()))

(define (now x env) (cdr (assq x env)))

;; Does an expression change variables that are read afterwards?
(define (state? e)
  (case (car e)
    ((var quote global operation lambda) #f)
    ((call) (or (pair? (returned-by (cadr e))) (any? state? (cddr e))))
    (else (or (and (accessed e) (writes? e) #t) (any? state? (parts-of-expression e))))))

;; K is what follows: a procedure of a value and of an environment, to be applied once, or
;; (tail k procedure variable ...), where what is to be given back is given to the variable k.
(define (continue k e env)
  (cond ((procedure? k) (k e env))
        ((cadr k)
         (cons 'app
               (cons (list 'var (cadr k))
                     (cons e (map (lambda (x) (list 'var (now x env))) (cdddr k))))))
        (else e)))

(define (thread-expression e env k)
  (if (not (state? e))
      (plain-or-tail e env k)
      (case (car e)
        ((if)
         (thread-expression (cadr e) env
                            (lambda (test env)
                              (thread-arms test (caddr e) (cadddr e) env k))))
        ((let) (thread-let e env k))
        ((call)
         (thread-all (cddr e) env
                     (lambda (arguments env) (thread-call (cadr e) arguments env k))))
        (else
         (let ((slot (accessed e)))
           (if (and slot (writes? e))
               (thread-all (cdddr e) env
                           (lambda (values env)
                             (assign slot (cadr e) (leaving values env) env k)))
               (thread-parts e env k)))))))

;; What changes nothing: within a tail, calls must stay there.
(define (plain-or-tail e env k)
  (if (procedure? k)
      (continue k (plain e env) env)
      (case (car e)
        ((let)
         (let ((inner (if (slot-named (cadr e)) (cons (cons (cadr e) (cadr e)) env) env)))
           (list 'let (cadr e) (plain-value e env) (plain-or-tail (cadddr e) inner k))))
        ((if)
         (list 'if (plain (cadr e) env)
               (plain-or-tail (caddr e) env k)
               (plain-or-tail (cadddr e) env k)))
        (else (continue k (plain e env) env)))))

(define (plain-value e env)
  (if (slot-named (cadr e))
      (apply first-value (fresh-parts (caddr e) (lambda (e) (plain e env))))
      (plain (caddr e) env)))

(define (thread-let e env k)
  (let ((x (cadr e))
        (value (caddr e)))
    (if (slot-named x)
        (thread-all (cddr value) env
                    (lambda (parts env)
                      (list 'let x (first-value (cadr value) (leaving parts env))
                            (thread-expression (cadddr e) (cons (cons x x) env) k))))
        (thread-expression value env
                           (lambda (value env)
                             (let ((body (thread-expression (cadddr e) env k)))
                               (if (and (eq? (car value) 'quote)
                                        (not (memq x (free-in (cadddr e) '()))))
                                   body
                                   (list 'let x value body))))))))

;; A variable in a list of values, of which it is seen later what it is then: (slot x).
(define (marked e) (if (slot-of e) (list 'slot (cadr e)) e))

;; Expressions in order; K takes their values and the environment after all.
(define (thread-all es env k)
  (cond ((null? es) (k '() env))
        ((slot-of (car es))
         (thread-all (cdr es) env (lambda (rest env) (k (cons (marked (car es)) rest) env))))
        (else
         (thread-expression
          (car es) env
          (lambda (first env)
            (if (and (any? state? (cdr es)) (not (memq (car first) '(var quote lambda global))))
                (let ((x (numbered-name 'v)))
                  (list 'let x first
                        (thread-all (cdr es) env
                                    (lambda (rest env) (k (cons (list 'var x) rest) env)))))
                (thread-all (cdr es) env (lambda (rest env) (k (cons first rest) env)))))))))

(define (thread-parts e env k)
  (let ((head? (memq (car e) '(prim effect)))
        (slot (accessed e)))
    (thread-all (if head? (cddr e) (cdr e)) env
                (lambda (parts env)
                  (let ((values (leaving parts env)))
                    (continue k
                              (cond (slot (read-now slot (cadr e) (cdr values) env))
                                    (head? (cons (car e) (cons (cadr e) values)))
                                    (else (cons (car e) values)))
                              env))))))

;; Vectors that are taken for what they are.
(define (leaving es env)
  (map (lambda (e)
         (if (eq? (car e) 'slot) (prim-of 'list->vector (list 'var (now (cadr e) env))) e))
       es))

;; Conditionals: what follows is one procedure for both arms.
(define (thread-arms test then otherwise env k)
  (cond
   ((not (procedure? k))
    (list 'if test (thread-expression then env k) (thread-expression otherwise env k)))
   ((not (or (state? then) (state? otherwise)))
    (k (list 'if test (plain then env) (plain otherwise env)) env))
   (else
    (let* ((changed (keep (lambda (x) (assq x env))
                          (both (changed-in then) (changed-in otherwise))))
           (join (numbered-name 'join))
           (arm (lambda (e)
                  (thread-expression
                   e env
                   (lambda (value env)
                     (cons 'app
                           (cons (list 'var join)
                                 (cons value
                                       (map (lambda (x) (list 'var (now x env))) changed)))))))))
      (list 'let join
            (with-values-of changed env k)
            (list 'if test (arm then) (arm otherwise)))))))

;; `(lambda (value variable ...) what-follows)`.
(define (with-values-of xs env k)
  (let* ((value (numbered-name 'v))
         (new (map numbered-name xs)))
    (list 'lambda (cons value new)
          (continue k (list 'var value) (append (map cons xs new) env)))))

(define (changed-in e)
  (case (car e)
    ((var quote global operation lambda) '())
    ((call)
     (both (changed-by-call (cddr e)
                            (cadr (assq (cadr e) threaded))
                            (returned-by (cadr e)))
           (changed-in-all (cddr e))))
    (else
     (let ((slot (accessed e))
           (inner (changed-in-all (parts-of-expression e))))
       (if (and slot (writes? e)) (both (list (slot-name slot)) inner) inner)))))

(define (changed-in-all es)
  (if (null? es) '() (both (changed-in (car es)) (changed-in-all (cdr es)))))

;; The variables that are passed for the parameters that come back, in order of these.
(define (changed-by-call arguments parameters back)
  (cond ((null? arguments) '())
        ((memq (car parameters) back)
         (cons (cadr (car arguments)) (changed-by-call (cdr arguments) (cdr parameters) back)))
        (else (changed-by-call (cdr arguments) (cdr parameters) back))))

;; Calls

(define (thread-call name arguments env k)
  (let ((passed (passed-values arguments (cadr (assq name threaded)) env))
        (changed (changed-by-call arguments (cadr (assq name threaded)) (returned-by name))))
    (cond ((null? (returned-by name)) (continue k (cons 'call (cons name passed)) env))
          ((and (not (procedure? k))
                (cadr k)
                (equal? changed (cdddr k))
                (comes-to? name (caddr k) threaded))
           (cons 'call (cons name (append passed (list (list 'var (cadr k)))))))
          (else
           (cons 'call
                 (cons name (append passed (list (with-values-of changed env k)))))))))

;; Arguments, where vectors that are known to the procedure as such are lists.
(define (passed-values arguments parameters env)
  (map (lambda (e x)
         (if (and (eq? (car e) 'slot) (slot-named x))
             (list 'var (now (cadr e) env))
             (car (leaving (list e) env))))
       arguments
       parameters))

;; May a procedure call another in turn, if it is not that itself?
(define (comes-to? name other program)
  (let loop ((new (list name)) (seen '()))
    (cond ((null? new) #f)
          ((eq? (car new) other) #t)
          ((memq (car new) seen) (loop (cdr new) seen))
          (else
           (loop (append (called-in (caddr (assq (car new) program))) (cdr new))
                 (cons (car new) seen))))))

(define (comes-to-itself? name program)
  (any? (lambda (called) (comes-to? called name program))
        (called-in (caddr (assq name program)))))

(define (called-in e)
  (let ((inner (apply append (map called-in (parts-of-expression e)))))
    (if (eq? (car e) 'call) (cons (cadr e) inner) inner)))

;; Operations on variables

(define (assign slot op values env k)
  (let* ((x (slot-name slot))
         (new (numbered-name x))
         (old (list 'var (now x env))))
    (list 'let new
          (case op
            ((cell-set!) (car values))
            ((vector-fill!)
             (vector-call slot filled-list (list (prim-of 'length old) (car values))))
            (else (vector-call slot item-changed (cons old values))))
          (continue k (list 'quote (if #f #f)) (cons (cons x new) env)))))

(define (read-now slot op arguments env)
  (let ((value (list 'var (now (slot-name slot) env))))
    (case op
      ((cell-ref) value)
      ((vector-length) (prim-of 'length value))
      (else (vector-call slot item-of (cons value arguments))))))

(define (prim-of op . arguments) (cons 'prim (cons op arguments)))

(define (fresh-parts e part)
  (list (cadr e) (map part (cddr e))))

;; What a variable is first.
(define (first-value op parts)
  (case op
    ((make-cell list->vector) (car parts))
    ((string->vector) (prim-of 'string->list (car parts)))
    (else
     (let ((name (add-copies! filled-list)))
       (cons 'call
             (cons name
                   (if (null? (cdr parts))
                       (list (car parts) (list 'quote (if #f #f)))
                       parts)))))))

;; What changes nothing, with variables as they are now.
(define (plain e env)
  (define (inner es) (map (lambda (e) (plain e env)) es))
  (case (car e)
    ((var) (car (leaving (list (marked e)) env)))
    ((quote global operation) e)
    ((let)
     (list 'let (cadr e) (plain-value e env)
           (plain (cadddr e)
                  (if (slot-named (cadr e)) (cons (cons (cadr e) (cadr e)) env) env))))
    ((lambda)
     (list 'lambda (cadr e) (thread-expression (caddr e) '() (list 'tail #f #f))))
    ((call)
     (cons 'call
           (cons (cadr e)
                 (passed-values (map (lambda (e) (if (slot-of e) (marked e) (plain e env)))
                                     (cddr e))
                                (cadr (assq (cadr e) threaded))
                                env))))
    ((prim effect)
     (let ((slot (accessed e)))
       (if slot
           (read-now slot (cadr e) (inner (cdddr e)) env)
           (cons (car e) (cons (cadr e) (inner (cddr e)))))))
    (else (cons (car e) (inner (cdr e))))))

;; A vector as the list of its items: each operation is a copy of these.
(define item-of
  '((item (l i)
     (if (prim pair? (var l))
         (if (prim = (var i) (quote 0))
             (prim car (var l))
             (call item (prim cdr (var l)) (prim - (var i) (quote 1))))
         (prim error (quote "vector-ref: the index is outside of the vector"))))))

(define item-changed
  '((changed (l i x)
     (if (prim pair? (var l))
         (if (prim = (var i) (quote 0))
             (prim cons (var x) (prim cdr (var l)))
             (let first (prim car (var l))
               (prim cons (var first)
                     (call changed (prim cdr (var l)) (prim - (var i) (quote 1)) (var x)))))
         (prim error (quote "vector-set!: the index is outside of the vector"))))))

(define filled-list
  '((filled (n x)
     (if (prim > (var n) (quote 0))
         (prim cons (var x) (call filled (prim - (var n) (quote 1)) (var x)))
         (quote ())))))

(define (vector-call slot procedures arguments)
  (let ((name (add-copies! procedures)))
    (watch-times! name '(0 1) (list (slot-name slot)))
    (cons 'call (cons name arguments))))

;; What was not worth it

(define (watch-times! name indices xs)
  (set! watched (cons (cons name (cons indices xs)) watched)))

;; After the analysis: the variables, by their names in the program, that procedures give back
;; though nothing is known of them, and those vectors of which size or index are not known.
(define (threaded-in-vain)
  (let loop ((left watched) (found '()))
    (if (null? left)
        found
        (let ((function (assq (car (car left)) reached)))
          (loop (cdr left)
                (if function
                    (both (vain-roots (cadr (car left)) (cddr (car left)) (caddr function)) found)
                    found))))))

(define (vain-roots indices xs times)
  (cond ((null? indices) '())
        ((dynamic? (list-ref times (car indices)))
         (both (roots-of (car xs))
               (vain-roots (cdr indices) (if (null? (cdr xs)) xs (cdr xs)) times)))
        (else (vain-roots (cdr indices) (if (null? (cdr xs)) xs (cdr xs)) times))))

;; The roots that are connected with a variable.
(define (roots-of x)
  (let loop ((new (list (slot-named x))) (seen '()) (found '()))
    (cond ((null? new) found)
          ((memq (car new) seen) (loop (cdr new) seen found))
          (else
           (let ((slot (car new)))
             (loop (append (slot-to slot) (slot-from slot) (cdr new))
                   (cons slot seen)
                   (if (slot-root? slot) (both (list (origin (slot-name slot))) found) found)))))))
