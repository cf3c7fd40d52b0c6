;;; Regular expressions by backtracking with success continuations, over a string; the value is
;;; where the match ends, or #f.
;;;
;;;     r ::= character | any | (set character ...) | (group r ...) | (or r ...) | (* r) | (+ r)
;;;         | (? r) | (repeat n r)

(define (run r text)
  (let search ((start 0))
    (if (> start (string-length text))
        #f
        (or (match r text start (lambda (i) i))
            (search (+ start 1))))))

(define (match r text i k)
  (cond ((char? r)
         (and (< i (string-length text))
              (char=? r (string-ref text i))
              (k (+ i 1))))
        ((eq? r 'any)
         (and (< i (string-length text)) (k (+ i 1))))
        (else
         (case (car r)
           ((set)
            (and (< i (string-length text))
                 (member? (string-ref text i) (cdr r))
                 (k (+ i 1))))
           ((group) (match-all (cdr r) text i k))
           ((or)
            (let try ((rs (cdr r)))
              (and (pair? rs)
                   (or (match (car rs) text i k) (try (cdr rs))))))
           ((*)
            (let again ((i i))
              (or (match (cadr r) text i (lambda (j) (and (> j i) (again j))))
                  (k i))))
           ((+) (match (list 'group (cadr r) (list '* (cadr r))) text i k))
           ((?) (or (match (cadr r) text i k) (k i)))
           ((repeat)
            (if (= (cadr r) 0)
                (k i)
                (match (caddr r) text i
                       (lambda (i)
                         (match (list 'repeat (- (cadr r) 1) (caddr r)) text i k)))))
           (else (error "no expression:" r))))))

(define (match-all rs text i k)
  (if (null? rs)
      (k i)
      (match (car rs) text i (lambda (i) (match-all (cdr rs) text i k)))))

(define (member? c set)
  (and (pair? set)
       (or (char=? c (car set)) (member? c (cdr set)))))
