; Chains of rigid parts in space: each has a choice of joints, and no two may come too near.
; smaller: (run 1 4) gives 105

(import (scheme base) (scheme inexact) (scheme write))

; A transformation: a rotation (nine numbers) and a translation.
(define (transform . numbers) (list->vector numbers))

(define (compose a b)
  (let ((ref vector-ref))
    (let ((entry (lambda (i j)
                   (+ (* (ref a (* 3 i)) (ref b j))
                      (* (ref a (+ 1 (* 3 i))) (ref b (+ 3 j)))
                      (* (ref a (+ 2 (* 3 i))) (ref b (+ 6 j))))))
          (moved (lambda (i)
                   (+ (* (ref a (* 3 i)) (ref b 9))
                      (* (ref a (+ 1 (* 3 i))) (ref b 10))
                      (* (ref a (+ 2 (* 3 i))) (ref b 11))
                      (ref a (+ 9 i))))))
      (vector (entry 0 0) (entry 0 1) (entry 0 2)
              (entry 1 0) (entry 1 1) (entry 1 2)
              (entry 2 0) (entry 2 1) (entry 2 2)
              (moved 0) (moved 1) (moved 2)))))

(define (joint angle tilt)
  (let ((c (cos angle)) (s (sin angle)) (ct (cos tilt)) (st (sin tilt)))
    (transform (* c ct) (- s) (* c st)
               (* s ct) c (* s st)
               (- st) 0. ct
               1.5 0. .2)))

(define joints
  (map (lambda (k) (joint (* .7 (inexact k)) (- .9 (* .3 (inexact k))))) '(0 1 2 3 4)))

(define (distance2 a b)
  (let ((dx (- (vector-ref a 9) (vector-ref b 9)))
        (dy (- (vector-ref a 10) (vector-ref b 10)))
        (dz (- (vector-ref a 11) (vector-ref b 11))))
    (+ (* dx dx) (* dy dy) (* dz dz))))

(define (clear? part placed)
  (let loop ((others placed))
    (or (null? others)
        (and (> (distance2 part (car others)) 2.)
             (loop (cdr others))))))

; The ends must be near each other again.
(define (closed? placed first)
  (< (distance2 (car placed) first) 9.))

(define (search n placed first)
  (if (= n 0)
      (if (closed? placed first) 1 0)
      (let loop ((choices joints) (count 0))
        (if (null? choices)
            count
            (let ((part (compose (car placed) (car choices))))
              (loop (cdr choices)
                    (if (clear? part placed)
                        (+ count (search (- n 1) (cons part placed) first))
                        count)))))))

(define start (transform 1. 0. 0. 0. 1. 0. 0. 0. 1. 0. 0. 0.))

(define (run times n)
  (do ((i 1 (+ i 1)) (found 0 (search n (list start) start)))
      ((> i times) (search n (list start) start))))

(write (run 8 8))
