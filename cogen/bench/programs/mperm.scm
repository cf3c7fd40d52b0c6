; All permutations as lists that share their ends, some sets of them kept while others are made.
; smaller: (run 2 2 4) gives 240

(import (scheme base) (scheme write))

(define (permutations items)
  (let ((current items) (found (list items)))
    (define (revloop x n y)
      (if (= n 0) y (revloop (cdr x) (- n 1) (cons (car x) y))))
    (define (flip n)
      (set! current (revloop current n (list-tail current n)))
      (set! found (cons current found)))
    (define (permute n)
      (if (> n 1)
          (begin
            (permute (- n 1))
            (let loop ((i (- n 1)))
              (if (> i 0)
                  (begin
                    (flip n)
                    (permute (- n 1))
                    (loop (- i 1))))))))
    (permute (length items))
    found))

(define (sum-of lists)
  (let outer ((lists lists) (sum 0))
    (if (null? lists)
        sum
        (outer (cdr lists)
               (let inner ((l (car lists)) (sum sum))
                 (if (null? l) sum (inner (cdr l) (+ sum (car l)))))))))

(define (one-to n) (do ((i n (- i 1)) (made '() (cons i made))) ((= i 0) made)))

; A queue of `kept` sets, of which the oldest goes when a new one comes.
(define (run times kept n)
  (let ((queue (make-vector kept '())))
    (do ((i 0 (+ i 1)))
        ((= i times) (sum-of (vector-ref queue (modulo (- times 1) kept))))
      (vector-set! queue (modulo i kept) (permutations (one-to n))))))

(write (run 8 4 9))
