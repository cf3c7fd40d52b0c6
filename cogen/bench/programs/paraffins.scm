; Molecules of carbon and hydrogen without rings, each made once: vectors of lists of trees.
; smaller: (run 9) gives 35

(import (scheme base) (scheme cxr) (scheme write))

; Radicals of each size; a radical is H or three smaller ones.
(define (radicals-up-to n)
  (let ((table (make-vector (+ n 1) '())))
    (vector-set! table 0 '(h))
    (do ((size 1 (+ size 1))) ((> size n) table)
      (vector-set! table size
                   (threes (- size 1)
                           (lambda (a b c found)
                             (triples (vector-ref table a) (vector-ref table b)
                                      (vector-ref table c) (= a b) (= b c) found)))))))

; All a <= b <= c of the same sum.
(define (threes sum f)
  (let outer ((a 0) (found '()))
    (if (> (* 3 a) sum)
        found
        (outer (+ a 1)
               (let inner ((b a) (found found))
                 (if (> (+ a (* 2 b)) sum)
                     found
                     (inner (+ b 1) (f a b (- sum a b) found))))))))

(define (triples as bs cs same-ab? same-bc? found)
  (let each-a ((as as) (bs bs) (found found))
    (if (null? as)
        found
        (let each-b ((b bs) (cs* cs) (found found))
          (if (null? b)
              (each-a (cdr as) (if same-ab? (cdr bs) bs) found)
              (let each-c ((c (if same-bc? b cs*)) (found found))
                (if (null? c)
                    (each-b (cdr b) cs* found)
                    (each-c (cdr c) (cons (vector (car as) (car b) (car c)) found)))))))))

; Two radicals of half the size on both sides of a bond.
(define (bond-centred n table)
  (if (odd? n)
      '()
      (let ((half (vector-ref table (quotient n 2))))
        (let outer ((a half) (found '()))
          (if (null? a)
              found
              (outer (cdr a)
                     (let inner ((b a) (found found))
                       (if (null? b)
                           found
                           (inner (cdr b) (cons (cons (car a) (car b)) found))))))))))

; Four radicals, each smaller than half, round a carbon.
(define (carbon-centred n table)
  (let ((most (quotient (- n 1) 2)) (sum (- n 1)))
    (let each-a ((a 0) (found '()))
      (if (> (* 4 a) sum)
          found
          (each-a (+ a 1)
                  (let each-b ((b a) (found found))
                    (if (> (+ a (* 3 b)) sum)
                        found
                        (each-b (+ b 1)
                                (let each-c ((c (max b (- sum a b most))) (found found))
                                  (if (> (+ a b (* 2 c)) sum)
                                      found
                                      (each-c (+ c 1)
                                              (fours a b c (- sum a b c) table found))))))))))))

(define (fours a b c d table found)
  (let ((as (vector-ref table a)) (bs (vector-ref table b))
        (cs (vector-ref table c)) (ds (vector-ref table d)))
    (let each-a ((as as) (found found))
      (if (null? as)
          found
          (each-a (cdr as)
                  (let each-b ((bs (if (= a b) as bs)) (found found))
                    (if (null? bs)
                        found
                        (each-b (cdr bs)
                                (let each-c ((cs (if (= b c) bs cs)) (found found))
                                  (if (null? cs)
                                      found
                                      (each-c (cdr cs)
                                              (let each-d ((ds (if (= c d) cs ds)) (found found))
                                                (if (null? ds)
                                                    found
                                                    (each-d (cdr ds)
                                                            (cons (vector (car as) (car bs)
                                                                          (car cs) (car ds))
                                                                  found)))))))))))))))

(define (run n)
  (let ((table (radicals-up-to (quotient n 2))))
    (+ (length (bond-centred n table)) (length (carbon-centred n table)))))

(define (again times n)
  (if (= times 1) (run n) (begin (run n) (again (- times 1) n))))

(write (again 3 21))
