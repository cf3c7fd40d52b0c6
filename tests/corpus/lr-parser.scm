;;; An SLR parser as recursive ascent: grammar, items and states are vectors and lists that are
;;; computed first.  A state's procedure returns to the one that called it, which goes on with the
;;; symbol that was recognized; how many procedures must still return is counted.  The value of a
;;; parse is the list of the numbers of the rules that were used, or #f.
;;;
;;;     grammar ::= #((left symbol ...) ...)         rule 0 is (start symbol), start nowhere else

(define (run grammar tokens)
  (state (closure (list (cons 0 0)) grammar) tokens '() grammar
         (lambda (left pops tokens used) (and (null? tokens) (reverse used)))))

(define (left-of rule grammar) (car (vector-ref grammar rule)))
(define (right-of rule grammar) (cdr (vector-ref grammar rule)))

;; The symbol after the dot of an item (rule . dot), or #f.
(define (next-symbol item grammar)
  (let ((right (right-of (car item) grammar)))
    (and (< (cdr item) (length right)) (list-ref right (cdr item)))))

(define (nonterminal? symbol grammar)
  (let loop ((i 0))
    (and (< i (vector-length grammar))
         (or (eq? symbol (left-of i grammar)) (loop (+ i 1))))))

(define (closure items grammar)
  (let loop ((todo items) (done '()))
    (cond ((null? todo) (reverse done))
          ((member (car todo) done) (loop (cdr todo) done))
          (else
           (loop (append (cdr todo) (rules-for (next-symbol (car todo) grammar) 0 grammar))
                 (cons (car todo) done))))))

(define (rules-for symbol i grammar)
  (cond ((= i (vector-length grammar)) '())
        ((eq? symbol (left-of i grammar))
         (cons (cons i 0) (rules-for symbol (+ i 1) grammar)))
        (else (rules-for symbol (+ i 1) grammar))))

(define (goto items symbol grammar)
  (closure (advance items symbol grammar) grammar))

(define (advance items symbol grammar)
  (cond ((null? items) '())
        ((eq? symbol (next-symbol (car items) grammar))
         (cons (cons (caar items) (+ 1 (cdar items))) (advance (cdr items) symbol grammar)))
        (else (advance (cdr items) symbol grammar))))

(define (symbols-after-dots items grammar)
  (if (null? items)
      '()
      (let ((more (symbols-after-dots (cdr items) grammar))
            (symbol (next-symbol (car items) grammar)))
        (if (and symbol (not (memq symbol more))) (cons symbol more) more))))

(define (complete-item items grammar)
  (cond ((null? items) #f)
        ((next-symbol (car items) grammar) (complete-item (cdr items) grammar))
        (else (car items))))

;; RETURN takes the symbol that was recognized, how many states must still be left, what is left
;; of the tokens, and the rules used up to now.
(define (state items tokens used grammar return)
  (define (shift-or-reduce symbols)
    (cond ((null? symbols)
           (let ((item (complete-item items grammar)))
             (and item
                  (returned (left-of (car item) grammar)
                            (cdr item)
                            tokens
                            (cons (car item) used)))))
          ((nonterminal? (car symbols) grammar) (shift-or-reduce (cdr symbols)))
          ((and (pair? tokens) (eq? (car tokens) (car symbols)))
           (state (goto items (car symbols) grammar) (cdr tokens) used grammar returned))
          (else (shift-or-reduce (cdr symbols)))))
  ;; Something was recognized after this state, or in it.
  (define (returned left pops tokens used)
    (if (= pops 0)
        (go-on left (symbols-after-dots items grammar) tokens used)
        (return left (- pops 1) tokens used)))
  (define (go-on left symbols tokens used)
    (cond ((null? symbols) (and (null? tokens) (reverse used)))
          ((eq? left (car symbols))
           (state (goto items (car symbols) grammar) tokens used grammar returned))
          (else (go-on left (cdr symbols) tokens used))))
  (shift-or-reduce (symbols-after-dots items grammar)))
