; Symbolic derivatives, by cases and by a table of procedures.
; smaller: (length (run 2)) gives 5

(import (scheme base) (scheme cxr) (scheme write))

(define (deriv a)
  (cond ((not (pair? a)) (if (eq? a 'x) 1 0))
        ((eq? (car a) '+) (cons '+ (map deriv (cdr a))))
        ((eq? (car a) '-) (cons '- (map deriv (cdr a))))
        ((eq? (car a) '*)
         (list '* a (cons '+ (map (lambda (b) (list '/ (deriv b) b)) (cdr a)))))
        ((eq? (car a) '/)
         (list '- (list '/ (deriv (cadr a)) (caddr a))
               (list '/ (cadr a) (list '* (caddr a) (caddr a) (deriv (caddr a))))))
        (else (error "no derivative of" (car a)))))

(define table '())

(define (rule name procedure) (set! table (cons (cons name procedure) table)))

(define (by-table a)
  (if (pair? a)
      ((cdr (assq (car a) table)) (cdr a))
      (if (eq? a 'x) 1 0)))

(define (make-rules)
  (rule '/ (lambda (b)
             (list '- (list '/ (by-table (car b)) (cadr b))
                   (list '/ (car b) (list '* (cadr b) (cadr b) (by-table (cadr b)))))))
  (rule '* (lambda (b)
             (list '* (cons '* b) (cons '+ (map (lambda (c) (list '/ (by-table c) c)) b)))))
  (rule '- (lambda (b) (cons '- (map by-table b))))
  (rule '+ (lambda (b) (cons '+ (map by-table b)))))

(define expression '(+ (* 3 x x) (* a x x) (* b x) 5))

(define (run times)
  (make-rules)
  (let loop ((i 1) (found '()) (other '()))
    (cond ((<= i times) (loop (+ i 1) (deriv expression) (by-table expression)))
          ((equal? found other) found)
          (else 'different))))

(write (run 300000))
