; A picture of spheres by rays of light: floats, and bytes that are written.
; smaller: (run 1 2) gives 256

(import (scheme base) (scheme inexact) (scheme write))

(define (sq x) (* x x))

(define (minroot a b c)
  (if (= a 0.)
      (/ (- c) b)
      (let ((disc (- (sq b) (* 4. a c))))
        (if (< disc 0.)
            #f
            (let ((root (sqrt disc)))
              (min (/ (+ (- b) root) (* 2. a))
                   (/ (- (- b) root) (* 2. a))))))))

; A sphere: colour, radius, and where it is.
(define (sphere color r x y z) (vector color r x y z))

(define world '())

(define (make-world)
  (set! world '())
  (set! world (cons (sphere .8 200. 0. -300. -1200.) world))
  (set! world (cons (sphere .7 200. -80. -150. -1200.) world))
  (set! world (cons (sphere .9 200. 70. -100. -1200.) world))
  (do ((x -2 (+ x 1))) ((> x 2))
    (do ((z 2 (+ z 1))) ((> z 7))
      (set! world
            (cons (sphere .75 40. (* 200. (inexact x)) 300. (* -400. (inexact z))) world)))))

(define eye-z 200.)

(define (intersect s ex ey ez dx dy dz)
  (let ((x (- ex (vector-ref s 2))) (y (- ey (vector-ref s 3))) (z (- ez (vector-ref s 4))))
    (minroot (+ (sq dx) (sq dy) (sq dz))
             (* 2. (+ (* x dx) (* y dy) (* z dz)))
             (+ (sq x) (sq y) (sq z) (- (sq (vector-ref s 1)))))))

(define (first-hit ex ey ez dx dy dz)
  (let loop ((spheres world) (nearest #f) (least 1e308))
    (if (null? spheres)
        (values nearest least)
        (let ((at (intersect (car spheres) ex ey ez dx dy dz)))
          (if (and at (< 0. at least))
              (loop (cdr spheres) (car spheres) at)
              (loop (cdr spheres) nearest least))))))

(define (color-at x y)
  (let* ((dx x) (dy y) (dz (- eye-z))
         (size (sqrt (+ (sq dx) (sq dy) (sq dz))))
         (dx (/ dx size)) (dy (/ dy size)) (dz (/ dz size)))
    (call-with-values
     (lambda () (first-hit 0. 0. eye-z dx dy dz))
     (lambda (s at)
       (if (not s)
           0
           (let* ((px (* at dx)) (py (* at dy)) (pz (+ eye-z (* at dz)))
                  (r (vector-ref s 1))
                  (nx (/ (- px (vector-ref s 2)) r))
                  (ny (/ (- py (vector-ref s 3)) r))
                  (nz (/ (- pz (vector-ref s 4)) r))
                  (light (+ (* dx nx) (* dy ny) (* dz nz))))
             (exact (round (* 255. (vector-ref s 0) (max 0. (- light)))))))))))

(define (picture scale)
  (let* ((n (* 8 scale)) (bytes (make-bytevector (* n n) 0)))
    (do ((y 0 (+ y 1))) ((= y n) bytes)
      (do ((x 0 (+ x 1))) ((= x n))
        (bytevector-u8-set! bytes (+ x (* n y))
                            (color-at (- (/ (* 100. (inexact x)) (inexact n)) 50.)
                                      (- (/ (* 100. (inexact y)) (inexact n)) 50.)))))))

(define (run times scale)
  (make-world)
  (do ((i 1 (+ i 1)) (found (make-bytevector 0 0) (picture scale)))
      ((> i times) (bytevector-length found))))

(write (run 3 40))
