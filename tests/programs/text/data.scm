; Pairs, vectors, records and closures: whole programs in C.
;
; walk "(dynamic any)"
; classify _ _
; move _ _
; counter "(dynamic int)"
; each-other _
; table _
; within _ "(dynamic any)" "(dynamic any)"
; exchanged _ _ _

;; `let`, `let*`, `or` of a value, a list, constants that are shared.
(define (walk tree)
  (let* ((left (car tree)) (right (cdr tree)) (both (cons right left)))
    (or (assq left '((a . 1) (b . 2)))
        (list left (list right 'end) both (vector-length (vector left right))))))

;; `cond`, `and`, `or`, `when`, `unless`, `not`.
(define (classify a b)
  (when (and (pair? a) (or (null? (cdr a)) (not (pair? b)))) (display a) (newline))
  (unless (null? b) (write b) (newline))
  (if (string? a) (display "text"))
  (cond ((symbol? a) 'symbol)
        ((and (exact-integer? a) (< a 10)) (write a) 'small)
        ((vector? a) (vector-set! a 0 b) a)
        (else (and (not (char? b)) (begin (write a) (eof-object))))))

(define-record-type point (make-point x y) point? (x point-x set-point-x!) (y point-y))

(define (move p dx)
  (if (point? p)
      (begin (set-point-x! p (+ (point-x p) dx)) (make-point (point-y p) (point-x p)))
      (error "no point:" p)))

;; A variable that is assigned, and a closure that holds it.
(define (counter start)
  (let ((n start))
    (list (lambda () (set! n (+ n 1)) n) (lambda rest (set! n 0) rest))))

;; Procedures as values, that call each other.
(define (each-other n)
  (letrec ((up (lambda (k) (if (= k 0) n (+ 1 (down (- k 1))))))
           (down (lambda (k) (if (= k 0) 1 (* 2 (up (- k 1)))))))
    (list up down)))

(define (table key)
  (let loop ((entries '((red 255 0 0) (green 0 255 0))) (seen '()))
    (cond ((null? entries) (reverse seen))
          ((eq? (caar entries) key) (cdar entries))
          (else (loop (cdr entries) (cons key seen))))))

;; Operations that whole programs do in line.
(define (within items a b)
  (let ((x (vector-ref items a)) (bytes (bytevector 1 2 3)) (end (eof-object)))
    (set-cdr! items (* a b))
    (bytevector-u8-set! bytes a b)
    (if (or (and (<= a b) (>= a 0)) (zero? b) (positive? a) (negative? b) (even? a) (odd? b))
        (list (+ (quotient a b) (remainder a b)) (- (modulo a b) (floor-quotient a b))
              (bitwise-and a (bitwise-ior b (bitwise-xor a 5))) (/ a b)
              (bytevector-length bytes) (bytevector-u8-ref bytes a) (vector-length items)
              (truncate-quotient a 3) (truncate-remainder a 3) (floor-remainder a 3))
        (list (boolean? x) (eof-object? x) (bytevector? x) (not x) end
              (char=? x #\a) (char<? x #\b) (char<=? x #\c) (char>? x #\d) (char>=? x #\e)))))

(define (exchanged a b c)
  (let-values (((x y . rest) (apply values a b c)))
    (set-car! rest x)
    (vector y rest "constant" #\c 'symbol 1.5 '#(1 2))))
