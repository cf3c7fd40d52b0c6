;;; Program of the small language -> the same, where variables at the top level that the entry
;;; assigns before anything uses them are parameters.
;;;
;;;     (run global (effect make-cell (quote #f)))        (main (p x)
;;;     (main (p x)                                         (let program%%1 (var p)
;;;       (let %seq (effect cell-set! (global run) (var p))   (call go (var x) (var program%%1))))
;;;         (call go (var x))))
;;;
;;; A variable that is assigned is a cell of the residual program, whatever is known of its value;
;;; a parameter may be known.  All assignments must stand in the sequence of the entry's body, and
;;; what may use the variable after the last of them; nothing calls the entry, and nothing done at
;;; the top level uses the variable.  LEFT are the names of those that stay variables.

(define settled '())            ; ((variable . parameter) ...)

(define (settle program entry left)
  (set! settled '())
  (let loop ((items program) (program program))
    (cond ((null? items) program)
          ((settles? (car items) program entry left)
           (loop (cdr items) (settle-one (car (car items)) program entry)))
          (else (loop (cdr items) program)))))

(define (settles? item program entry left)
  (let ((name (car item)))
    (and (eq? (cadr item) 'global)
         (not (memq name left))
         (eq? (car (caddr item)) 'effect)
         (eq? (cadr (caddr item)) 'make-cell)
         (< (plain-size (caddr (caddr item))) 100)
         (let ((main (caddr (assq entry program)))
               (users (users-of name program)))
           (and (not (any? (lambda (item) (uses? (caddr item) #f (list entry))) program))
                (not (any? (lambda (other)
                             (and (symbol? (cadr other))
                                  (not (eq? other item))
                                  (uses? (caddr other) name users)))
                           program))
                (not (any? (lambda (other)
                             (and (not (eq? (car other) entry))
                                  (more-than-read? (caddr other) name)))
                           program))
                (settles-within? main name users #f))))))

;; The procedures that use a variable, or call one that does.
(define (users-of name program)
  (let loop ((users '()))
    (let ((more (remove (lambda (item)
                          (or (symbol? (cadr item))
                              (memq (car item) users)
                              (not (uses? (caddr item) name users))))
                        program)))
      (if (null? more) users (loop (append (map car more) users))))))

(define (uses? e name users)
  (case (car e)
    ((var quote) #f)
    ((global) (eq? (cadr e) name))
    ((call) (or (and (memq (cadr e) users) #t) (any-uses? (cddr e) name users)))
    ((operation) (uses? (cadddr e) name users))
    ((let lambda prim effect) (any-uses? (cddr e) name users))
    (else (any-uses? (cdr e) name users))))

(define (any-uses? es name users)
  (any? (lambda (e) (uses? e name users)) es))

(define (reads? e name) (equal? e (list 'effect 'cell-ref (list 'global name))))

;; Does an expression use the variable but for its value?
(define (more-than-read? e name)
  (cond ((reads? e name) #f)
        (else
         (case (car e)
           ((var quote) #f)
           ((global) (eq? (cadr e) name))
           ((operation) (more-than-read? (cadddr e) name))
           ((call let lambda prim effect) (any-more? (cddr e) name))
           (else (any-more? (cdr e) name))))))

(define (any-more? es name)
  (any? (lambda (e) (more-than-read? e name)) es))

(define (assigns? e name)
  (and (eq? (car e) 'effect) (eq? (cadr e) 'cell-set!) (equal? (caddr e) (list 'global name))))

;; In the sequence of the entry's body: FOUND? tells whether the variable was assigned.  Between
;; assignments its value may be used, but by nothing that may come to it later.
(define (settles-within? e name users found?)
  (cond ((and (eq? (car e) 'let) (assigns? (caddr e) name))
         (and (only-read? (cadddr (caddr e)) name users found?)
              (not (occurs? (cadr e) (cadddr e)))
              (settles-within? (cadddr e) name users #t)))
        ((and found? (not (more-than-read? e name))) #t)
        ((eq? (car e) 'let)
         (and (only-read? (caddr e) name users found?)
              (settles-within? (cadddr e) name users found?)))
        (else #f)))

;; Is the variable read in the expression itself, if at all?
(define (only-read? e name users found?)
  (or (and found? (reads? e name))
      (case (car e)
        ((lambda operation) (not (uses? e name users)))
        ((var quote) #t)
        ((global) (not (eq? (cadr e) name)))
        ((call)
         (and (not (memq (cadr e) users)) (all-only-read? (cddr e) name users found?)))
        ((let prim effect) (all-only-read? (cddr e) name users found?))
        (else (all-only-read? (cdr e) name users found?)))))

(define (all-only-read? es name users found?)
  (not (any? (lambda (e) (not (only-read? e name users found?))) es)))

(define (occurs? x e)
  (and (pair? e)
       (not (eq? (car e) 'quote))
       (or (equal? e (list 'var x)) (any? (lambda (part) (occurs? x part)) (cdr e)))))

(define (settle-one name program entry)
  (let ((users (remove (lambda (user) (eq? user entry)) (users-of name program))))
    (map (lambda (item)
           (cond ((eq? (car item) entry)
                  (list entry (cadr item) (bound (caddr item) name #f users)))
                 ((memq (car item) users)
                  (let ((parameter (numbered-name name)))
                    (list (car item)
                          (append (cadr item) (list parameter))
                          (with-value (caddr item) name parameter users))))
                 (else item)))
         program)))

;; The sequence of the entry's body, where each assignment binds another parameter.
(define (bound e name parameter users)
  (cond ((not (eq? (car e) 'let)) (with-value e name parameter users))
        ((assigns? (caddr e) name)
         (let ((next (numbered-name name)))
           (set! settled (cons (cons name next) settled))
           (list 'let next (with-value (cadddr (caddr e)) name parameter users)
                 (bound (cadddr e) name next users))))
        (else
         (list 'let (cadr e) (with-value (caddr e) name parameter users)
               (bound (cadddr e) name parameter users)))))

(define (with-value e name parameter users)
  (define (inner es) (map (lambda (e) (with-value e name parameter users)) es))
  (cond
   ((reads? e name) (list 'var parameter))
   (else
    (case (car e)
      ((var quote global operation) e)
      ((call)
       (cons 'call
             (cons (cadr e)
                   (append (inner (cddr e))
                           (if (memq (cadr e) users) (list (list 'var parameter)) '())))))
      ((let lambda prim effect) (cons (car e) (cons (cadr e) (inner (cddr e)))))
      (else (cons (car e) (inner (cdr e))))))))
