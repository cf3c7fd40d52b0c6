; Halving lists, by a loop and by a recursion (diviter, divrec).
; smaller: (run 3 20) gives (10 10)

(import (scheme base) (scheme cxr) (scheme write))

(define (nothings n) (do ((i 0 (+ i 1)) (made '() (cons '() made))) ((= i n) made)))

(define (iterated l)
  (do ((l l (cddr l)) (half '() (cons (car l) half)))
      ((null? l) half)))

(define (recursive l)
  (if (null? l) '() (cons (car l) (recursive (cddr l)))))

(define (run times n)
  (let ((l (nothings n)))
    (do ((i 1 (+ i 1)) (a '() (iterated l)) (b '() (recursive l)))
        ((> i times) (list (length a) (length b))))))

(write (run 40000 1000))
