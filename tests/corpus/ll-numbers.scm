;;; A table-driven LL(1) parser: the stack begins as a quoted list, numbers are tokens of one kind, a
;;; row may have an entry for all other tokens; gives how many tokens there are.
(define (entry table nt tok)
  (let ((row (assq nt table)))
    (and row (let ((e (assq tok (cdr row)))) (if e (cdr e) (let ((d (assq 'else (cdr row)))) (and d (cdr d))))))))
(define (nonterminal? x table) (if (assq x table) #t #f))
(define (kind tok) (if (number? tok) 'num tok))
(define (parse table stack tokens depth)
  (cond ((null? stack) (if (null? tokens) depth 'extra))
        ((nonterminal? (car stack) table)
         (let ((rhs (entry table (car stack) (kind (car tokens)))))
           (if rhs
               (parse table (append rhs (cdr stack)) tokens depth)
               'error)))
        ((eq? (car stack) (kind (car tokens))) (parse table (cdr stack) (cdr tokens) (+ depth 1)))
        (else 'error)))
(define (run table tokens) (parse table '(start) tokens 0))
