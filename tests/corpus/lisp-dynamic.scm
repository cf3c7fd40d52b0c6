;;; A Lisp with dynamic scope: a procedure sees the bindings of those that called it.

(define (run program n)
  (evaluate (cadr program) (list (cons 'n n)) (car program)))

(define (evaluate e env definitions)
  (cond ((symbol? e)
         (let ((b (assq e env)))
           (if b (cdr b) (error "unbound" e))))
        ((not (pair? e)) e)
        ((eq? (car e) 'quote) (cadr e))
        ((eq? (car e) 'if)
         (if (evaluate (cadr e) env definitions)
             (evaluate (caddr e) env definitions)
             (evaluate (cadddr e) env definitions)))
        ((eq? (car e) 'let)
         (evaluate (caddr e)
                   (cons (cons (caadr e) (evaluate (cadadr e) env definitions)) env)
                   definitions))
        ((assq (car e) definitions)
         => (lambda (d)
              (evaluate (caddr d) (bind (cadr d) (cdr e) env env definitions) definitions)))
        (else
         (primitive (car e) (map (lambda (x) (evaluate x env definitions)) (cdr e))))))

(define (bind names expressions env new definitions)
  (if (null? names)
      new
      (bind (cdr names)
            (cdr expressions)
            env
            (cons (cons (car names) (evaluate (car expressions) env definitions)) new)
            definitions)))

(define (primitive name operands)
  (case name
    ((+) (+ (car operands) (cadr operands)))
    ((-) (- (car operands) (cadr operands)))
    ((*) (* (car operands) (cadr operands)))
    ((=) (= (car operands) (cadr operands)))
    ((<) (< (car operands) (cadr operands)))
    ((car) (caar operands))
    ((cdr) (cdar operands))
    ((null?) (null? (car operands)))
    ((cons) (cons (car operands) (cadr operands)))
    (else (error "unknown" name))))
