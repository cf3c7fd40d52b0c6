;;; A table-driven LL(1) parser: an explicit stack of symbols, a table from nonterminal and token to
;;; a right hand side.
(define (run grammar tokens)
  (parse grammar (list (car grammar)) tokens))
(define (parse grammar stack tokens)
  (cond ((null? stack) (null? tokens))
        ((nonterminal? grammar (car stack))
         (let ((rhs (table grammar (car stack) (if (null? tokens) 'end (car tokens)))))
           (if rhs
               (parse grammar (append (cdr rhs) (cdr stack)) tokens)
               #f)))
        ((null? tokens) #f)
        ((eq? (car stack) (car tokens)) (parse grammar (cdr stack) (cdr tokens)))
        (else #f)))
(define (nonterminal? grammar s) (assq s (cdr grammar)))
(define (table grammar s token)
  (let ((row (cdr (assq s (cdr grammar)))))
    (assq token row)))
