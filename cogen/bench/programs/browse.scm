; Patterns with variables and segments matched against random lists of symbols, kept in a table.
; smaller: (run 1 5) gives 7

(import (scheme base) (scheme cxr) (scheme write))

(define seed 21)
(define (random n) (set! seed (modulo (* seed 17) 251)) (modulo seed n))

(define (match? pattern data bound)
  (cond ((null? pattern) (null? data))
        ((and (pair? pattern) (pair? data))
         (let ((p (car pattern)))
           (cond ((eq? p '?) (match? (cdr pattern) (cdr data) bound))
                 ((eq? p '*)
                  (or (match? (cdr pattern) data bound)
                      (match? pattern (cdr data) bound)))
                 ((pair? p)
                  (and (pair? (car data))
                       (match? p (car data) bound)
                       (match? (cdr pattern) (cdr data) bound)))
                 ((char=? #\? (string-ref (symbol->string p) 0))
                  (let ((found (assq p bound)))
                    (if found
                        (and (eqv? (cdr found) (car data))
                             (match? (cdr pattern) (cdr data) bound))
                        (match? (cdr pattern) (cdr data) (cons (cons p (car data)) bound)))))
                 (else (and (eqv? p (car data)) (match? (cdr pattern) (cdr data) bound))))))
        ((pair? pattern) (and (eq? '* (car pattern)) (match? (cdr pattern) data bound)))
        (else #f)))

(define letters '#(a b c d))

(define (data depth)
  (let loop ((n (+ 4 (random 5))) (made '()))
    (if (= n 0)
        made
        (loop (- n 1)
              (cons (if (and (> depth 0) (= 0 (random 3)))
                        (data (- depth 1))
                        (vector-ref letters (random 4)))
                    made)))))

(define patterns
  '((* a ? b *) (* ?x * ?x *) (* (* c *) *) (?x ? * ?x) (* (* ?y ?y *) * a)))

(define (name i) (string->symbol (string-append "n" (number->string i))))

(define (run times n)
  (set! seed 21)
  (let ((table (let make ((i 0)) (if (= i n) '() (cons (cons (name i) (data 2)) (make (+ i 1)))))))
    (let again ((i 1))
      (let ((count
             (let each ((i 0) (count 0))
               (if (= i n)
                   count
                   (let ((unit (cdr (assq (name i) table))))
                     (each (+ i 1)
                           (let tried ((p patterns) (count count))
                             (if (null? p)
                                 count
                                 (tried (cdr p)
                                        (if (match? (car p) unit '()) (+ count 1) count))))))))))
        (if (< i times) (again (+ i 1)) count)))))

(write (run 1000 200))
