;;; Program of the small language -> the same, where variables at the top level that are assigned,
;;; and vectors there, belong to the entry: `thread.scm` can do something for these.
;;;
;;;     (stack global (effect make-cell (quote ())))
;;;     (main (x) (call push (var x)))
;;;     (push (y) ... (global stack) ...)
;;; ->
;;;     (main (x) (let stack%%1 (effect make-cell (quote ())) (call push (var x) (var stack%%1))))
;;;     (push (y stack%%2) ... (var stack%%2) ...)
;;;
;;; They begin with what they are defined with, as in a run of the whole program.  Nothing may call
;;; the entry, and nothing that is done at the top level may use them.  LEFT are the names of those
;;; that stay where they are.

(define localized '())          ; ((variable of the entry . global) ...)

(define (localize program entry left)
  (set! localized '())
  (let loop ((items program) (program program))
    (cond ((null? items) program)
          ((localizes? (car items) program entry left)
           (loop (cdr items) (localize-one (car items) program entry)))
          (else (loop (cdr items) program)))))

(define (localizes? item program entry left)
  (and (eq? (cadr item) 'global)
       (not (memq (car item) left))
       (fresh-kind (caddr item))
       (< (plain-size-of-all (cddr (caddr item))) 100)
       (not (any? (lambda (other) (uses? (caddr other) #f (list entry))) program))
       (let ((users (users-of (car item) program)))
         (and (memq entry users)
              (not (any? (lambda (other)
                           (and (symbol? (cadr other))
                                (not (eq? other item))
                                (uses? (caddr other) (car item) users)))
                         program))))))

(define (localize-one item program entry)
  (let* ((name (car item))
         (users (remove (lambda (user) (eq? user entry)) (users-of name program))))
    (map (lambda (other)
           (let ((x (numbered-name name)))
             (cond ((eq? (car other) entry)
                    (set! localized (cons (cons x name) localized))
                    (list entry (cadr other)
                          (list 'let x (caddr item) (with-variable (caddr other) name x users))))
                   ((memq (car other) users)
                    (list (car other)
                          (append (cadr other) (list x))
                          (with-variable (caddr other) name x users)))
                   (else other))))
         program)))

;; The expression with a variable in place of the global, which USERS take last.
(define (with-variable e name x users)
  (define (inner es) (map (lambda (e) (with-variable e name x users)) es))
  (case (car e)
    ((global) (if (eq? (cadr e) name) (list 'var x) e))
    ((var quote operation) e)
    ((call)
     (cons 'call
           (cons (cadr e)
                 (append (inner (cddr e)) (if (memq (cadr e) users) (list (list 'var x)) '())))))
    ((let lambda prim effect) (cons (car e) (cons (cadr e) (inner (cddr e)))))
    (else (cons (car e) (inner (cdr e))))))
