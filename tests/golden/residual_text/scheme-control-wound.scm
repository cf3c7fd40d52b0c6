; from control.scm:20
(define (wound thunk)
  (display "in ")
  (let ((t-1 (thunk)) (cell (if #f #f)))
    (set! cell (list (cons wound-1 wound-2)))
    (apply (lambda results
             (set! cell (cdr cell))
             (display "out")
             (apply values results))
           (values->list t-1))))

; from control.scm:22
(define (wound-1) (display "in "))

; from control.scm:24
(define (wound-2) (display "out"))
