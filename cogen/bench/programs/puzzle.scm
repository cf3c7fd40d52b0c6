; A box is filled with bricks by trying: vectors of truth values.
; smaller: (run 1 3) gives (#t 13)

(import (scheme base) (scheme write))

; Bricks are lists of places in a cube with sides of `n` cells in rows of n + 1.

(define (brick-places side a b c)
  (let ((made '()))
    (do ((i (- a 1) (- i 1))) ((< i 0) made)
      (do ((j (- b 1) (- j 1))) ((< j 0))
        (do ((k (- c 1) (- k 1))) ((< k 0))
          (set! made (cons (+ i (* side (+ j (* side k)))) made)))))))

(define (make-board n)
  (let* ((side (+ n 1)) (board (make-vector (* 2 side side side) #t)))
    (do ((i 0 (+ i 1))) ((= i n) board)
      (do ((j 0 (+ j 1))) ((= j n))
        (do ((k 0 (+ k 1))) ((= k n))
          (vector-set! board (+ i (* side (+ j (* side k)))) #f))))))

(define (first-free board from)
  (let loop ((i from))
    (cond ((= i (vector-length board)) #f)
          ((vector-ref board i) (loop (+ i 1)))
          (else i))))

(define (fits? board places at)
  (let loop ((p places))
    (or (null? p)
        (and (< (+ at (car p)) (vector-length board))
             (not (vector-ref board (+ at (car p))))
             (loop (cdr p))))))

(define (put! board places at value)
  (for-each (lambda (p) (vector-set! board (+ at p) value)) places))

(define trials 0)

; Each kind: how many there are in a vector, and the places of its orientations.

(define (solve board from counts kinds)
  (set! trials (+ trials 1))
  (let ((at (first-free board from)))
    (or (not at)
        (let try ((k 0))
          (and (< k (vector-length kinds))
               (or (and (> (vector-ref counts k) 0)
                        (let turn ((shapes (vector-ref kinds k)))
                          (and (pair? shapes)
                               (or (and (fits? board (car shapes) at)
                                        (begin
                                          (put! board (car shapes) at #t)
                                          (vector-set! counts k (- (vector-ref counts k) 1))
                                          #t)
                                        (or (solve board at counts kinds)
                                            (begin
                                              (put! board (car shapes) at #f)
                                              (vector-set! counts k (+ (vector-ref counts k) 1))
                                              #f)))
                                   (turn (cdr shapes))))))
                   (try (+ k 1))))))))

(define (turned side a b c)
  (let add ((left (list (list a b c) (list a c b) (list b a c)
                        (list b c a) (list c a b) (list c b a)))
            (made '()))
    (if (null? left)
        (reverse made)
        (let ((shape (apply brick-places side (car left))))
          (add (cdr left) (if (member shape made) made (cons shape made)))))))

(define (run times n)
  (let ((side (+ n 1)) (found #f))
    (do ((i 0 (+ i 1))) ((= i times) (list found trials))
      (set! trials 0)
      (set! found
            (if (= n 3)
                (solve (make-board n) 0 (vector 3 9 2)
                       (vector (turned side 3 1 1) (turned side 2 1 1) (turned side 1 1 1)))
                (solve (make-board n) 0 (vector 13 3 1 1)
                       (vector (turned side 4 2 1) (turned side 3 1 1)
                               (turned side 2 2 1) (turned side 2 2 2))))))))

(write (run 200 5))
