; kind: language
; way: scheme
; division: (_)
; arguments: ((-4))
; generalize: True
(define (main x)
  (let ((items (list (lambda (y) (+ x y)))))
    (write items)
    (apply + (cons (car items) (car items)))))
