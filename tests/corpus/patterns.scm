;;; Pattern matching with guards: the clauses of a function by cases; patterns need not be linear.
;;;
;;;     program ::= ((pattern ... [(where (op x y))] -> template) ...)    the first that matches
;;;     pattern ::= (? x) | _ | (pattern . pattern) | atom

(define (run clauses value)
  (if (null? clauses)
      'no-match
      (let ((clause (car clauses)))
        (let ((substitution (match (car clause) value '())))
          (if (and substitution (guard-holds? (cdr clause) substitution))
              (fill (car (reverse clause)) substitution)
              (run (cdr clauses) value))))))

(define (guard-holds? rest substitution)
  (if (eq? (car rest) '->)
      #t
      (let* ((guard (cadar rest))
             (a (fill (cadr guard) substitution))
             (b (fill (caddr guard) substitution)))
        (case (car guard)
          ((<) (< a b))
          ((eq) (equal? a b))
          (else (not (equal? a b)))))))

(define (match pattern value substitution)
  (cond ((eq? pattern '_) substitution)
        ((not (pair? pattern))
         (and (eqv? pattern value) substitution))
        ((eq? (car pattern) '?)
         (let ((seen (assq (cadr pattern) substitution)))
           (cond ((not seen) (cons (cons (cadr pattern) value) substitution))
                 ((equal? (cdr seen) value) substitution)
                 (else #f))))
        ((pair? value)
         (let ((substitution (match (car pattern) (car value) substitution)))
           (and substitution (match (cdr pattern) (cdr value) substitution))))
        (else #f)))

(define (fill template substitution)
  (cond ((not (pair? template)) template)
        ((eq? (car template) '?) (cdr (assq (cadr template) substitution)))
        (else
         (cons (fill (car template) substitution) (fill (cdr template) substitution)))))
