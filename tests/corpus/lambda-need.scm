;;; A lazy functional language: arguments are evaluated at most once, `cons` delays both parts.
;;;
;;;     program ::= ((define (f x ...) e) ...)                the last function is the entry
;;;     e       ::= number | x | (if e e e) | (op e e) | (cons e e) | (car e) | (cdr e)
;;;               | (null? e) | nil | (f e ...)

(define (run program input)
  (let ((d (last program)))
    (evaluate (caddr d) (list (cons (cadadr d) (delayed (lambda () input)))) program)))

(define (last l) (if (null? (cdr l)) (car l) (last (cdr l))))

;; A promise: a pair of a flag and a thunk, or a value.
(define (delayed thunk) (cons #f thunk))

(define (value promise)
  (if (not (car promise))
      (let ((v ((cdr promise))))
        (set-car! promise #t)
        (set-cdr! promise v)))
  (cdr promise))

(define (evaluate e env program)
  (cond ((number? e) e)
        ((eq? e 'nil) '())
        ((symbol? e) (value (cdr (assq e env))))
        (else
         (case (car e)
           ((if) (if (evaluate (cadr e) env program)
                     (evaluate (caddr e) env program)
                     (evaluate (cadddr e) env program)))
           ((+ - * = <)
            (let ((a (evaluate (cadr e) env program))
                  (b (evaluate (caddr e) env program)))
              (case (car e) ((+) (+ a b)) ((-) (- a b)) ((*) (* a b)) ((=) (= a b)) (else (< a b)))))
           ((cons) (cons (later (cadr e) env program) (later (caddr e) env program)))
           ((car) (value (car (evaluate (cadr e) env program))))
           ((cdr) (value (cdr (evaluate (cadr e) env program))))
           ((null?) (null? (evaluate (cadr e) env program)))
           (else
            (let ((d (find (car e) program)))
              (evaluate (caddr d)
                        (map (lambda (name e) (cons name (later e env program)))
                             (cdadr d)
                             (cdr e))
                        program)))))))

(define (later e env program)
  (delayed (lambda () (evaluate e env program))))

(define (find name program)
  (if (eq? name (caadr (car program)))
      (car program)
      (find name (cdr program))))
