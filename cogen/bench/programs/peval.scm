; A partial evaluator for a small Scheme: programs as data, with what is known of variables.
; smaller: (run 1) gives (* x (* x (* x (* x (* x 1)))))

(import (scheme base) (scheme cxr) (scheme write))

(define program
  '((define (power x n) (if (= n 0) 1 (* x (power x (- n 1)))))
    (define (even n) (if (= n 0) #t (odd (- n 1))))
    (define (odd n) (if (= n 0) #f (even (- n 1))))
    (define (append* a b) (if (null? a) b (cons (car a) (append* (cdr a) b))))
    (define (length* a) (if (null? a) 0 (+ 1 (length* (cdr a)))))
    (define (main x n l)
      (if (even (length* (append* l l))) (power x n) (power n x)))))

(define (definition name)
  (let loop ((l program))
    (cond ((null? l) #f)
          ((eq? name (caadr (car l))) (car l))
          (else (loop (cdr l))))))

(define (constant? e)
  (or (number? e) (boolean? e) (and (pair? e) (eq? (car e) 'quote))))
(define (value-of e) (if (pair? e) (cadr e) e))
(define (as-constant v) (if (or (number? v) (boolean? v)) v (list 'quote v)))

(define operations
  (list (cons '+ +) (cons '- -) (cons '* *) (cons '= =) (cons 'car car) (cons 'cdr cdr)
        (cons 'cons cons) (cons 'null? null?)))

(define (reduce e env)
  (cond ((symbol? e) (cdr (assq e env)))
        ((constant? e) e)
        ((eq? (car e) 'if)
         (let ((test (reduce (cadr e) env)))
           (if (constant? test)
               (reduce (if (value-of test) (caddr e) (cadddr e)) env)
               (list 'if test (reduce (caddr e) env) (reduce (cadddr e) env)))))
        (else
         (let ((arguments (map (lambda (a) (reduce a env)) (cdr e)))
               (operation (assq (car e) operations)))
           (cond (operation
                  (if (all-constant? arguments)
                      (as-constant (apply (cdr operation) (map value-of arguments)))
                      (cons (car e) arguments)))
                 (else
                  (let ((d (definition (car e))))
                    (reduce (caddr d) (map cons (cdadr d) arguments)))))))))

(define (all-constant? l) (or (null? l) (and (constant? (car l)) (all-constant? (cdr l)))))

(define (run times)
  (do ((i 1 (+ i 1))
       (found #f (reduce '(main x 5 l) '((x . x) (l . '(a b c d e f g h))))))
      ((> i times) found)))

(write (run 8000))
