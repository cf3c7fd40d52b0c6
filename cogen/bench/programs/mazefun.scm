; A maze made without assignment: lists of lists, `map` and folds.

(define (fold f init items)
  (if (null? items) init (fold f (f (car items) init) (cdr items))))

(define (count-to n)
  (let loop ((i (- n 1)) (made '()))
    (if (< i 0) made (loop (- i 1) (cons i made)))))

(define (matrix rows columns f)
  (map (lambda (i) (map (lambda (j) (f i j)) (count-to columns))) (count-to rows)))

(define (at maze i j) (list-ref (list-ref maze i) j))

(define (replaced items i x)
  (if (= i 0)
      (cons x (cdr items))
      (cons (car items) (replaced (cdr items) (- i 1) x))))

(define (with maze i j x) (replaced maze i (replaced (list-ref maze i) j x)))

(define (random seed) (modulo (+ (* seed 3581) 12751) 131072))

(define (shuffled items seed)
  (define (remove k items)
    (if (= k 0) (cdr items) (cons (car items) (remove (- k 1) (cdr items)))))
  (if (null? items)
      '()
      (let* ((next (random seed)) (k (modulo next (length items))))
        (cons (list-ref items k) (shuffled (remove k items) next)))))

; Rooms stand at even places, walls between them; each room has its number.

(define (walls rows columns)
  (fold append '()
        (matrix rows columns
                (lambda (i j)
                  (if (odd? (+ i j)) (list (cons i j)) '())))))

(define (flat lists) (fold append '() lists))

(define (start rows columns)
  (matrix rows columns
          (lambda (i j)
            (if (and (even? i) (even? j)) (+ (* i columns) j 1) 0))))

(define (renamed maze from to)
  (map (lambda (row) (map (lambda (cell) (if (= cell from) to cell)) row)) maze))

(define (neighbours wall)
  (let ((i (car wall)) (j (cdr wall)))
    (if (even? i)
        (cons (cons i (- j 1)) (cons i (+ j 1)))
        (cons (cons (- i 1) j) (cons (+ i 1) j)))))

; A wall between rooms that no path joins yet is torn down.

(define (torn maze wall)
  (let* ((sides (neighbours wall))
         (a (at maze (caar sides) (cdar sides)))
         (b (at maze (cadr sides) (cddr sides))))
    (if (= a b)
        maze
        (renamed (with maze (car wall) (cdr wall) a) b a))))

(define (maze rows columns seed)
  (fold (lambda (wall maze) (torn maze wall))
        (start rows columns)
        (shuffled (flat (walls rows columns)) seed)))

(define (passages maze)
  (fold (lambda (row sum) (fold (lambda (cell sum) (if (= cell 0) sum (+ sum 1))) sum row))
        0
        maze))

(define (repeat n seed result)
  (if (= n 0)
      result
      (repeat (- n 1) (random seed) (+ result (passages (maze 15 15 seed))))))

(display (repeat 1500 7 0))
(newline)
