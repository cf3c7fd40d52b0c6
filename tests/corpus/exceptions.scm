;;; Exceptions, in CPS: what raises one looks in a list of handlers, each a name and a procedure.

(define (run program n)
  (evaluate (cadr program) (list (cons 'n n)) '() (car program) (lambda (v) v)))

(define (evaluate e env handlers definitions k)
  (cond ((number? e) (k e))
        ((symbol? e) (k (cdr (assq e env))))
        (else
         (case (car e)
           ((if)
            (evaluate (cadr e) env handlers definitions
              (lambda (v) (evaluate (if v (caddr e) (cadddr e)) env handlers definitions k))))
           ((try)                                  ; (try expression name variable expression)
            (evaluate (cadr e)
                      env
                      (cons (cons (caddr e)
                                  (lambda (v)
                                    (evaluate (list-ref e 4)
                                              (cons (cons (cadddr e) v) env)
                                              handlers
                                              definitions
                                              k)))
                            handlers)
                      definitions
                      k))
           ((raise)
            (evaluate (caddr e) env handlers definitions
              (lambda (v) (handle (cadr e) v handlers))))
           ((+ - * < = quotient)
            (evaluate (cadr e) env handlers definitions
              (lambda (a)
                (evaluate (caddr e) env handlers definitions
                  (lambda (b) (primitive (car e) a b handlers k))))))
           (else
            (let ((d (assq (car e) definitions)))
              (evaluate-all (cdr e) env handlers definitions
                (lambda (vs)
                  (evaluate (caddr d) (map cons (cadr d) vs) handlers definitions k)))))))))

(define (evaluate-all es env handlers definitions k)
  (if (null? es)
      (k '())
      (evaluate (car es) env handlers definitions
        (lambda (v)
          (evaluate-all (cdr es) env handlers definitions
            (lambda (vs) (k (cons v vs))))))))

(define (handle name v handlers)
  (let ((h (assq name handlers)))
    (if h ((cdr h) v) (error "uncaught exception" name v))))

(define (primitive name a b handlers k)
  (case name
    ((+) (k (+ a b)))
    ((-) (k (- a b)))
    ((*) (k (* a b)))
    ((<) (k (< a b)))
    ((=) (k (= a b)))
    (else (if (= b 0) (handle 'zero a handlers) (k (quotient a b))))))
