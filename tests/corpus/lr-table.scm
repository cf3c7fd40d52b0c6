;; A shift-reduce parser with a table for sums and products, given as data; values on the stack.
;; Tokens are numbers (for id) or symbols.  Table: ((state (token action) ...) ...), goto likewise.

(define (action table state token)
  (let ((row (cdr (assv state table))))
    (let ((a (or (assq token row) (assq 'any row))))
      (if a (cdr a) '(fail)))))

(define (kind tokens) (cond ((null? tokens) 'end) ((number? (car tokens)) 'id) (else (car tokens))))

;; stack: list of (state . value)
(define (parse table gotos rules stack tokens)
  (let next-token ((ts '(id + * open close end)) (k (kind tokens)))
    (cond ((null? ts) 'error)
          ((not (eq? (car ts) k)) (next-token (cdr ts) k))
          (else
           (let ((a (action table (caar stack) (car ts))))
             (case (car a)
               ((shift)
                (parse table gotos rules
                       (cons (cons (cadr a) (if (null? tokens) 0 (car tokens))) stack)
                       (cdr tokens)))
               ((reduce)
                (let* ((rule (list-ref rules (cadr a)))
                       (n (cadr rule))
                       (v (reduce-by (caddr rule) stack))
                       (rest (list-tail stack n))
                       (s (cadr (assq (car rule) (cdr (assv (caar rest) gotos))))))
                  (parse table gotos rules (cons (cons s v) rest) tokens)))
               ((accept) (cdar stack))
               (else 'error)))))))

(define (reduce-by op stack)
  (case op
    ((add) (+ (cdr (list-ref stack 2)) (cdr (car stack))))
    ((mul) (* (cdr (list-ref stack 2)) (cdr (car stack))))
    ((mid) (cdr (list-ref stack 1)))
    (else (cdr (car stack)))))

(define (run grammar tokens)
  (parse (car grammar) (cadr grammar) (caddr grammar) (list (cons 0 0)) tokens))
