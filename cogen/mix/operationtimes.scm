;;; What operations demand of the binding times of what they take, and give; a part of infer.scm.

(define (constrain-primitive! op time arguments timed)
  (let ((done #f)
        (made #f)
        (how looks))
    (define (dynamic!)
      (if (not done)
          (begin
            (set! done #t)
            (all-dynamic! time arguments))))
    (define (known-result!)
      (cond ((not (and vectors-change? (memq op making-vectors))) (at-least-static! time))
            ((not made)
             (set! made #t)
             (construct! 'vector (list (last arguments)) time))))
    (define (watch-all! constraint)
      (for-each (lambda (argument) (watch! (time-of argument) constraint)) arguments))
    (cond
     ((eq? op 'cons) (construct! 'cons arguments time))
     ((eq? op 'make-record) (construct! (literal (car arguments)) (cdr arguments) time))
     ((memq op '(car cdr record-ref))
      (let* ((type (selected-type op arguments))
             (index (selected-index op arguments))
             (from (time-of (last arguments))))
        (watch!
         from
         (lambda ()
           (case (time-kind from)
             ((s) (at-least-static! time))
             ((p)
              (look! (node-of from) how)
              (if (not done)
                  (begin
                    (set! done #t)
                    (flow! (list-ref (part-times (node-of from) type) index) time))))
             ((d) (make-dynamic! time))
             ((f) (make-dynamic! from)))))))
     ((eq? op 'apply)
      (constrain-application! time (car arguments) #f
                              (lambda () (time-of (cadr arguments)))))
     ((eq? op 'error)
      (watch-all!
       (lambda ()
         (if (any-of-kind? '(d) arguments) (dynamic!))))
      (watch! time (lambda () (if (eq? (time-kind time) 'd) (dynamic!)))))
     ((eq? op 'known?) (at-least-static! time))
     ((looks-at-shape? op arguments)
      (watch-all!
       (lambda ()
         (cond ((any-of-kind? (if (memq op '(not procedure? null? record-is? eq? eqv? equal?))
                                  '(d)
                                  '(d f))
                              arguments)
                (dynamic!))
               (else
                (for-each (lambda (argument) (inspect! argument how)) arguments)
                (at-least-static! time))))))
     (else
      (set! deferred
            (cons (lambda (left?)
                    (cond (done #f)
                          ((gives-what-may-change? op arguments)
                           (set! done #t)
                           (take-apart! timed op arguments time))
                          ((not (or (any-mixed? arguments)
                                    (and (fills? op) (any-of-kind? '(d f) arguments))))
                           (if (not (any-of-kind? '(bottom) arguments)) (known-result!)))
                          ((known-list? op arguments)
                           (set! done #t)
                           (take-apart! timed op arguments time))
                          ((known-vector? op arguments)
                           (if (not made)
                               (begin
                                 (set! made #t)
                                 (use-vector! op arguments time))))
                          (left? (dynamic!))))
                  deferred))
      (watch-all!
       (lambda ()
         (cond ((any-of-kind? '(d f) (if (fills? op) (list (car arguments)) arguments))
                (dynamic!))
               ((not (or (fills? op) (assq op list-procedures))) (known-result!)))))))))

;; Does the operation give a pair that the program made, in one that changes pairs?  It is the same
;; pair, which is code if it is changed.
(define (gives-what-may-change? op arguments)
  (and pairs-change?
       (memq op '(append reverse assq assv assoc memq memv member list-tail list-ref))
       (known-list? op arguments)))

;; Vectors that nothing changes are known in part.

;; Does the operation make a vector of something that need not be known?
(define (fills? op) (and (eq? op 'make-vector) (not vectors-change?)))

;; Does the operation make or use a vector of which not all is known?
(define (known-vector? op arguments)
  (and (not vectors-change?)
       (case op
         ((list->vector) (of-type? 'cons (car arguments)))
         ((make-vector) #t)
         ((vector-ref vector-length vector->list) (of-type? 'vector (car arguments)))
         (else #f))))

(define (of-type? type argument)
  (let ((time (time-of argument)))
    (and (eq? (shape time) 'p)
         (pair? (assq type (pair-node-parts (node-of time))))
         (null? (cdr (pair-node-parts (node-of time)))))))

(define (use-vector! op arguments time)
  (let* ((from (time-of (car arguments)))
         (type (if (eq? op 'list->vector) 'cons 'vector))
         (part (lambda () (car (part-times (node-of from) type)))))
    (inspect! (car arguments) 'inside)
    (case op
      ((list->vector)
       (flow! (cadr (part-times (node-of from) 'cons)) from)
       (construct! 'vector '() time)
       (equate! (part) (car (part-times (node-of time) 'vector))))
      ((make-vector) (construct! 'vector (cdr arguments) time))
      ((vector-ref) (flow! (part) time))
      ((vector-length) (at-least-static! time))
      ((vector->list)
       (construct! 'cons '() time)
       (equate! (part) (car (part-times (node-of time) 'cons)))
       (flow! time (cadr (part-times (node-of time) 'cons)))))))

;; Operations that tell apart data which look alike.
(define comparing-identity '(eq? eqv? memq memv assq assv))

;; What is compared by identity must be one: values made once are made by the residual program, and
;; pairs that are compared with what is not known are code from the start.
(define (keep-identity! op time arguments)
  (if (and (memq op comparing-identity) (not (any? literal-atom? arguments)))
      (for-each
       (lambda (argument)
         (let ((of (time-of argument)))
           (define (keep!)
             (case (time-kind of)
               ((s) (if (eq? (car argument) 'global) (make-dynamic! of)))
               ((p)
                (if (or (eq? (car argument) 'global) (eq? (time-kind time) 'd))
                    (residual-pairs! (node-of of))))))
           (watch! of keep!)
           (watch! time keep!)))
       (if (memq op '(eq? eqv?)) arguments (list (car arguments))))))

;; Does the operation go through a list of which not all is known?
(define (known-list? op arguments)
  (let ((found (assq op list-procedures)))
    (and found (eq? (time-kind (time-of (list-ref arguments (cadr found)))) 'p))))

;; Operations of which the last operand has what the vector is made of.
(define making-vectors '(list->vector make-vector string->vector))

;; Data of a type, made of parts.
(define (construct! type parts time)
  (let ((node (make-pair-node '() '() #f #f #f #f #f)))
    (set! pair-nodes (cons node pair-nodes))
    (for-each (lambda (part to) (flow! (time-of part) to)) parts (part-times node type))
    (hold-pair! time node)))

(define (literal timed) (caddr timed))

(define (selected-type op arguments)
  (if (eq? op 'record-ref) (literal (car arguments)) 'cons))

(define (selected-index op arguments)
  (case op
    ((car) 0)
    ((cdr) 1)
    (else (literal (cadr arguments)))))

(define (last items)
  (if (null? (cdr items)) (car items) (last (cdr items))))

(define (inspect! argument how)
  (if (eq? (time-kind (time-of argument)) 'p) (look! (node-of (time-of argument)) how)))

;; Does the operation need no more of a pair than that it is one?
(define (looks-at-shape? op arguments)
  (cond ((memq op '(null? pair? not symbol? number? integer? boolean? string? char? procedure?
                    vector? record-is?))
         #t)
        ((memq op '(eq? eqv? equal?)) (any? literal-atom? arguments))
        (else #f)))

(define (literal-atom? timed)
  (and (eq? (car timed) 'quote) (not (pair? (caddr timed)))))

(define (any? ok? items)
  (and (pair? items) (or (ok? (car items)) (any? ok? (cdr items)))))

(define (any-of-kind? kinds arguments)
  (any? (lambda (argument) (memq (time-kind (time-of argument)) kinds)) arguments))

(define (any-mixed? arguments)
  (any? (lambda (argument) (eq? (shape (time-of argument)) 'p)) arguments))
