(define-record-type point
  (make-point x y)
  point?
  (x point-x set-point-x!)
  (y point-y))

; from data.scm:30
(define (move p dx)
  (cond ((point? p)
         (set-point-x! p (+ (point-x p) dx))
         (make-point (point-y p) (point-x p)))
        (else (error "no point:" p))))
