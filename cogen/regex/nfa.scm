;;; A nondeterministic automaton, run by following all its ways side by side.
;;;
;;; With the automaton known, the set of the positions it may be in is known as well, although the
;;; text is not: the specializer meets finitely many sets and makes a loop or a label of each.  They
;;; are the states of the deterministic automaton.
;;;
;;; After Rompf et al. (seed 002, section on regular expression matching), where a test of the next
;;; byte makes `knowing`: here the byte's class is found by comparisons, and is known behind them.
;;;
;;; positions ::= a list of #(classes following accepts?), by number
;;; classes   ::= (((low high) ...) ...), of all bytes; the last needs no test

(define (match? positions classes start accepts? buf from to)
  (if (and (<= 0 from) (<= from to) (<= to (buffer-words buf)))
      (run positions classes start accepts? buf from to)
      (error "the text does not lie in the buffer" from to)))

(define (run positions classes set accepts? buf i to)
  (if (= i to)
      accepts?
      (find-class positions classes set buf (load-word buf i) classes 0 (+ i 1) to)))

;; Find the class k of a byte among the classes that are left.
(define (find-class positions classes set buf byte left k i to)
  (if (or (null? (cdr left)) (within? (car left) byte))
      (go-on positions classes (taking positions set k) buf i to)
      (find-class positions classes set buf byte (cdr left) (+ k 1) i to)))

(define (within? ranges byte)
  (and (pair? ranges)
       (or (and (<= (caar ranges) byte) (<= byte (cadar ranges)))
           (within? (cdr ranges) byte))))

;; Behind the positions that have taken the byte.  Nothing is left: stop early.
(define (go-on positions classes taken buf i to)
  (if (null? taken)
      #f
      (run positions classes (behind positions taken) (accepts? positions taken) buf i to)))

(define (at positions p k) (vector-ref (list-ref positions p) k))

;; The positions of the set that take class k.
(define (taking positions set k)
  (cond ((null? set) '())
        ((memv k (at positions (car set) 0))
         (cons (car set) (taking positions (cdr set) k)))
        (else (taking positions (cdr set) k))))

(define (behind positions taken)
  (if (null? taken)
      '()
      (merge (at positions (car taken) 1) (behind positions (cdr taken)))))

(define (merge a b)
  (cond ((null? a) b)
        ((null? b) a)
        ((= (car a) (car b)) (cons (car a) (merge (cdr a) (cdr b))))
        ((< (car a) (car b)) (cons (car a) (merge (cdr a) b)))
        (else (cons (car b) (merge a (cdr b))))))

(define (accepts? positions set)
  (and (pair? set)
       (or (at positions (car set) 2) (accepts? positions (cdr set)))))
