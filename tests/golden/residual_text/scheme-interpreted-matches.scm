; from interpreted.scm:28
(define (matches items)
  ; from interpreted.scm:31
  (let match-1 ((items-1 items))
    (let ((test (pair? items-1)))
      (or (and test (eq? (car items-1) 'b) (null? (cdr items-1)))
          (and test (eq? (car items-1) 'a) (match-1 (cdr items-1)))))))
