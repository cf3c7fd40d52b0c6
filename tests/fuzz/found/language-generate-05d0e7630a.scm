; kind: language
; way: generate
; division: (_)
; arguments: ((()))
; generalize: True
(define-record-type point (make-point px py) point? (px point-x set-point-x!) (py point-y))
(define counter 0)
(define (helper0 p0 p1)
  (string->symbol (number->string (guard (e ((string? e) (quotient p1 -5)) ) (if #f (raise ((lambda (v) (+ v 6)) -3)) (+ -3 -3))))))
(define (helper1 p0)
  (call/cc (lambda (car) (for-each (lambda (v2) (if (if #t #f (pair? '())) (car (cons v2 v2)))) (begin (* -3 4611686018427387904) '())) '(4 . 1))))
(define (main x)
  (string (let ((m (point-x (make-point 6 '())))) (set! m (if #f m m)) (integer->char (+ 97 (modulo (if #t m (+ m 1)) 26)))) (do ((i4 0 (+ i4 1)) (acc5 #\λ (string-ref (string-append (string-append "ab" (begin (* -3 4611686018427387904) "")) "z") 0))) ((>= i4 3) acc5))))
