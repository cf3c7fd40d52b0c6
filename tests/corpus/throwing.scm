;; Tree walking with exceptions, break and continue: all by call/cc.
(define-record-type failure (make-failure value) failure? (value failure-value))

(define (eval-in e env handler)
  (define (sub x) (eval-in x env handler))
  (cond ((or (number? e) (boolean? e)) e)
        ((symbol? e)
         (let ((cell (assq e env)))
           (if cell (cdr cell) (handler (list 'unbound e)))))
        (else
         (case (car e)
           ((+ - * < =)
            (let ((a (sub (cadr e))) (b (sub (caddr e))))
              (case (car e)
                ((+) (+ a b)) ((-) (- a b)) ((*) (* a b)) ((<) (< a b)) (else (= a b)))))
           ((/) (let ((a (sub (cadr e))) (b (sub (caddr e))))
                  (if (= b 0) (handler 'division) (quotient a b))))
           ((if) (if (sub (cadr e)) (sub (caddr e)) (sub (cadddr e))))
           ((let) (eval-in (cadddr e) (cons (cons (cadr e) (sub (caddr e))) env) handler))
           ((set) (let ((v (sub (caddr e)))) (set-cdr! (assq (cadr e) env) v) v))
           ((seq) (let loop ((es (cdr e)))
                    (if (null? (cdr es)) (sub (car es)) (begin (sub (car es)) (loop (cdr es))))))
           ((throw) (handler (sub (cadr e))))
           ((try)          ; (try body name handler-body)
            (let ((r (call/cc
                      (lambda (k)
                        (eval-in (cadr e) env (lambda (v) (k (make-failure v))))))))
              (if (failure? r)
                  (eval-in (cadddr e) (cons (cons (caddr e) (failure-value r)) env) handler)
                  r)))
           ((while)        ; (while test body): break and continue are variables
            (call/cc
             (lambda (break)
               (let loop ()
                 (if (sub (cadr e))
                     (begin
                       (call/cc
                        (lambda (continue)
                          (eval-in (caddr e)
                                   (cons (cons 'break break) (cons (cons 'continue continue) env))
                                   handler)))
                       (loop))
                     0)))))
           ((break) ((cdr (assq 'break env)) (sub (cadr e))))
           ((continue) ((cdr (assq 'continue env)) 0))
           (else (error "unknown expression" e))))))

(define (run e n)
  (call/cc (lambda (k) (eval-in e (list (cons 'n n)) (lambda (v) (k (list 'uncaught v)))))))
