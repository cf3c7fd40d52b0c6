;; A nondeterministic language: (amb e ...), (fail); success and failure continuations.

(define (amb-eval e env defs succeed fail)
  (cond ((or (number? e) (boolean? e)) (succeed e fail))
        ((symbol? e) (succeed (cdr (assq e env)) fail))
        (else
         (case (car e)
           ((amb) (amb-choices (cdr e) env defs succeed fail))
           ((fail) (fail))
           ((if) (amb-eval (cadr e) env defs
                           (lambda (v fail2)
                             (if v
                                 (amb-eval (caddr e) env defs succeed fail2)
                                 (amb-eval (cadddr e) env defs succeed fail2)))
                           fail))
           ((let) (amb-eval (caddr e) env defs
                            (lambda (v fail2)
                              (amb-eval (cadddr e) (cons (cons (cadr e) v) env) defs succeed fail2))
                            fail))
           ((require) (amb-eval (cadr e) env defs
                                (lambda (v fail2) (if v (succeed #t fail2) (fail2)))
                                fail))
           ((begin) (amb-seq (cdr e) env defs succeed fail))
           (else
            (amb-args (cdr e) env defs
                      (lambda (args fail2) (amb-apply (car e) args defs succeed fail2))
                      fail))))))

(define (amb-choices es env defs succeed fail)
  (if (null? es)
      (fail)
      (amb-eval (car es) env defs succeed
                (lambda () (amb-choices (cdr es) env defs succeed fail)))))

(define (amb-seq es env defs succeed fail)
  (if (null? (cdr es))
      (amb-eval (car es) env defs succeed fail)
      (amb-eval (car es) env defs
                (lambda (v fail2) (amb-seq (cdr es) env defs succeed fail2))
                fail)))

(define (amb-args es env defs succeed fail)
  (if (null? es)
      (succeed '() fail)
      (amb-eval (car es) env defs
                (lambda (v fail2)
                  (amb-args (cdr es) env defs
                            (lambda (vs fail3) (succeed (cons v vs) fail3))
                            fail2))
                fail)))

(define (amb-apply f args defs succeed fail)
  (case f
    ((+) (succeed (+ (car args) (cadr args)) fail))
    ((-) (succeed (- (car args) (cadr args)) fail))
    ((*) (succeed (* (car args) (cadr args)) fail))
    ((=) (succeed (= (car args) (cadr args)) fail))
    ((<) (succeed (< (car args) (cadr args)) fail))
    ((not) (succeed (not (car args)) fail))
    ((null?) (succeed (null? (car args)) fail))
    ((car) (succeed (car (car args)) fail))
    ((cdr) (succeed (cdr (car args)) fail))
    (else
     (let ((d (assq f defs)))
       (amb-eval (caddr d) (map cons (cadr d) args) defs succeed fail)))))

(define (run program n)
  (amb-eval (car program) (list (cons 'n n)) (cdr program)
            (lambda (v fail) v)
            (lambda () 'none)))
