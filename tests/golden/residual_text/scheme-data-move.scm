(define-record-type point
  (make-point x y)
  point?
  (x point-x set-point-x!)
  (y point-y))

; from data.scm:30
(define (move p dx)
  (if (point? p)
      (let ((t-1 (+ (point-x p) dx)))
        (set-point-x! p t-1)
        (make-point (point-y p) t-1))
      (error "no point:" p)))
