;;; A parser driven by an LL(1) table, which is made from the grammar first.  Tokens are a list;
;;; the result is the tree, or #f.
;;;
;;;     grammar ::= ((nonterminal alternative ...) ...)         alternative ::= (symbol ...)

(define (run grammar tokens)
  (let ((parsed (parse (caar grammar) tokens (make-table grammar) grammar)))
    (and parsed (null? (cdr parsed)) (car parsed))))

(define (nonterminal? s grammar) (assq s grammar))

;; The tree of a symbol and the tokens after it.
(define (parse symbol tokens table grammar)
  (if (nonterminal? symbol grammar)
      (let* ((row (cdr (assq symbol table)))
             (right (choose row (if (null? tokens) 'end (car tokens)))))
        (and right
             (let ((parts (parse-all right tokens table grammar)))
               (and parts
                    (cons (cons symbol (car parts)) (cdr parts))))))
      (and (pair? tokens)
           (eq? (car tokens) symbol)
           (cons symbol (cdr tokens)))))

(define (parse-all symbols tokens table grammar)
  (if (null? symbols)
      (cons '() tokens)
      (let ((first (parse (car symbols) tokens table grammar)))
        (and first
             (let ((rest (parse-all (cdr symbols) (cdr first) table grammar)))
               (and rest
                    (cons (cons (car first) (car rest)) (cdr rest))))))))

(define (choose row token)
  (cond ((null? row) #f)
        ((eq? (caar row) token) (cdar row))
        (else (choose (cdr row) token))))

;; For every nonterminal, for every token that an alternative may start with, the alternative.
(define (make-table grammar)
  (map (lambda (rule)
         (cons (car rule)
               (apply append
                      (map (lambda (right)
                             (map (lambda (token) (cons token right))
                                  (starts right (car rule) grammar)))
                           (cdr rule)))))
       grammar))

(define (starts right left grammar)
  (cond ((null? right) (follow left grammar '()))
        ((assq (car right) grammar)
         => (lambda (rule)
              (let ((here (apply append
                                 (map (lambda (r) (if (null? r) '() (starts r (car rule) grammar)))
                                      (cdr rule)))))
                (if (memq '() (map (lambda (r) (if (null? r) '() #f)) (cdr rule)))
                    (append here (starts (cdr right) left grammar))
                    here))))
        (else (list (car right)))))

;; The tokens that may come after a nonterminal.
(define (follow symbol grammar seen)
  (if (memq symbol seen)
      '()
      (append (if (eq? symbol (caar grammar)) '(end) '())
              (apply append
                     (map (lambda (rule)
                            (apply append
                                   (map (lambda (right)
                                          (after symbol right (car rule) grammar
                                                 (cons symbol seen)))
                                        (cdr rule))))
                          grammar)))))

(define (after symbol right left grammar seen)
  (cond ((null? right) '())
        ((eq? (car right) symbol)
         (append (if (null? (cdr right))
                     (follow left grammar seen)
                     (starts-or-follow (cdr right) left grammar seen))
                 (after symbol (cdr right) left grammar seen)))
        (else (after symbol (cdr right) left grammar seen))))

(define (starts-or-follow right left grammar seen)
  (cond ((null? right) (follow left grammar seen))
        ((assq (car right) grammar)
         => (lambda (rule)
              (append
                (apply append
                       (map (lambda (r) (if (null? r) '() (starts r (car rule) grammar)))
                            (cdr rule)))
                (if (member '() (cdr rule))
                    (starts-or-follow (cdr right) left grammar seen)
                    '()))))
        (else (list (car right)))))
