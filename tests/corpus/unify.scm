;;; Unification of a term that is known with one that comes later.  Terms are atoms, lists that
;;; start with a symbol, and variables, vectors of a name; a substitution is an association list.

(define (run known later)
  (let ((s (unify known later '())))
    (if s (list 'yes (apply-all known s)) 'no)))

(define (variable? t) (vector? t))

(define (same-variable? a b)
  (eq? (vector-ref a 0) (vector-ref b 0)))

(define (find v s)
  (cond ((null? s) #f)
        ((same-variable? (caar s) v) (car s))
        (else (find v (cdr s)))))

(define (resolve t s)
  (if (variable? t)
      (let ((found (find t s)))
        (if found (resolve (cdr found) s) t))
      t))

(define (unify a b s)
  (let ((a (resolve a s)) (b (resolve b s)))
    (cond ((and (variable? a) (variable? b) (same-variable? a b)) s)
          ((variable? a) (if (occurs? a b s) #f (cons (cons a b) s)))
          ((variable? b) (if (occurs? b a s) #f (cons (cons b a) s)))
          ((and (pair? a) (pair? b))
           (let ((s (unify (car a) (car b) s)))
             (and s (unify (cdr a) (cdr b) s))))
          ((eqv? a b) s)
          (else #f))))

(define (occurs? v t s)
  (let ((t (resolve t s)))
    (cond ((variable? t) (same-variable? v t))
          ((pair? t) (or (occurs? v (car t) s) (occurs? v (cdr t) s)))
          (else #f))))

(define (apply-all t s)
  (let ((t (resolve t s)))
    (if (pair? t)
        (cons (apply-all (car t) s) (apply-all (cdr t) s))
        t)))
