; from control.scm:9
(define (find wanted items)
  ; from prelude.scm:216
  (let find-1 ((items-1 (%finite "for-each" items)))
    (cond ((pair? items-1)
           (let ((t-1 (car items-1)))
             (if (equal? t-1 wanted) t-1 (find-1 (cdr items-1)))))
          ((null? items-1) #f)
          (else (error "for-each: expected a list, got" items-1)))))
