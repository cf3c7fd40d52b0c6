; How many ways there are to place n queens: lists and procedures that capture variables.

(define (one-to n)
  (let loop ((i n) (made '()))
    (if (= i 0) made (loop (- i 1) (cons i made)))))

(define (nqueens n)
  (define (ok? row distance placed)
    (or (null? placed)
        (and (not (= (car placed) (+ row distance)))
             (not (= (car placed) (- row distance)))
             (ok? row (+ distance 1) (cdr placed)))))
  (define (try rows others placed)
    (if (null? rows)
        (if (null? others) 1 0)
        (+ (if (ok? (car rows) 1 placed)
               (try (append (cdr rows) others) '() (cons (car rows) placed))
               0)
           (try (cdr rows) (cons (car rows) others) placed))))
  (try (one-to n) '() '()))

(display (nqueens 12))
(newline)
