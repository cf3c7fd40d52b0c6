;;; An imperative language; the store is a list of values in the order of the declarations, changed
;;; by `set-car!` at the place that `list-tail` finds.

(define (run program . inputs)
  (let* ((names (car program))
         (store (append inputs (map (lambda (name) 0) (list-tail names (length inputs))))))
    (statement (cadr program) names store)
    (car store)))

(define (position name names)
  (if (eq? name (car names)) 0 (+ 1 (position name (cdr names)))))

(define (statement s names store)
  (cond ((eq? (car s) 'begin)
         (for-each (lambda (s) (statement s names store)) (cdr s)))
        ((eq? (car s) 'while)
         (if (expression (cadr s) names store)
             (begin
               (statement (caddr s) names store)
               (statement s names store))))
        ((eq? (car s) 'if)
         (if (expression (cadr s) names store)
             (statement (caddr s) names store)
             (statement (cadddr s) names store)))
        ((eq? (cadr s) ':=)
         (set-car! (list-tail store (position (car s) names))
                   (expression (caddr s) names store)))
        (else (error "what is" s))))

(define (expression e names store)
  (cond ((symbol? e) (list-ref store (position e names)))
        ((pair? e)
         (operation (cadr e)
                    (expression (car e) names store)
                    (expression (caddr e) names store)))
        (else e)))

(define (operation name a b)
  (case name
    ((+) (+ a b))
    ((-) (- a b))
    ((*) (* a b))
    ((div) (quotient a b))
    ((mod) (remainder a b))
    ((<) (< a b))
    ((=) (= a b))
    ((<>) (not (= a b)))))
