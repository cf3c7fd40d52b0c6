;; Exceptions by two continuations: where to return to, and where to raise to.

(define (ev e env procs return raise)
  (cond ((number? e) (return e))
        ((symbol? e)
         (let ((p (assq e env)))
           (if p (return (cdr p)) (raise 'unbound e))))
        ((eq? (car e) 'if)
         (ev (cadr e) env procs
             (lambda (v) (if v
                             (ev (caddr e) env procs return raise)
                             (ev (cadddr e) env procs return raise)))
             raise))
        ((eq? (car e) 'let)
         (ev (caddr e) env procs
             (lambda (v) (ev (cadddr e) (cons (cons (cadr e) v) env) procs return raise))
             raise))
        ((eq? (car e) 'throw)                      ; (throw name e)
         (ev (caddr e) env procs (lambda (v) (raise (cadr e) v)) raise))
        ((eq? (car e) 'catch)                      ; (catch e name var handler)
         (let ((name (caddr e)) (var (cadddr e)) (handler (car (cddddr e))))
           (ev (cadr e) env procs return
               (lambda (n v)
                 (if (eq? n name)
                     (ev handler (cons (cons var v) env) procs return raise)
                     (raise n v))))))
        ((eq? (car e) 'finally)                    ; (finally e1 e2)
         (ev (cadr e) env procs
             (lambda (v) (ev (caddr e) env procs (lambda (ignored) (return v)) raise))
             (lambda (n v) (ev (caddr e) env procs (lambda (ignored) (raise n v)) raise))))
        ((assq (car e) procs)
         => (lambda (p)
              (ev-args (cdr e) env procs
                       (lambda (vs)
                         (ev (caddr p) (map cons (cadr p) vs) procs return raise))
                       raise)))
        (else
         (ev-args (cdr e) env procs
                  (lambda (vs) (primitive (car e) (car vs) (cadr vs) return raise))
                  raise))))

(define (ev-args es env procs return raise)
  (if (null? es)
      (return '())
      (ev (car es) env procs
          (lambda (v)
            (ev-args (cdr es) env procs (lambda (vs) (return (cons v vs))) raise))
          raise)))

(define (primitive op a b return raise)
  (case op
    ((+) (return (+ a b)))
    ((-) (return (- a b)))
    ((*) (return (* a b)))
    ((<) (return (< a b)))
    ((=) (return (= a b)))
    ((/) (if (= b 0) (raise 'div a) (return (quotient a b))))
    (else (raise 'unknown op))))

(define (run program x)
  (ev (cadr program) (list (cons 'x x)) (car program)
      (lambda (v) v)
      (lambda (n v) (list 'uncaught n v))))
