;;; A matcher of regular expressions by backtracking.
;;;
;;;     r ::= symbol | any | (seq r ...) | (or r ...) | (star r) | (not symbol ...)
;;;
;;; Is the whole list of symbols matched?  What is still to match is a procedure K that is known
;;; as soon as the expression is.

(define (run program input)
  (match program input (lambda (rest) (null? rest))))

(define (match r input k)
  (cond
   ((eq? r 'any) (if (pair? input) (k (cdr input)) #f))
   ((symbol? r)
    (if (pair? input)
        (if (eq? r (car input)) (k (cdr input)) #f)
        #f))
   (else
    (case (car r)
      ((seq) (match-all (cdr r) input k))
      ((or) (match-some (cdr r) input k))
      ((star) (match-star (cadr r) input k))
      ((not)
       (if (pair? input)
           (if (one-of? (car input) (cdr r)) #f (k (cdr input)))
           #f))
      (else (error "not a regular expression:" r))))))

(define (match-all rs input k)
  (if (null? rs)
      (k input)
      (match (car rs) input (lambda (rest) (match-all (cdr rs) rest k)))))

(define (match-some rs input k)
  (cond ((null? rs) #f)
        ((match (car rs) input k) #t)
        (else (match-some (cdr rs) input k))))

(define (match-star r input k)
  (if (pair? input)
      (if (match r input (lambda (rest) (if (eq? rest input) #f (match-star r rest k))))
          #t
          (k input))
      (k input)))

(define (one-of? symbol symbols)
  (cond ((null? symbols) #f)
        ((eq? symbol (car symbols)) #t)
        (else (one-of? symbol (cdr symbols)))))

;; Words of a, b, c in which an a is followed at once by b's and the last but two is c.
(define program
  '(seq (star (or (seq a b (star b)) c b)) c any any))

(define data
  '((a b b c b a b c c b a b b b c b c a b b c a b c b c c b a b c b b)))
