;;; Calls and operations of core -> those of the small language, which have fixed numbers of
;;; arguments; a part of convert.scm.

(define (call function arguments env place)
  (case (car function)
    ((lambda)
     (if (and (not (caddr function)) (= (length (cadr function)) (length arguments)))
         (let-bindings (map list (cadr function) arguments) (cadddr function) env)
         (application function arguments env)))
    ((primitive) (primitive-call (cadr function) arguments env place))
    ((global) (global-call (cadr function) arguments env place))
    ((local)
     (let ((at (find (cadr function) env (caddr function))))
       (if (pair? at)
           (call-lifted at
                        (fitted (expressions arguments env) (cadddr at) (list-ref at 4) place)
                        env place)
           (application function arguments env))))
    (else (application function arguments env))))

(define (application function arguments env)
  (cons 'app (expressions (cons function arguments) env)))

(define (call-lifted at arguments env place)
  (cons 'call
        (cons (cadr at)
              (append (map (lambda (x) (list 'var (find x env place))) (caddr at)) arguments))))

;; Arguments for a procedure of so many parameters: those for its rest parameter in a list.
(define (fitted arguments count rest? place)
  (let ((given (length arguments)))
    (cond ((or (< given count) (and (> given count) (not rest?)))
           (refuse "a call with a wrong number of arguments" place))
          (rest? (append (head arguments count) (list (list-of (list-tail arguments count)))))
          (else arguments))))

(define (head items n)
  (if (= n 0) '() (cons (car items) (head (cdr items) (- n 1)))))

(define (list-of arguments)
  (if (null? arguments)
      (list 'quote '())
      (prim 'cons (car arguments) (list-of (cdr arguments)))))

(define (global-call g arguments env place)
  (let* ((definition (vector-ref definitions g))
         (core (global-core definition)))
    (cond
     ((not (own? definition)) (library-call definition g (expressions arguments env) place))
     ((or (assigned-global? definition) (not (eq? (car core) 'lambda)))
      (application (list 'global g place) arguments env))
     ((record-operation? definition) (call core arguments env place))
     ((not (caddr core)) (cons 'call (cons (global-name definition) (expressions arguments env))))
     (else
      (cons 'call
            (cons (global-name definition)
                  (fitted (expressions arguments env) (length (cadr core)) #t place)))))))

;; A global that is not called: a constant, or a procedure as a value.
(define (global-value g place)
  (let* ((definition (vector-ref definitions g))
         (core (global-core definition)))
    (cond
     ((not (own? definition)) (library-value definition g core place))
     ((assigned-global? definition)
      (list 'effect 'cell-ref (list 'global (global-name definition))))
     ((record-operation? definition) (closure core '()))
     ((eq? (car core) 'lambda)
      (eta (length (cadr core)) (caddr core)
           (lambda (xs) (cons 'call (cons (global-name definition) xs)))))
     ((and (eq? (car core) 'const) (not (memv g compared))) (list 'quote (cadr core)))
     (else (list 'global (global-name definition))))))

;; `(lambda (x ...) body)`, of so many parameters; BODY makes it of their uses.
(define (eta count rest? body)
  (if rest?
      (let ((items (new-variable 'x)))
        (list 'lambda items (spread count items '() body)))
      (let ((xs (new-variables count)))
        (list 'lambda xs (body (map (lambda (x) (list 'var x)) xs))))))

(define (spread count items made body)
  (if (= count 0)
      (body (reverse (cons (list 'var items) made)))
      (let ((x (new-variable 'x))
            (more (new-variable 'x)))
        (list 'let x (prim 'car (list 'var items))
              (list 'let more (prim 'cdr (list 'var items))
                    (spread (- count 1) more (cons (list 'var x) made) body))))))

(define (new-variables count)
  (if (= count 0) '() (let ((x (new-variable 'x))) (cons x (new-variables (- count 1))))))

;; Operations

(define (row-name row) (car row))
(define (row-kind row) (cadr row))
(define (row-least row) (caddr row))
(define (row-most row) (list-ref row 3))
(define (row-fold row) (list-ref row 4))
(define (row-identity row) (list-ref row 5))
(define (row-unit row) (list-ref row 6))
(define (row-count row) (list-ref row 7))

(define (primitive-value row place)
  (if (or (eq? (row-kind row) 'none)
          (memq (row-name row) '(lift dcall rcall known?)))
      (refuse (string-append (quoted (row-name row)) " as a value") place))
  (if (row-count row)
      (operation-value row place)
      (let ((items (new-variable 'x)))
        (list 'lambda items (of-list row (list 'var items))))))

;; An operation of any number of arguments, applied to a list of them.
(define (of-list row items)
  (case (row-name row)
    ((vector) (prim 'list->vector items))
    ((string) (prim 'list->string items))
    (else
     (list 'effect 'apply (list 'operation (row-name row) '() '(quote #f) #f) items))))

;; An operation as a procedure: (operation op (x ...) body fold), where FOLD says what it does with
;; another number of arguments: (left identity unit), (chain), or #f if it takes no other.
(define (operation-value row place)
  (let ((procedure (eta (row-count row) #f (lambda (xs) (operation row xs place)))))
    (list 'operation (row-name row) (cadr procedure) (caddr procedure)
          (case (row-fold row)
            ((left) (list 'left (row-identity row) (row-unit row)))
            ((chain) '(chain))
            (else #f)))))

(define (primitive-call row arguments env place)
  (case (row-name row)
    ((dcall rcall) (kept-call row arguments env place))
    ((known?) (if left-copy? (list 'quote #t) (asked row (expressions arguments env) place)))
    ((lift)
     (if (= (length arguments) 1)
         (list 'lift (expression (car arguments) env))
         (refuse (of-count row arguments) place)))
    (else (operation row (expressions arguments env) place))))

;; What is asked whether it is known has a name.
(define (asked row arguments place)
  (if (and (= (length arguments) 1) (not (memq (car (car arguments)) '(var quote))))
      (let ((x (new-variable 'x)))
        (list 'let x (car arguments) (operation row (list (list 'var x)) place)))
      (operation row arguments place)))

;; A call that shall stay: a memo point, of a version of its own if it is left as it is.
(define (kept-call row arguments env place)
  (let ((function (if (pair? arguments) (car arguments) '(none))))
    (if (or (not (eq? (car function) 'global))
            (not (eq? (car (global-core (vector-ref definitions (cadr function)))) 'lambda))
            (caddr (global-core (vector-ref definitions (cadr function)))))
        (refuse (quoted (row-name row)) place))
    (let* ((g (cadr function))
           (definition (vector-ref definitions g))
           (core (global-core definition))
           (values (fitted (expressions (cdr arguments) env) (length (cadr core)) #f place))
           (xs (new-variables (length values))))
      (if (eq? (row-name row) 'rcall)
          (cons 'call
                (cons (copy-left definition g core place)
                      (map (lambda (value) (list 'lift value)) values)))
          (wrap-lets (map cons xs values)
                     (memo-call (if (own? definition)
                                    (global-name definition)
                                    (copy definition g core place))
                                xs))))))

(define (memo-call name xs)
  (list 'memo (cons 'call (cons name (map (lambda (x) (list 'var x)) xs)))))

(define (of-count row arguments)
  (string-append (quoted (row-name row)) " of " (number->string (length arguments))
                 " arguments"))

;; An operation with the number of arguments that the small language wants.
(define (operation row arguments place)
  (let ((given (length arguments))
        (name (row-name row)))
    (cond
     ((eq? (row-kind row) 'none) (refuse (quoted name) place))
     ((eq? (row-kind row) 'fresh) (cons 'effect (cons name (fresh-arguments name arguments))))
     ((eq? (row-fold row) 'left) (left-fold row arguments place))
     ((< given (row-least row)) (refuse (of-count row arguments) place))
     ((and (eq? (row-fold row) 'chain) (> given 2)) (chain row arguments))
     ((and (row-most row) (> given (row-most row))) (refuse (of-count row arguments) place))
     (else (chosen row arguments)))))

;; Arguments of an operation that makes a new string each time.
(define (fresh-arguments name arguments)
  (if (eq? name 'apply)
      (list (car arguments) (spread-list (cdr arguments)))
      arguments))

;; The operations whose meaning depends on what the program changes, or on their number.
(define (chosen row arguments)
  (let ((name (row-name row)))
    (case name
      ((vector) (prim 'list->vector (list-of arguments)))
      ((string) (prim 'list->string (list-of arguments)))
      ((make-record record-ref)
       (cons (if (memq (car (cadr (car arguments))) changed-records) 'effect 'prim)
             (cons name arguments)))
      ((apply) (prim 'apply (car arguments) (spread-list (cdr arguments))))
      (else (cons (kind-for row arguments) (cons name arguments))))))

;; An operation with arguments that may be missing is done early only with the usual number.
(define (kind-for row arguments)
  (if (and (row-count row) (not (= (row-count row) (length arguments))))
      'effect
      (row-kind row)))

(define (spread-list arguments)
  (if (null? (cdr arguments))
      (car arguments)
      (prim 'cons (car arguments) (spread-list (cdr arguments)))))

(define (left-fold row arguments place)
  (let ((name (row-name row)))
    (cond
     ((null? arguments)
      (if (row-identity row)
          (list 'quote (row-identity row))
          (refuse (of-count row arguments) place)))
     ((null? (cdr arguments))
      (list (row-kind row)
            name
            (if (row-unit row) (list 'quote (row-unit row)) (car arguments))
            (car arguments)))
     (else
      (let loop ((result (car arguments)) (rest (cdr arguments)))
        (if (null? rest)
            result
            (loop (list (row-kind row) name result (car rest)) (cdr rest))))))))

;; `(< a b c)`: all arguments are evaluated, then neighbours are compared.
(define (chain row arguments)
  (let ((xs (new-variables (length arguments))))
    (wrap-lets (map cons xs arguments)
               (let loop ((left (car xs)) (rest (cdr xs)))
                 (let ((test (list (row-kind row) (row-name row)
                                   (list 'var left) (list 'var (car rest)))))
                   (if (null? (cdr rest))
                       test
                       (list 'if test (loop (car rest) (cdr rest)) (list 'quote #f))))))))
