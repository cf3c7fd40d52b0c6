;;; A pure Prolog.  Variables of clauses are (? name); they are renamed by the depth at which the
;;; clause is used.  Success continuations; the answers are collected.

(define (run program input)
  (let ((goal (car program)) (clauses (cdr program)))
    (solve goal
           (list (cons '(? input) input))
           0
           clauses
           (lambda (s answers) (cons (instantiate '(? answer) s) answers))
           '())))

;; All answers, put before those that there are.
(define (solve goal s depth clauses succeed answers)
  (let try ((cs clauses) (answers answers))
    (if (null? cs)
        answers
        (let* ((clause (rename (car cs) depth))
               (s2 (unify goal (car clause) s))
               (answers (try (cdr cs) answers)))
          (if s2
              (solve-all (cdr clause) s2 (+ depth 1) clauses succeed answers)
              answers)))))

(define (solve-all goals s depth clauses succeed answers)
  (if (null? goals)
      (succeed s answers)
      (solve (car goals) s depth clauses
             (lambda (s answers) (solve-all (cdr goals) s depth clauses succeed answers))
             answers)))

(define (variable? t)
  (and (pair? t) (eq? (car t) '?)))

(define (rename t depth)
  (cond ((variable? t) (list '? (cadr t) depth))
        ((pair? t) (cons (rename (car t) depth) (rename (cdr t) depth)))
        (else t)))

(define (walk t s)
  (if (variable? t)
      (let ((found (assoc t s)))
        (if found (walk (cdr found) s) t))
      t))

;; The substitution that makes two terms equal, or #f.
(define (unify a b s)
  (let ((a (walk a s)) (b (walk b s)))
    (cond ((equal? a b) s)
          ((variable? a) (cons (cons a b) s))
          ((variable? b) (cons (cons b a) s))
          ((and (pair? a) (pair? b))
           (let ((s (unify (car a) (car b) s)))
             (and s (unify (cdr a) (cdr b) s))))
          (else #f))))

(define (instantiate t s)
  (let ((t (walk t s)))
    (if (pair? t)
        (cons (instantiate (car t) s) (instantiate (cdr t) s))
        t)))
