; from data.scm:41
(define (each-other n)
  (list (lambda (k-1) (if (= k-1 0) n (+ 1 (down (- k-1 1) n))))
        (lambda (k-4) (down k-4 n))))

; from data.scm:43
(define (down k-6 n-1)
  (if (= k-6 0)
      1
      (let* ((t-3 (- k-6 1))
             (t-4 (if (= t-3 0) n-1 (+ 1 (down (- t-3 1) n-1)))))
        (* 2 t-4))))
