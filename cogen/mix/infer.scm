;;; Small language -> timed expressions: (tag time part ...), with the constraints on the times.
;;; An effect is dynamic, whatever its operands are.
;;;
;;; Reachable functions are (name (variable ...) (time ...) time timed), made in order of
;;; discovery; values that are made once are such without variables.

(define source '())
(define reached '())
(define globals '())

(define (function-named name)
  (or (assq name reached)
      (let* ((definition (assq name source))
             (variables (if (symbol? (cadr definition)) '() (cadr definition)))
             (times (map (lambda (x) (new-time)) variables))
             (function (list name variables times (new-time) #f)))
        (set! reached (cons function reached))
        (set-car! (list-tail function 4)
                  (infer-within (cons name 0)
                                (lambda ()
                                  (infer (caddr definition) (map cons variables times)))))
        (flow! (time-of (list-ref function 4)) (list-ref function 3))
        function)))

;; A small procedure that calls none, such as a test or a selector, has binding times of its own for
;; each call: a copy, of which those that are alike become one again (annotate.scm).  So has one
;; that asks what is known, unless it may come to itself.
(define (function-for-call name)
  (let ((definition (assq name source)))
    (if (and (pair? (cadr definition))
             (or (< (plain-size (caddr definition)) 100)
                 (and (asks? (caddr definition)) (not (comes-to-itself? name source)))))
        (let ((copy (numbered-name name)))
          (set! source (cons (cons copy (cdr definition)) source))
          (set! copies (cons (cons copy name) copies))
          (function-named copy))
        (function-named name))))

;; The size of an expression; a large number if there is more than operations and bindings in it.
(define (plain-size e)
  (case (car e)
    ((var quote) 1)
    ((if) (plain-size-of-all (cdr e)))
    ((let prim) (plain-size-of-all (cddr e)))
    (else 1000)))

(define (plain-size-of-all es)
  (if (null? es) 1 (+ (plain-size (car es)) (plain-size-of-all (cdr es)))))

;; Copies of procedures, with the names of those: ((copy . name) ...).
(define copies '())

(define (time-of timed) (cadr timed))

(define (infer e env)
  (case (car e)
    ((var) (list 'var (cdr (assq (cadr e) env)) (cadr e)))
    ((quote)
     (list 'quote
           (make-time (if (or (pair? (cadr e)) (vector? (cadr e))) 's 'bottom) #f '())
           (cadr e)))
    ((if)
     (if (asks-what-is-known? (cadr e))
         (decided-conditional e env)
         (let* ((test (infer (cadr e) env))
                (then (infer (caddr e) env)))
           (conditional test then (infer (cadddr e) env)))))
    ((let)
     (let* ((value (infer (caddr e) env))
            (time (new-time))
            (body (infer (cadddr e) (cons (cons (cadr e) time) env))))
       (binding (cadr e) value time body)))
    ((prim)
     (primitive (cadr e) (infer-all (cddr e) env)))
    ((effect)
     (let ((time (new-time))
           (arguments (infer-all (cddr e) env)))
       (all-dynamic! time arguments)
       (cons 'effect (cons time (cons (cadr e) arguments)))))
    ((global)
     (list 'global (cadddr (function-named (cadr e))) (cadr e)))
    ((memo)
     (let ((part (infer (cadr e) env)))
       (flow! (time-of part) dynamic)
       (list 'memo dynamic part)))
    ((call)
     (let* ((function (function-for-call (cadr e)))
            (arguments (infer-all (cddr e) env)))
       (for-each (lambda (argument time) (flow! (time-of argument) time))
                 arguments
                 (caddr function))
       (cons 'call (cons (cadddr function) (cons (car function) arguments)))))
    ((lambda) (infer-lambda (cadr e) (caddr e) env #f #f))
    ((operation)
     (infer-lambda (caddr e) (cadddr e) '() (cadr e)
                   (and (list-ref e 4) (list-procedure (cadr e) (list-ref e 4)))))
    ((app)
     (let* ((time (new-time))
            (parts (infer-all (cdr e) env))
            (items (in-list (cdr parts))))
       (constrain-application! time (car parts) (cdr parts) (lambda () (time-of (items))))
       (list 'app time (car parts) (cdr parts) items)))
    ((lift)
     (let ((part (infer (cadr e) env)))
       (flow! (time-of part) dynamic)
       (list 'lift dynamic part)))
    (else (error "the small language has no such form:" e))))

;; A procedure: (lambda time (label spread make-spread) variables times result body op).  OP is the
;; operation that it is, or #f.  SPREAD is (variable time body) if it takes a list: TO-LIST applied
;; to the list, or a body that takes the list apart.
(define (infer-lambda shown e env op to-list)
  (let* ((variables (variable-list shown))
         (times (map (lambda (x) (new-time)) variables))
         (result (new-time))
         (time (new-time))
         (label (list #f #f #f))
         (parameters (if (symbol? shown) (car times) times))
         (node (make-closure-node (list label) parameters result '() #f #f))
         (body (infer-within #f (lambda () (infer e (append (map cons variables times) env))))))
    (set-car! (cddr label)
              (lambda (items)
                (let* ((x (numbered-name 'arguments))
                       (spread (if to-list
                                   (infer (list 'call (to-list) (list 'var x))
                                          (list (cons x items)))
                                   (spread-body variables times body x items))))
                  (flow! (time-of spread) result)
                  (list x items spread))))
    (flow! (time-of body) result)
    (hold-closure! time node)
    (list 'lambda time label shown times result body op)))

(define (spread-body variables times body x items)
  (let ((list-of-rest (list 'var items x)))
    (if (null? variables)
        (let ((test (primitive 'null? (list list-of-rest)))
              (otherwise (infer '(prim error (quote "a wrong number of arguments")) '())))
          (conditional test body otherwise))
        (let* ((rest (primitive 'cdr (list list-of-rest)))
               (rest-time (new-time))
               (more (numbered-name 'arguments)))
          (flow! (time-of rest) rest-time)
          (let ((inner (spread-body (cdr variables) (cdr times) body more rest-time)))
            (binding (car variables) (primitive 'car (list list-of-rest)) (car times)
                     (list 'let (time-of inner) more rest inner rest-time)))))))

(define (binding x value time body)
  (flow! (time-of value) time)
  (list 'let (time-of body) x value body time))

;; Is it a test of nothing but what is known?
(define (asks-what-is-known? e)
  (case (car e)
    ((prim) (eq? (cadr e) 'known?))
    ((if)
     (and (asks-what-is-known? (cadr e))
          (asks-or-constant? (caddr e))
          (asks-or-constant? (cadddr e))))
    (else #f)))

(define (asks-or-constant? e) (or (eq? (car e) 'quote) (asks-what-is-known? e)))

(define (asks? e)
  (or (and (eq? (car e) 'prim) (eq? (cadr e) 'known?))
      (any? asks? (parts-of-expression e))))

;; The answer by the binding times that there are.
(define (answer e env)
  (case (car e)
    ((prim)
     (or (eq? (car (caddr e)) 'quote) (eq? (shape (cdr (assq (cadr (caddr e)) env))) 's)))
    ((if) (answer (if (answer (cadr e) env) (caddr e) (cadddr e)) env))
    (else (cadr e))))

;; A conditional that asks what is known: the arm for what is known is only looked at when nothing
;; more is found out otherwise.
(define (decided-conditional e env)
  (let* ((time (new-time))
         (test (infer '(quote #t) '()))
         (timed (list 'if time test (infer '(quote #f) '()) (infer '(quote #f) '())))
         (decided 'not-yet))
    (define (decide! known?)
      (set! decided known?)
      (set-car! (cddr test) known?)
      (let ((arm (infer (if known? (caddr e) (cadddr e)) env)))
        (set-car! (list-tail timed (if known? 3 4)) arm)
        (flow! (time-of arm) time)))
    (set! deferred
          (cons (lambda (left?)
                  (let ((known? (answer (cadr e) env)))
                    (if (and decided
                             (not (eq? decided known?))
                             (or left? (not known?)))
                        (decide! known?))))
                deferred))
    timed))

(define (conditional test then otherwise)
  (let* ((time (new-time))
         (timed (list 'if time test then otherwise)))
    (flow! (time-of then) time)
    (flow! (time-of otherwise) time)
    (if (not (note-conditional! timed))
        (watch! (time-of test)
                (lambda () (if (eq? (time-kind (time-of test)) 'd) (make-dynamic! time)))))
    timed))

;; The parameters of a `lambda` that takes arguments or a list of them.
(define (variable-list variables)
  (if (symbol? variables) (list variables) variables))

;; The arguments of an application as a list, when a procedure that takes a list is called.
(define (in-list arguments)
  (let ((made #f))
    (lambda ()
      (if (not made) (set! made (list-of arguments)))
      made)))

(define (list-of arguments)
  (if (null? arguments)
      (infer '(quote ()) '())
      (primitive 'cons (list (car arguments) (list-of (cdr arguments))))))

(define (primitive op arguments)
  (let* ((time (new-time))
         (timed (cons 'prim (cons time (cons op arguments)))))
    (constrain-primitive! op time arguments timed)
    (keep-identity! op time arguments)
    timed))

;; How expressions that are met look into pairs (times.scm).
(define looks 'inside)

;; Calls that stand for operations: (procedure op list-argument).
(define apart '())

;; An operation on a list of which not all items are known is a call of a procedure of its own.
(define (take-apart! timed op arguments time)
  (set! looks (if (memq op '(append reverse)) 'passing 'inside))
  (let ((function (function-named (add-copies! (cddr (assq op list-procedures))))))
    (set! looks 'inside)
    (set! apart (cons (list (car function) op (cadr (assq op list-procedures))) apart))
    (for-each (lambda (argument to) (flow! (time-of argument) to)) arguments (caddr function))
    (equate! (cadddr function) time)
    (set-car! timed 'call)
    (set-car! (cddr timed) (car function))))

;; An operation of any number of arguments as a procedure of their list.
(define (list-procedure op fold)
  (lambda ()
    (add-copies! (if (eq? (car fold) 'left)
                     (folding op (cadr fold) (caddr fold))
                     (chaining op)))))

;; Add copies of procedures to the program; the name of the first.
(define (add-copies! procedures)
  (let* ((names (map (lambda (p) (cons (car p) (numbered-name (car p)))) procedures))
         (copies (map (lambda (p)
                        (list (cdr (assq (car p) names))
                              (cadr p)
                              (rename-calls (caddr p) names)))
                      procedures)))
    (set! source (append copies source))
    (caar copies)))

(define (numbered-name name)
  (set! counter (+ counter 1))
  (string->symbol (string-append (symbol->string name) "%%" (number->string counter))))

(define (rename-calls e names)
  (cond ((not (pair? e)) e)
        ((eq? (car e) 'quote) e)
        ((eq? (car e) 'call)
         (cons 'call (cons (cdr (assq (cadr e) names)) (rename-calls (cddr e) names))))
        (else (cons (rename-calls (car e) names) (rename-calls (cdr e) names)))))

(define (infer-all es env)
  (map (lambda (e) (infer e env)) es))

(define (all-dynamic! time arguments)
  (for-each (lambda (argument) (flow! (time-of argument) dynamic)) arguments)
  (make-dynamic! time))

(include "operationtimes.scm")

;; A call with arguments (#f if only a list of them is there); ITEMS gives the binding time of
;; their list, for procedures that take one.
(define (constrain-application! time function arguments items)
  (let ((done #f)
        (from (time-of function)))
    (watch!
     from
     (lambda ()
       (case (time-kind from)
         ((f)
          (let ((node (node-of from)))
            (cond
             ((not (convention node))
              (if (not (eq? done 'list))
                  (begin
                    (set! done 'list)
                    (flow! (items) (closure-node-parameters node))
                    (flow! (closure-node-result node) time))))
             ((not (and arguments (= (convention node) (length arguments)))) (spread! node))
             ((not done)
              (set! done #t)
              (for-each (lambda (argument to) (flow! (time-of argument) to))
                        arguments
                        (closure-node-parameters node))
              (flow! (closure-node-result node) time)))))
         ((p) (make-dynamic! from))
         ((d)
          (if (not (eq? done 'dynamic))
              (begin
                (set! done 'dynamic)
                (if arguments
                    (all-dynamic! time arguments)
                    (begin
                      (flow! (items) dynamic)
                      (make-dynamic! time)))))))))))

;; The whole solution: pairs that hold nothing but known data count as such; operations that wait
;; for what their operands are, are left to the residual program where nothing more is found out;
;; pairs that become code and that nothing looks into meanwhile are made code from the start.
(define (solve-all!)
  (solve!)
  (find-mixed!)
  (for-each (lambda (check) (check #f)) deferred)
  (if (not (pair? queue)) (for-each (lambda (check) (check #t)) deferred))
  (if (pair? queue)
      (solve-all!)
      (let ((useless (find-useless pair-nodes)))
        (if (pair? useless)
            (begin
              (for-each residual-pairs! useless)
              (solve-all!))))))

(define (find-useless nodes)
  (if (null? nodes)
      '()
      (let ((node (car nodes))
            (rest (find-useless (cdr nodes))))
        (if (and (not (pair-node-link node))
                 (pair-node-mixed? node)
                 (pair-node-lifted? node)
                 (not (pair-node-looks node))
                 (not (pair-node-residual? node)))
            (cons node rest)
            rest))))

(define (find-mixed!)
  (let ((before (count-mixed)))
    (for-each
     (lambda (node)
       (if (and (not (pair-node-link node)) (any? mixed-part? (pair-node-parts node)))
           (begin
             (set-pair-node-mixed! node #t)
             (if (changing-vectors? node) (residual-pairs! node)))))
     pair-nodes)
    (if (> (count-mixed) before) (find-mixed!))))

;; Records are always taken for mixed: they are compared part by part.
(define (mixed-part? part)
  (or (pair? (car part))
      (any? (lambda (time) (memq (shape time) '(d f p))) (cdr part))))

(define (count-mixed)
  (let loop ((nodes pair-nodes) (n 0))
    (if (null? nodes)
        n
        (loop (cdr nodes) (if (pair-node-mixed? (car nodes)) (+ n 1) n)))))

;; The binding time for the specializer: s, d, p (a pair with parts that are not known) or f.
(define (shape time)
  (case (time-kind time)
    ((bottom s) 's)
    ((p) (if (pair-node-mixed? (node-of time)) 'p 's))
    (else (time-kind time))))
