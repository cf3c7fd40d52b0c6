; kind: language
; way: scheme
; division: (_ _ _)
; arguments: ((() #f ""))
; generalize: False
(define-record-type point (make-point px py) point? (px point-x set-point-x!) (py point-y))
(define counter 0)
(define (main x y z)
  (apply list (if #f 1 (string-length (let ((p (open-output-string))) (write (vector 6 0) p) (get-output-string p)))) (append (cons -3 x) x)))
