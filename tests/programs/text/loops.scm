; Loops, recursion and errors: the structure of C and of Python.
;
; down "(dynamic int)"
; nested "(dynamic int)" "(dynamic int)"
; search "(dynamic memory)" "(dynamic int)"
; collatz "(dynamic int)"
; fib "(dynamic int)" --checked
; smaller-fib "(dynamic int)"
; skipping "(dynamic memory)" "(dynamic int)"
; in-turn "(dynamic int)"
; even-steps "(dynamic int)" "(dynamic bool)"
; swap "(dynamic int)" "(dynamic int)" "(dynamic int)"
; checked-root "(dynamic int)"
; crossed "(dynamic memory)" "(dynamic int)"

(define (down n)
  (let loop ((i n) (product 1))
    (if (> i 0) (loop (- i 2) (* i product)) product)))

(define (nested rows columns)
  (let outer ((i 0) (sum 0))
    (if (= i rows) sum
        (let inner ((j 0) (sum sum))
          (if (= j columns) (outer (+ i 1) sum)
              (inner (+ j 1) (+ sum (* i j))))))))

;; Leaves the loop in its middle.
(define (search memory wanted)
  (let ((end (buffer-words memory)))
    (let loop ((i 0))
      (cond ((= i end) -1)
            ((= (load-word memory i) wanted) i)
            (else (loop (+ i 1)))))))

(define (collatz n)
  (let loop ((n n) (steps 0))
    (cond ((= n 1) steps)
          ((even? n) (loop (quotient n 2) (+ steps 1)))
          (else (loop (+ (* 3 n) 1) (+ steps 1))))))

(define (fib n)
  (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))

;; What a procedure returns as it is.
(define (smaller-fib n)
  (if (< n 30) (fib n) (fib (quotient n 2))))

;; A round that ends before its code does.
(define (skipping memory n)
  (let loop ((i 0) (sum 0))
    (if (= i n) sum
        (let ((x (load-word memory i)))
          (if (and (> x 20) (odd? sum))
              (loop (+ i 1) (+ sum 1))
              (begin (store-word! memory i 0) (loop (+ i 1) (+ sum x))))))))

;; Procedures whose tail calls go round in a cycle, which is entered in two places.
(define (in-turn n)
  (if (ping n) (not (pong n)) (pong (quotient n 2))))

(define (ping n)
  (if (< n 1) #t (if (ping (quotient n 3)) (pong (- n 1)) #f)))

(define (pong n)
  (if (< n 1) #f (if (pong (quotient n 5)) #t (ping (- n 1)))))

;; A cycle of tail calls that becomes loops.
(define (even-steps n up)
  (if (< n 1) up (odd-steps (- n 1) (if up (< n 100) (> n 5)))))

(define (odd-steps n up)
  (if (< n 1) (not up) (even-steps (- n 1) up)))

;; A simultaneous assignment.
(define (swap n a b)
  (if (= n 0) (- a b) (swap (- n 1) b a)))

(define (checked-root n)
  (if (< n 0) (error "no root of a negative number:" n)
      (let loop ((r 0))
        (if (> (* r r) n) (- r 1) (loop (+ r 1))))))

;; Two rounds of an outer loop that share the inner one.
(define (crossed memory n)
  (let loop ((i 0) (state 0))
    (if (= i n) state
        (let ((x (load-word memory i)))
          (cond ((and (= state 0) (= x 1)) (loop (+ i 1) 1))
                ((and (= state 1) (= x 0)) (loop (+ i 1) 2))
                ((= state 2) (store-word! memory i 0) (loop (+ i 1) 0))
                (else (loop (+ i 1) state)))))))
