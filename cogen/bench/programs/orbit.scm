;; Two bodies in the plane, by the leapfrog method: the energy after so many steps.

(define (energy x y vx vy)
  (- (/ (+ (* vx vx) (* vy vy)) 2.0)
     (/ 1.0 (sqrt (+ (* x x) (* y y))))))

(define (orbit steps dt)
  (let loop ((n steps) (x 1.0) (y 0.0) (vx 0.0) (vy 1.2))
    (if (= n 0)
        (energy x y vx vy)
        (let* ((r2 (+ (* x x) (* y y)))
               (pull (/ dt (* r2 (sqrt r2))))
               (vx (- vx (* pull x)))
               (vy (- vy (* pull y))))
          (loop (- n 1) (+ x (* dt vx)) (+ y (* dt vy)) vx vy)))))

(display (< -0.2801 (orbit 2000000 0.001) -0.2799))
(newline)
