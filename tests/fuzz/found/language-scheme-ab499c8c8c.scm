; kind: language
; way: scheme
; division: (_ _ _)
; arguments: (((-4 . -4) (-4 . -4) -4))
; generalize: True
(define-record-type point (make-point px py) point? (px point-x set-point-x!) (py point-y))
(define counter 0)
(define (main x y z)
  (let ((p (make-point (if #t (let ((car (if #t 9 z))) (begin (quotient 7 z) car)) (vector-ref (vector (char->integer (string-ref (string-append "a" "z") 0)) (call/cc (lambda (k2) (if #t (k2 0) -3)))) 0)) '()))) (set-point-x! p (let list ((i 3)) (if (<= i 0) (let ((a6 (cons i (if #t 1 z)))) (cdr (cons (word-add z (car '(-3 . -3))) 3))) (let ((acc5 (list (- i 1)))) (if (call-with-values (lambda () (values z (apply list z '(-2)))) (lambda (car y8) #t)) -3 -3))))) p))
