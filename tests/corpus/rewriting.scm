;;; Term rewriting, innermost.  A program is a list of rules (left right); symbols in them that
;;; are not heads of lists are variables.  Terms are lists that start with a symbol, or atoms.

(define (run rules term)
  (normalize term rules))

(define (normalize term rules)
  (if (pair? term)
      (rewrite (cons (car term) (normalize-all (cdr term) rules)) rules rules)
      term))

(define (normalize-all terms rules)
  (if (null? terms)
      '()
      (cons (normalize (car terms) rules) (normalize-all (cdr terms) rules))))

(define (rewrite term rest rules)
  (if (null? rest)
      term
      (let ((bindings (match (caar rest) term '())))
        (if bindings
            (build (cadar rest) bindings rules)
            (rewrite term (cdr rest) rules)))))

(define (match pattern term bindings)
  (cond ((not bindings) #f)
        ((symbol? pattern)
         (let ((found (assq pattern bindings)))
           (if found
               (and (equal? (cdr found) term) bindings)
               (cons (cons pattern term) bindings))))
        ((pair? pattern)
         (if (pair? term)
             (and (eq? (car pattern) (car term))
                  (match-all (cdr pattern) (cdr term) bindings))
             #f))
        (else (and (eqv? pattern term) bindings))))

(define (match-all patterns terms bindings)
  (cond ((null? patterns) (and (null? terms) bindings))
        ((pair? terms)
         (match-all (cdr patterns)
                    (cdr terms)
                    (match (car patterns) (car terms) bindings)))
        (else #f)))

;; The normal form of the right side: variables stand for normal forms already.
(define (build right bindings rules)
  (cond ((symbol? right) (cdr (assq right bindings)))
        ((pair? right)
         (rewrite (cons (car right) (build-all (cdr right) bindings rules)) rules rules))
        (else right)))

(define (build-all rights bindings rules)
  (if (null? rights)
      '()
      (cons (build (car rights) bindings rules) (build-all (cdr rights) bindings rules))))
