; Monotone maps between lattices that are made of smaller ones: procedures, and lists that are
; walked with them.
; smaller: (run 1 2) gives 31

(import (scheme base) (scheme write))

; A lattice: its elements, and how two compare: less, more, equal or uncomparable.
(define (make-lattice elements compare) (cons elements compare))

(define base
  (make-lattice '(low high)
                (lambda (a b)
                  (cond ((eq? a b) 'equal)
                        ((eq? a 'low) 'less)
                        (else 'more)))))

(define (one-by-one compare)
  (define (both found)
    (lambda (a b)
      (let loop ((a a) (b b) (found found))
        (cond ((null? a) found)
              ((eq? found 'uncomparable) found)
              (else
               (let ((here (compare (car a) (car b))))
                 (loop (cdr a) (cdr b)
                       (cond ((eq? here 'equal) found)
                             ((eq? found 'equal) here)
                             ((eq? found here) found)
                             (else 'uncomparable)))))))))
  (both 'equal))

; All maps from a lattice to another that keep the order, as lists of what its elements go to.
(define (monotone-maps from to)
  (let ((elements (car from)) (compare (cdr from)) (values (car to)) (compare-to (cdr to)))
    (define (fits? element value before)
      (let loop ((before before))
        (or (null? before)
            (let ((order (compare (caar before) element))
                  (got (compare-to (cdar before) value)))
              (and (case order
                     ((less) (or (eq? got 'less) (eq? got 'equal)))
                     ((more) (or (eq? got 'more) (eq? got 'equal)))
                     ((equal) (eq? got 'equal))
                     (else #t))
                   (loop (cdr before)))))))
    (let extend ((left elements) (before '()) (found '()))
      (if (null? left)
          (cons (map cdr (reverse before)) found)
          (let each ((choices values) (found found))
            (if (null? choices)
                found
                (each (cdr choices)
                      (if (fits? (car left) (car choices) before)
                          (extend (cdr left) (cons (cons (car left) (car choices)) before) found)
                          found))))))))

(define (power from to)
  (make-lattice (monotone-maps from to) (one-by-one (cdr to))))

(define (run times n)
  (let* ((l2 (power base base))
         (l3 (power l2 base))
         (l4 (power l2 l2)))
    (let loop ((i 0) (count 0))
      (cond ((< i times)
             (loop (+ i 1)
                   (+ (length (monotone-maps l3 l2))
                      (if (= n 2) (length (monotone-maps l4 base)) 0)
                      (if (> n 2) (length (monotone-maps l4 l4)) 0))))
            (else count)))))

(write (run 1 3))
