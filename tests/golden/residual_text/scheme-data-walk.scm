; from data.scm:13
(define (walk tree)
  (let ((left (car tree)) (right (cdr tree)))
    (cond ((eq? left 'a) '(a . 1))
          ((eq? left 'b) '(b . 2))
          (else (list left (list right 'end) (cons right left) 2)))))
