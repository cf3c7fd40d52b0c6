; Directed graphs of n nodes with at most so many edges from each, one of each kind: procedures
; that fold, vectors of truth values, permutations.
; smaller: (run 3) gives 16

(import (scheme base) (scheme write))

(define (vector-fold v f start)
  (let ((n (vector-length v)))
    (let loop ((i 0) (made start))
      (if (= i n) made (loop (+ i 1) (f i (vector-ref v i) made))))))

(define (fold-over n f start)
  (let loop ((i 0) (made start)) (if (= i n) made (loop (+ i 1) (f i made)))))

(define (make-graph n) 
  (let ((g (make-vector n #f)))
    (do ((i 0 (+ i 1))) ((= i n) g) (vector-set! g i (make-vector n #f)))))

(define (edge? g i j) (vector-ref (vector-ref g i) j))
(define (edge! g i j x) (vector-set! (vector-ref g i) j x))

(define (permutations n)
  (let extend ((left (- n 1)) (made '(())))
    (if (< left 0)
        (map list->vector made)
        (extend (- left 1)
                (apply append
                       (map (lambda (p)
                              (let insert ((before '()) (after p) (all '()))
                                (let ((all (cons (append (reverse before) (cons left after)) all)))
                                  (if (null? after)
                                      all
                                      (insert (cons (car after) before) (cdr after) all)))))
                            made))))))

; Is the graph the least of those that it is when its nodes change names?
(define (least? g n renamings)
  (let loop ((all renamings))
    (or (null? all)
        (and (let ((p (car all)))
               (let compare ((i 0) (j 0))
                 (cond ((= i n) #t)
                       ((= j n) (compare (+ i 1) 0))
                       (else
                        (let ((here (edge? g i j))
                              (there (edge? g (vector-ref p i) (vector-ref p j))))
                          (cond ((eq? here there) (compare i (+ j 1)))
                                (here #f)
                                (else #t)))))))
             (loop (cdr all))))))

(define (fold-graphs n f start)
  (let ((g (make-graph n)) (renamings (permutations n)))
    (let choose ((i 0) (j 0) (made start))
      (cond ((= i n) (if (least? g n renamings) (f g made) made))
            ((= j n) (choose (+ i 1) 0 made))
            ((= i j) (choose i (+ j 1) made))
            (else
             (edge! g i j #t)
             (let ((made (choose i (+ j 1) made)))
               (edge! g i j #f)
               (choose i (+ j 1) made)))))))

(define (run n) (fold-graphs n (lambda (g count) (+ count 1)) 0))

(define (again times n)
  (if (= times 1) (run n) (begin (run n) (again (- times 1) n))))

(write (again 200 4))
