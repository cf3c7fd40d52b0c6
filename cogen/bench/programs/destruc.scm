; Lists that are changed in place: cut in halves, which change places with their neighbours'.
; smaller: (run 2 3 6) gives ((3 2 1 3 2 1) (6 5 4 6 5 4) (3 2 1 6 5 4))

(import (scheme base) (scheme write))

(define (down-from n) (do ((i 1 (+ i 1)) (made '() (cons i made))) ((> i n) made)))

; Cut a list before its n-th pair; what was behind it is given.
(define (cut! l n)
  (let* ((before (list-tail l (- n 1))) (after (cdr before)))
    (set-cdr! before '())
    after))

(define (append! x y)
  (if (null? x)
      y
      (let last ((a x))
        (if (null? (cdr a))
            (begin (set-cdr! a y) x)
            (last (cdr a))))))

(define (stir! lists)
  (let pairs ((a lists))
    (if (and (pair? a) (pair? (cdr a)))
        (let* ((x (car a)) (y (cadr a)) (half (quotient (length x) 2)))
          (if (> half 0)
              (let ((x-end (cut! x half)) (y-end (cut! y half)))
                (set-car! a (append! y-end x))
                (set-car! (cdr a) (append! x-end y))))
          (pairs (cdr a))))))

(define (run rounds n m)
  (let ((lists (map (lambda (ignored) (down-from m)) (down-from n))))
    (do ((i 0 (+ i 1))) ((= i rounds) lists) (stir! lists))))

(define (checksum lists)
  (let loop ((lists lists) (sum 0))
    (if (null? lists)
        sum
        (loop (cdr lists)
              (let inner ((l (car lists)) (sum sum))
                (if (null? l) sum (inner (cdr l) (modulo (+ (* 31 sum) (car l)) 1000003))))))))

(write (checksum (run 6000 60 60)))
