; kind: language
; way: scheme
; division: (_ _ _)
; arguments: ((7 #t (-4 . -4)))
; generalize: False
(define-record-type point (make-point px py) point? (px point-x set-point-x!) (py point-y))
(define counter 0)
(define (helper0 p0 p1)
  (if (even? (case (modulo ((lambda (list) list) (arithmetic-shift (if #t -3 -3) 0)) 4) ((0 2) -3) ((1) -3) (else (- (if #t 1 (arithmetic-shift -2 -1)) (+ -3 9))))) 'even 'odd))
(define (main x y z)
  (cons (min (if (begin (car '(8 1 2)) y) (vector-ref (case (modulo x 4) ((0 2) (vector 2 0)) ((1) (vector 7 5)) (else (vector 4 5))) 1) (let ((a2 '(-3))) x)) x) (let list ((car (modulo x 4)) (acc (guard (e (#t (if #t '(2) '(8)))) (if (< 0 0) (error "negative:" 0) (append '(3) '(5)))))) (if (<= car 0) acc (list (- car 1) (let ((a (lambda (v) (guard (e (#t car)) (if (< v 0) (error "negative:" v) x))))) (apply list (apply + '(-2 1 2)) `(1 ,@acc ,2))))))))
