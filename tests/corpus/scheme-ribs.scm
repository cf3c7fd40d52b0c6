;; Scheme with ribs: an environment is a list of frames, a frame a list of names and a vector of
;; values.  Procedures and primitives are records, special forms a table of procedures; arguments
;; are collected in reverse.

(define-record-type <closure> (make-closure params body env) closure?
  (params closure-params) (body closure-body) (env closure-env))
(define-record-type <primitive> (make-primitive proc) primitive? (proc primitive-proc))

(define (extend names vals env)
  (cons (cons names (list->vector vals)) env))

(define (position x names)
  (let loop ((i 0) (ns names))
    (cond ((null? ns) #f)
          ((eq? (car ns) x) i)
          (else (loop (+ i 1) (cdr ns))))))

(define (with-variable x env k)
  (if (null? env)
      (error "unbound variable" x)
      (let ((i (position x (caar env))))
        (if i (k (cdar env) i) (with-variable x (cdr env) k)))))

(define (evaluate exp env)
  (cond ((or (number? exp) (boolean? exp)) exp)
        ((symbol? exp) (with-variable exp env vector-ref))
        ((assq (car exp) special-forms)
         => (lambda (entry) ((cdr entry) (cdr exp) env)))
        (else
         (let ((f (evaluate (car exp) env)))
           (apply-procedure f (evaluate-all (cdr exp) env))))))

(define (evaluate-all exps env)
  (let loop ((es exps) (acc '()))
    (if (null? es)
        (reverse acc)
        (loop (cdr es) (cons (evaluate (car es) env) acc)))))

(define (apply-procedure f args)
  (cond ((closure? f)
         (eval-body (closure-body f) (extend (closure-params f) args (closure-env f))))
        ((primitive? f) (apply (primitive-proc f) args))
        (else (error "not applicable" f))))

(define (eval-body body env)
  (let ((names (map cadr (inner-defines body))))
    (eval-sequence body
                   (if (null? names) env
                       (extend names (map (lambda (n) 'unassigned) names) env)))))
(define (inner-defines body)
  (cond ((null? body) '())
        ((and (pair? (car body)) (eq? (caar body) 'define))
         (cons (car body) (inner-defines (cdr body))))
        (else (inner-defines (cdr body)))))
(define (eval-sequence body env)
  (if (null? (cdr body))
      (evaluate (car body) env)
      (begin (evaluate (car body) env)
             (eval-sequence (cdr body) env))))

(define (assign! x v env)
  (with-variable x env (lambda (frame i) (vector-set! frame i v))))

(define special-forms
  (list (cons 'quote (lambda (exp env) (car exp)))
        (cons 'if (lambda (exp env)
                    (if (evaluate (car exp) env)
                        (evaluate (cadr exp) env)
                        (evaluate (caddr exp) env))))
        (cons 'lambda (lambda (exp env) (make-closure (car exp) (cdr exp) env)))
        (cons 'set! (lambda (exp env) (assign! (car exp) (evaluate (cadr exp) env) env)))
        (cons 'define (lambda (exp env) (assign! (car exp) (evaluate (cadr exp) env) env)))
        (cons 'begin (lambda (exp env) (eval-sequence exp env)))))

(define primitives
  `((+ . ,+) (- . ,-) (* . ,*) (= . ,=) (< . ,<) (> . ,>) (remainder . ,remainder)
    (cons . ,cons) (car . ,car) (cdr . ,cdr) (null? . ,null?)))
(define initial-env
  (list (cons (map car primitives)
              (list->vector (map (lambda (p) (make-primitive (cdr p))) primitives)))))

(define (run source . args)
  (apply-procedure (evaluate source initial-env) args))
