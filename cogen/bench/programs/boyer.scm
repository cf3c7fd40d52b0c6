; Terms rewritten by lemmas until they are true: property lists, unification, recursion (Boyer).
; smaller: (run 1 3) gives (#t 2368)

(import (scheme base) (scheme cxr) (scheme write))

; Symbols have records with their lemmas, so that terms refer to these.
(define symbols '())

(define (record-of name)
  (let ((found (assq name symbols)))
    (if found
        (cdr found)
        (let ((made (vector name '())))
          (set! symbols (cons (cons name made) symbols))
          made))))

(define (inner e)
  (if (pair? e) (cons (record-of (car e)) (map inner (cdr e))) e))

(define (lemma! left right)
  (let ((r (record-of (car left))))
    (vector-set! r 1 (append (vector-ref r 1) (list (cons (inner left) (inner right)))))))

(define lemmas
 '(((and p q) (if p (if q (t) (f)) (f)))
   ((or p q) (if p (t) (if q (t) (f))))
   ((not p) (if p (f) (t)))
   ((implies p q) (if p (if q (t) (f)) (t)))
   ((iff p q) (and (implies p q) (implies q p)))
   ((if (if a b c) d e) (if a (if b d e) (if c d e)))
   ((plus (plus x y) z) (plus x (plus y z)))
   ((equal (plus a b) (plus a c)) (equal b c))
   ((difference x x) (zero))
   ((times x (plus y z)) (plus (times x y) (times x z)))
   ((times (times x y) z) (times x (times y z)))
   ((append (append x y) z) (append x (append y z)))
   ((reverse (append a b)) (append (reverse b) (reverse a)))
   ((equal x x) (t))
   ((lessp (remainder x y) y) (not (zerop y)))
   ((zerop x) (equal x (zero)))
   ((length (reverse x)) (length x))
   ((member a (append b c)) (or (member a b) (member a c)))))

(define rewrites 0)

; Unification with one side: bindings, or #f.
(define (match term pattern bound)
  (cond ((not (pair? pattern))
         (let ((found (assq pattern bound)))
           (cond (found (and (term=? term (cdr found)) bound))
                 (else (cons (cons pattern term) bound)))))
        ((and (pair? term) (eq? (car term) (car pattern)))
         (let loop ((terms (cdr term)) (patterns (cdr pattern)) (bound bound))
           (cond ((null? patterns) (and (null? terms) bound))
                 ((null? terms) #f)
                 (else
                  (let ((bound (match (car terms) (car patterns) bound)))
                    (and bound (loop (cdr terms) (cdr patterns) bound)))))))
        (else #f)))

(define (term=? a b)
  (if (pair? a)
      (and (pair? b)
           (eq? (car a) (car b))
           (let loop ((a (cdr a)) (b (cdr b)))
             (cond ((null? a) (null? b))
                   ((null? b) #f)
                   (else (and (term=? (car a) (car b)) (loop (cdr a) (cdr b)))))))
      (eqv? a b)))

(define (substitute bound e)
  (if (pair? e)
      (cons (car e) (map (lambda (x) (substitute bound x)) (cdr e)))
      (let ((found (assq e bound))) (if found (cdr found) e))))

(define (rewrite term)
  (set! rewrites (+ rewrites 1))
  (if (pair? term)
      (with-lemmas (cons (car term) (map rewrite (cdr term)))
                   (vector-ref (car term) 1))
      term))

(define (with-lemmas term lemmas)
  (if (null? lemmas)
      term
      (let ((bound (match term (caar lemmas) '())))
        (if bound
            (rewrite (substitute bound (cdar lemmas)))
            (with-lemmas term (cdr lemmas))))))

(define true (inner '(t)))
(define false (inner '(f)))
(define if-record (record-of 'if))

(define (member-term? x l) (and (pair? l) (or (term=? x (car l)) (member-term? x (cdr l)))))

(define (tautology? x truths lies)
  (cond ((or (term=? x true) (member-term? x truths)) #t)
        ((or (term=? x false) (member-term? x lies)) #f)
        ((not (pair? x)) #f)
        ((eq? (car x) if-record)
         (let ((test (cadr x)))
           (cond ((or (term=? test true) (member-term? test truths))
                  (tautology? (caddr x) truths lies))
                 ((or (term=? test false) (member-term? test lies))
                  (tautology? (cadddr x) truths lies))
                 (else
                  (and (tautology? (caddr x) (cons test truths) lies)
                       (tautology? (cadddr x) truths (cons test lies)))))))
        (else #f)))

(define bindings
  (map (lambda (b) (cons (car b) (inner (cdr b))))
       '((x . (f1 (plus (plus a b) (plus c (zero)))))
         (y . (f1 (times (times a b) (plus c d))))
         (z . (f1 (reverse (append (append a b) (nil)))))
         (u . (equal (plus a b) (difference x y)))
         (w . (lessp (remainder a b) (member a (length b)))))))

; The first variable implies the last if each implies the next.
(define (goal variables)
  (inner (list 'implies
               (let each ((l variables))
                 (let ((step (list 'implies (car l) (cadr l))))
                   (if (null? (cddr l)) step (list 'and step (each (cdr l))))))
               (list 'implies (car variables) (car (reverse variables))))))

(define (run times n)
  (for-each (lambda (l) (lemma! (car l) (cadr l))) lemmas)
  (prove times (goal (list-tail '(x y z u w) (- 5 n)))))

(define (prove times goal)
  (do ((i 1 (+ i 1)) (proven #f (begin (set! rewrites 0)
                                       (tautology? (rewrite (substitute bindings goal))
                                                   '() '()))))
      ((> i times) (list proven rewrites))))

(write (run 400 5))
