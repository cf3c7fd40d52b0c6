;;; Core, as data (subset.py writes it) -> the small language, or what is outside it.
;;;
;;;     forms   ::= ((define g e place) | (expression e place) ...)
;;;     e       ::= (const datum) | (local x place) | (global g place) | (primitive row place)
;;;               | (if e e e) | (let ((x e) ...) e) | (letrec ((x e) ...) e) | (seq e ...)
;;;               | (lambda (x ...) rest e place) | (call e (e ...) place)
;;;               | (set-local x e place) | (set-global g e place)
;;;     row     ::= (name kind least most fold identity unit count)
;;;     kind    ::= prim | effect | fresh | none       fresh: makes a string that may be changed
;;;
;;; Variables x and globals g are numbers: `names` and `assigned` have the name of each variable
;;; and whether it is assigned, `definitions` a #(name own? assigned? e row record?) for
;;; each global.  ROW is that of the operation which stands for a procedure of the library, or #f;
;;; RECORD? tells procedures that `define-record-type` defines, whose uses are operations.
;;;
;;; In an environment, a variable is at a place: a symbol, or (lifted name (x ...) count rest?), a
;;; local procedure that became one of the program and takes the variables x first.  A variable
;;; that is assigned is a cell.  A procedure with a rest parameter takes the list as its last.

(define definitions #f)
(define names #f)
(define assigned #f)
(define defined '())
(define functions '())
(define variable-counts '())
(define name-counts '())
;; What own parts of the program do: the names of record types that they may change, and the
;; constants that they compare by identity, which so must be one.
(define changed-records '())
(define compared '())

;; Procedures of the library that are being copied, with their names in the copy, and the place
;; in the program of the call that is the reason.
(define copies '())
(define copied-at #f)

;; Is a procedure copied that is left as it is?
(define left-copy? #f)
(define left-copies '())        ; ((g . name) ...)

;; Values of the library that the program has for itself, with their names: (g . name), and items.
(define library-names '())
(define library-items '())

(define refuse-to #f)

;; (program item ...), procedures first, or (refused what place).
(define (convert forms globals variables set-variables)
  (set! definitions globals)
  (set! names variables)
  (set! assigned set-variables)
  (set! defined '())
  (set! functions '())
  (set! variable-counts '())
  (set! name-counts '())
  (set! copies '())
  (set! copied-at #f)
  (set! left-copy? #f)
  (set! left-copies '())
  (set! library-names '())
  (set! library-items '())
  (set! changed-records '())
  (set! compared '())
  (for-each look-at-form! forms)
  (vector-for-each
   (lambda (definition)
     (if (own? definition)
         (set! name-counts (cons (cons (global-name definition) 1) name-counts))))
   definitions)
  (call/cc
   (lambda (return)
     (set! refuse-to return)
     (for-each convert-form forms)
     (let ((items (reverse functions)))
       (cons 'program
             (append (select items (lambda (item) (not (symbol? (cadr item)))))
                     (reverse library-items)
                     (select items (lambda (item) (symbol? (cadr item))))))))))

(define (global-name definition) (vector-ref definition 0))
(define (own? definition) (vector-ref definition 1))
(define (assigned-global? definition) (vector-ref definition 2))
(define (global-core definition) (vector-ref definition 3))
(define (global-row definition) (vector-ref definition 4))
(define (record-operation? definition) (vector-ref definition 5))

;; Operations that tell apart what looks alike, and how many of their operands they compare so:
;; infer.scm has them too.
(define comparing '((eq? . 2) (eqv? . 2) (memq . 1) (memv . 1) (assq . 1) (assv . 1)))

(define (look-at-form! form)
  (cond ((eq? (car form) 'expression) (look-at! (cadr form)))
        ((own? (vector-ref definitions (cadr form))) (look-at! (caddr form)))))

(define (look-at! e)
  (case (car e)
    ((const local global primitive) #f)
    ((if seq) (for-each look-at! (cdr e)))
    ((let letrec)
     (for-each (lambda (binding) (look-at! (cadr binding))) (cadr e))
     (look-at! (caddr e)))
    ((lambda) (look-at! (cadddr e)))
    ((call)
     (look-at-call! (called-name (cadr e)) (caddr e))
     (look-at! (cadr e))
     (for-each look-at! (caddr e)))
    (else (look-at! (caddr e)))))

(define (called-name function)
  (case (car function)
    ((primitive) (row-name (cadr function)))
    ((global) (global-name (vector-ref definitions (cadr function))))
    (else #f)))

(define (look-at-call! name arguments)
  (cond ((assq name comparing) => (lambda (found) (look-at-compared! arguments (cdr found))))
        ((and (eq? name 'record-set!) (pair? arguments) (eq? (car (car arguments)) 'const))
         (set! changed-records (cons (car (cadr (car arguments))) changed-records)))))

(define (look-at-compared! arguments count)
  (if (and (> count 0) (pair? arguments))
      (begin
        (if (and (eq? (car (car arguments)) 'global) (has-parts? (cadr (car arguments))))
            (set! compared (cons (cadr (car arguments)) compared)))
        (look-at-compared! (cdr arguments) (- count 1)))))

;; Is it a constant of which there may be several that look alike?
(define (has-parts? g)
  (let ((core (global-core (vector-ref definitions g))))
    (and (eq? (car core) 'const)
         (or (pair? (cadr core)) (vector? (cadr core)) (string? (cadr core))))))

(define (refuse what place)
  (refuse-to (list 'refused what (or copied-at place))))

(define (quoted symbol)
  (string-append "`" (symbol->string symbol) "`"))

(define (convert-form form)
  (if (eq? (car form) 'expression)
      (add-item! (new-name 'top) 'top (lambda () (expression (cadr form) '())))
      (let ((definition (vector-ref definitions (cadr form))))
        (if (own? definition)
            (convert-definition definition (cadr form) (caddr form))))))

(define (convert-definition definition g value)
  (let ((name (global-name definition)))
    (cond
     ((memv g defined)
      (add-item! (new-name 'top) 'top
                 (lambda ()
                   (list 'effect 'cell-set! (list 'global name) (expression value '())))))
     ((assigned-global? definition)
      (set! defined (cons g defined))
      (add-item! name 'global
                 (lambda () (list 'effect 'make-cell (expression value '())))))
     ((record-operation? definition) #f)
     ((eq? (car value) 'lambda) (procedure! name value '() '()))
     ((and (eq? (car value) 'const) (not (memv g compared))) #f)
     (else (add-item! name 'global (lambda () (expression value '())))))))

;; An item stands before those that making its body adds.
(define (add-item! name variables make-body)
  (let ((item (list name variables #f)))
    (set! functions (cons item functions))
    (set-car! (cddr item) (make-body))))

;; Names

(define (next-count base counts)
  (let ((found (assq base counts)))
    (if found (+ (cdr found) 1) 1)))

(define (numbered base count)
  (if (= count 1)
      base
      (string->symbol (string-append (symbol->string base) "%" (number->string count)))))

;; A name that no other variable of the program has.
(define (new-variable base)
  (let ((count (next-count base variable-counts)))
    (set! variable-counts (cons (cons base count) variable-counts))
    (numbered base count)))

;; A name that no other procedure of the program has.
(define (new-name base)
  (let* ((count (next-count base name-counts))
         (made (numbered base count)))
    (set! name-counts (cons (cons base count) name-counts))
    (if (and (> count 1) (assq made name-counts)) (new-name base) made)))

(define (local-name x) (new-variable (vector-ref names x)))

(define (prim op . arguments) (cons 'prim (cons op arguments)))

(define (wrap-lets bindings body)
  (if (null? bindings)
      body
      (list 'let (caar bindings) (cdar bindings) (wrap-lets (cdr bindings) body))))

;; Procedures

;; Bind parameters: BUILD takes their names, the environment with them, and the bindings that
;; are needed around the body.
(define (with-parameters xs env build)
  (let loop ((xs xs) (made '()) (env env) (cells '()))
    (if (null? xs)
        (build (reverse made) env (reverse cells))
        (let* ((name (local-name (car xs)))
               (cell? (vector-ref assigned (car xs)))
               (place (if cell? (local-name (car xs)) name)))
          (loop (cdr xs)
                (cons name made)
                (cons (cons (car xs) place) env)
                (if cell?
                    (cons (cons place (list 'effect 'make-cell (list 'var name))) cells)
                    cells))))))

;; Add a procedure; EXTRA are the free variables that it takes first (cells if they are assigned).
(define (procedure! name core extra env)
  (let loop ((xs extra) (made '()) (inner (lifted-only env)))
    (if (pair? xs)
        (let ((x (local-name (car xs))))
          (loop (cdr xs) (cons x made) (cons (cons (car xs) x) inner)))
        (with-parameters
         (append (cadr core) (if (caddr core) (list (caddr core)) '()))
         inner
         (lambda (xs env cells)
           (add-item! name
                      (append (reverse made) xs)
                      (lambda () (wrap-lets cells (expression (cadddr core) env)))))))))

(define (lifted-only env)
  (cond ((null? env) '())
        ((symbol? (cdar env)) (lifted-only (cdr env)))
        (else (cons (car env) (lifted-only (cdr env))))))

(define (closure core env)
  (if (caddr core)
      (let ((rest (new-variable (vector-ref names (caddr core)))))
        (list 'lambda rest
              (with-list (cadr core) (caddr core) rest env
                         (lambda (env) (expression (cadddr core) env)))))
      (with-parameters
       (cadr core)
       env
       (lambda (xs env cells)
         (list 'lambda xs (wrap-lets cells (expression (cadddr core) env)))))))

;; Parameters from a list of arguments.
(define (with-list xs rest items env build)
  (if (null? xs)
      (bind rest (list 'var items) env build)
      (bind (car xs) (prim 'car (list 'var items)) env
            (lambda (env)
              (let ((more (new-variable items)))
                (list 'let more (prim 'cdr (list 'var items))
                      (with-list (cdr xs) rest more env build)))))))

;; `(let (x value) ...)`, in a cell if it is assigned.
(define (bind x value env build)
  (let ((name (local-name x)))
    (list 'let name (in-cell x value) (build (cons (cons x name) env)))))

(define (in-cell x value)
  (if (vector-ref assigned x) (list 'effect 'make-cell value) value))

;; Expressions

(define (expression e env)
  (case (car e)
    ((const) (list 'quote (cadr e)))
    ((local) (local-value (cadr e) env (caddr e)))
    ((if)
     (let ((test (expression (cadr e) env)))
       (if (eq? (car test) 'quote)
           (expression (if (cadr test) (caddr e) (cadddr e)) env)
           (cons 'if (cons test (expressions (cddr e) env))))))
    ((let) (let-bindings (cadr e) (caddr e) env))
    ((letrec) (letrec-bindings (cadr e) (caddr e) env))
    ((lambda) (closure e env))
    ((seq) (sequence (cdr e) env))
    ((call) (call (cadr e) (caddr e) env (cadddr e)))
    ((global) (global-value (cadr e) (caddr e)))
    ((primitive) (primitive-value (cadr e) (caddr e)))
    ((set-local)
     (list 'effect 'cell-set!
           (list 'var (find (cadr e) env (cadddr e)))
           (expression (caddr e) env)))
    ((set-global)
     (let ((definition (vector-ref definitions (cadr e))))
       (list 'effect 'cell-set!
             (list 'global
                   (if (own? definition)
                       (global-name definition)
                       (library-variable definition (cadr e))))
             (expression (caddr e) env))))
    (else (error "convert: no such core:" e))))

(define (expressions es env)
  (map (lambda (e) (expression e env)) es))

;; `(begin e e)` is a binding of a variable %seq that nothing refers to.
(define (sequence es env)
  (if (null? (cdr es))
      (expression (car es) env)
      (let ((first (expression (car es) env)))
        (list 'let (new-variable '%seq) first (sequence (cdr es) env)))))

(define (find x env place)
  (let ((found (assv x env)))
    (if found
        (cdr found)
        (refuse (string-append "the use of " (quoted (vector-ref names x))
                               " before its definition")
                place))))

(define (local-value x env place)
  (let ((at (find x env place)))
    (cond ((pair? at)
           (eta (cadddr at) (list-ref at 4)
                (lambda (xs) (call-lifted at xs env place))))
          ((vector-ref assigned x) (list 'effect 'cell-ref (list 'var at)))
          (else (list 'var at)))))

;; Bindings, which may stand one in another since all names differ.
(define (let-bindings bindings body env)
  (let loop ((rest bindings) (made '()) (inner env))
    (if (null? rest)
        (wrap-lets (reverse made) (expression body inner))
        (let* ((x (caar rest))
               (name (local-name x))
               (value (in-cell x (expression (cadar rest) env))))
          (loop (cdr rest) (cons (cons name value) made) (cons (cons x name) inner))))))

;; Local procedures are lifted; other bindings are made in order, cells before them.
(define (letrec-bindings bindings body env)
  (let* ((procedures (select bindings lifts?))
         (cells (map (lambda (b) (cons (car b) (local-name (car b))))
                     (select bindings (lambda (b) (vector-ref assigned (car b))))))
         (inner (append (place-procedures procedures (append cells env)) cells env)))
    (for-each
     (lambda (b)
       (let ((at (cdr (assv (car b) inner))))
         (procedure! (cadr at) (cadr b) (caddr at) inner)))
     procedures)
    (wrap-lets
     (map (lambda (cell) (cons (cdr cell) '(effect make-cell (quote #f)))) cells)
     (letrec-values (select bindings (lambda (b) (not (lifts? b)))) body inner))))

(define (lifts? binding)
  (and (eq? (car (cadr binding)) 'lambda) (not (vector-ref assigned (car binding)))))

(define (letrec-values bindings body env)
  (if (null? bindings)
      (expression body env)
      (let* ((x (caar bindings))
             (value (expression (cadar bindings) env)))
        (if (vector-ref assigned x)
            (list 'let (new-variable '%seq)
                  (list 'effect 'cell-set! (list 'var (cdr (assv x env))) value)
                  (letrec-values (cdr bindings) body env))
            (let ((name (local-name x)))
              (list 'let name value
                    (letrec-values (cdr bindings) body (cons (cons x name) env))))))))

(define (select items ok?)
  (cond ((null? items) '())
        ((ok? (car items)) (cons (car items) (select (cdr items) ok?)))
        (else (select (cdr items) ok?))))

;; Lambda lifting: a procedure needs its free variables and, until nothing changes, what those
;; need that it calls.
(define (place-procedures procedures env)
  (let* ((free (map (lambda (b) (cons (car b) (reverse (free-variables (cadr b) '() '()))))
                    procedures))
         (needs (close-needs (map (lambda (f) (cons (car f) (own-needs (cdr f) free env))) free)
                             free)))
    (map (lambda (b)
           (let* ((x (car b))
                  (core (cadr b)))
             (list x 'lifted (new-name (vector-ref names x)) (cdr (assv x needs))
                   (length (cadr core)) (and (caddr core) #t))))
         procedures)))

(define (own-needs xs procedures env)
  (if (null? xs)
      '()
      (let ((at (assv (car xs) env))
            (rest (own-needs (cdr xs) procedures env)))
        (cond ((assv (car xs) procedures) rest)
              ((and at (pair? (cdr at))) (union (cadddr at) rest))
              (else (union (list (car xs)) rest))))))

(define (close-needs needs free)
  (let ((next (map (lambda (need)
                     (cons (car need)
                           (with-needs (cdr need) (cdr (assv (car need) free)) needs)))
                   needs)))
    (if (equal? next needs) needs (close-needs next free))))

(define (with-needs own called needs)
  (cond ((null? called) own)
        ((assv (car called) needs)
         => (lambda (need) (with-needs (union own (cdr need)) (cdr called) needs)))
        (else (with-needs own (cdr called) needs))))

;; The items of both, those of the first list first.
(define (union a b)
  (append a (select b (lambda (x) (not (memv x a))))))

;; The free variables of an expression in order of appearance, the last first.
(define (free-variables e bound found)
  (case (car e)
    ((local) (if (or (memv (cadr e) bound) (memv (cadr e) found)) found (cons (cadr e) found)))
    ((const global primitive) found)
    ((if seq) (all-free (cdr e) bound found))
    ((call) (all-free (cons (cadr e) (caddr e)) bound found))
    ((lambda)
     (free-variables (cadddr e)
                     (append (cadr e) (if (caddr e) (cons (caddr e) bound) bound))
                     found))
    ((let letrec)
     (let ((inner (append (map car (cadr e)) bound)))
       (free-variables (caddr e) inner (all-free (map cadr (cadr e)) inner found))))
    ((set-local)
     (free-variables (caddr e) bound (free-variables (list 'local (cadr e)) bound found)))
    (else (free-variables (caddr e) bound found))))

(define (all-free es bound found)
  (if (null? es) found (all-free (cdr es) bound (free-variables (car es) bound found))))

(include "calls.scm")

(include "librarycalls.scm")
