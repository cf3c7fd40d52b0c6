;;; An interpreter of queries on an array of floats.  Specialised to a query nothing of the
;;; interpreter is left, only operations on arrays; --emit array makes a program in L0 of them, in
;;; which they fuse into one loop.
;;;
;;;     cogen specialize query.scm --entry query \
;;;         '(static (sum (map (* x x) (keep (> x 0.5) data))))' '(dynamic (array float))'
;;;
;;;     query ::= data | (map e query) | (keep e query) | (running query)      an array
;;;             | (sum query) | (count query) | (/ query query)                a number
;;;     e     ::= x | number | (op e e)                    op: + - * / < >

(import (array))

(define (query q data)
  (if (eq? q 'data)
      data
      (case (car q)
        ((map) (array-map (lambda (x) (scalar (cadr q) x)) (query (caddr q) data)))
        ((keep) (array-filter (lambda (x) (scalar (cadr q) x)) (query (caddr q) data)))
        ((running) (array-scan + 0.0 (query (cadr q) data)))
        ((sum) (array-reduce + 0.0 (query (cadr q) data)))
        ((count) (inexact (array-size (query (cadr q) data))))
        ((/) (/ (query (cadr q) data) (query (caddr q) data)))
        (else (error "this is no query:" q)))))

(define (scalar e x)
  (cond ((eq? e 'x) x)
        ((number? e) e)
        (else
         (let ((a (scalar (cadr e) x)) (b (scalar (caddr e) x)))
           (case (car e)
             ((+) (+ a b))
             ((-) (- a b))
             ((*) (* a b))
             ((/) (/ a b))
             ((<) (< a b))
             ((>) (> a b))
             (else (error "this is no operation:" e)))))))
