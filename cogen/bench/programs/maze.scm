; A maze of hexagons: walls as bits, rooms that are joined when a wall falls, the longest path.
; smaller: (run 1 4 4) gives (16 #t)

(import (scheme base) (scheme write))

(define seed 0)
(define (random n)
  (set! seed (modulo (+ (* seed 1103515245) 12345) 2147483648))
  (modulo (quotient seed 65536) n))

; Sets: vectors whose elements are the set, or how many rooms there are in it.
(define (make-set) (vector 1))
(define (set-root s)
  (let loop ((s s))
    (let ((x (vector-ref s 0)))
      (if (vector? x) (loop x) s))))
(define (join! a b)
  (let ((a (set-root a)) (b (set-root b)))
    (if (not (eq? a b))
        (let ((na (vector-ref a 0)) (nb (vector-ref b 0)))
          (if (< na nb)
              (begin (vector-set! a 0 b) (vector-set! b 0 (+ na nb)))
              (begin (vector-set! b 0 a) (vector-set! a 0 (+ na nb))))))))

; A room: its set, and the rooms that it is open to.
(define-record-type room
  (make-room number set open)
  room?
  (number room-number)
  (set room-set)
  (open room-open room-open!)
  (mark room-mark room-mark!))

(define (neighbours i rows columns)
  (let ((r (quotient i columns)) (c (modulo i columns)))
    (let ((add (lambda (dr dc found)
                 (let ((r (+ r dr)) (c (+ c dc)))
                   (if (and (< -1 r rows) (< -1 c columns))
                       (cons (+ c (* columns r)) found)
                       found))))
          (side (if (even? r) 0 -1)))
      (add 0 1 (add 1 side (add 1 (+ side 1) '()))))))

(define (shuffle! v)
  (do ((i (vector-length v) (- i 1))) ((<= i 1) v)
    (let* ((j (random i)) (x (vector-ref v j)))
      (vector-set! v j (vector-ref v (- i 1)))
      (vector-set! v (- i 1) x))))

(define (make-maze rows columns)
  (let* ((n (* rows columns)) (rooms (make-vector n #f)) (walls '()))
    (do ((i 0 (+ i 1))) ((= i n))
      (vector-set! rooms i (make-room i (make-set) '()))
      (for-each (lambda (j) (set! walls (cons (cons i j) walls))) (neighbours i rows columns)))
    (let ((walls (shuffle! (list->vector walls))))
      (do ((k 0 (+ k 1))) ((= k (vector-length walls)) rooms)
        (let* ((wall (vector-ref walls k))
               (a (vector-ref rooms (car wall)))
               (b (vector-ref rooms (cdr wall))))
          (if (not (eq? (set-root (room-set a)) (set-root (room-set b))))
              (begin
                (join! (room-set a) (room-set b))
                (room-open! a (cons b (room-open a)))
                (room-open! b (cons a (room-open b))))))))))

; The number of rooms that are reached from one, by a search without recursion.
(define (reached from)
  (let loop ((todo (list from)) (count 0))
    (cond ((null? todo) count)
          ((eq? 'seen (room-mark (car todo))) (loop (cdr todo) count))
          (else
           (let ((here (car todo)))
             (room-mark! here 'seen)
             (loop (append (room-open here) (cdr todo)) (+ count 1)))))))

(define (run times rows columns)
  (set! seed 7)
  (let loop ((i 1))
    (let* ((rooms (make-maze rows columns))
           (size (vector-ref (set-root (room-set (vector-ref rooms 0))) 0)))
      (do ((k 0 (+ k 1))) ((= k (vector-length rooms))) (room-mark! (vector-ref rooms k) #f))
      (if (< i times)
          (loop (+ i 1))
          (list size (= size (reached (vector-ref rooms 0))))))))

(write (run 60 80 80))
