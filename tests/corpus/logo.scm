;; A Logo: turtle state in a vector, drawn points collected in a list.
;; procedures: (to name (param ...) command ...); commands are flat lists.

(define turtle (vector 0 0 0))   ; x y heading (0 up, 1 right, 2 down, 3 left)
(define trace '())
(define procedures '())

(define (forward! n)
  (case (vector-ref turtle 2)
    ((0) (vector-set! turtle 1 (+ (vector-ref turtle 1) n)))
    ((1) (vector-set! turtle 0 (+ (vector-ref turtle 0) n)))
    ((2) (vector-set! turtle 1 (- (vector-ref turtle 1) n)))
    (else (vector-set! turtle 0 (- (vector-ref turtle 0) n))))
  (set! trace (cons (cons (vector-ref turtle 0) (vector-ref turtle 1)) trace)))

(define (turn! k)
  (vector-set! turtle 2 (modulo (+ (vector-ref turtle 2) k) 4)))

(define stop? #f)

(define (commands cs env)
  (if (and (pair? cs) (not stop?))
      (begin (command (car cs) env) (commands (cdr cs) env))))

(define (command c env)
  (case (car c)
    ((fd) (forward! (value (cadr c) env)))
    ((bk) (forward! (- 0 (value (cadr c) env))))
    ((rt) (turn! 1))
    ((lt) (turn! 3))
    ((repeat) (let loop ((n (value (cadr c) env)))
                (if (> n 0)
                    (begin (commands (cddr c) env) (loop (- n 1))))))
    ((if) (if (value (cadr c) env) (commands (cddr c) env)))
    ((ifelse) (if (value (cadr c) env) (commands (caddr c) env) (commands (cadddr c) env)))
    (else
     (let ((p (assq (car c) procedures)))
       (if p
           (commands (cddr p) (bind (cadr p) (cdr c) env))
           (error "I don't know how to" (car c)))))))

(define (bind names es env)
  (if (null? names)
      '()
      (cons (cons (car names) (value (car es) env))
            (bind (cdr names) (cdr es) env))))

(define (value e env)
  (cond ((number? e) e)
        ((symbol? e) (cdr (assq e env)))
        (else
         (let ((a (value (car e) env)) (b (value (caddr e) env)))
           (case (cadr e)
             ((+) (+ a b)) ((-) (- a b)) ((*) (* a b)) ((/) (quotient a b))
             ((<) (< a b)) ((=) (= a b)) (else (error "bad operator" (cadr e))))))))

(define (run program size)
  (set! turtle (vector 0 0 0))
  (set! trace '())
  (set! procedures '())
  (let loop ((p program))
    (cond ((null? p) (reverse trace))
          ((eq? (caar p) 'to)
           (set! procedures (cons (cdar p) procedures))
           (loop (cdr p)))
          (else (command (car p) (list (cons 'size size)))
                (loop (cdr p))))))
