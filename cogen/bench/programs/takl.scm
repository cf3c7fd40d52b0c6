; Tak on lists, whose lengths are the numbers.
; smaller: (run 8 5 2) gives 5

(import (scheme base) (scheme write))

(define (ones n) (if (= n 0) '() (cons 1 (ones (- n 1)))))

(define (shorter? a b)
  (and (pair? b) (or (null? a) (shorter? (cdr a) (cdr b)))))

(define (takl x y z)
  (if (shorter? y x)
      (takl (takl (cdr x) y z) (takl (cdr y) z x) (takl (cdr z) x y))
      z))

(define (run x y z) (length (takl (ones x) (ones y) (ones z))))

(write (run 30 20 10))
