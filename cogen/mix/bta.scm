;;; Binding-time analysis: a program of the small language (subset.py has its grammar), its entry
;;; and what is known of each parameter -> the annotated program that mix.scm takes.
;;;
;;;     settle     variables that are assigned before their use are parameters
;;;     localize   variables at the top level that are assigned belong to the entry
;;;     lower      what is passed down to be called, and assigns, is a procedure
;;;     thread     variables that are assigned are values
;;;     infer      every expression, variable and result gets a binding time
;;;     solve      the binding times grow until all constraints hold
;;;     forks      known values that come out of unknown conditionals are known
;;;     growth     what is known, grows for ever and steers nothing is code
;;;     annotate   what the specializer has to do is written down
;;;
;;; Source: Henglein, "Efficient type inference for higher-order binding-time analysis" (1991);
;;; Bondorf and Jorgensen, "Efficient analyses for realistic off-line partial evaluation" (1993).

(include "times.scm")
(include "lists.scm")
(include "infer.scm")
(include "settle.scm")
(include "localize.scm")
(include "lower.scm")
(include "thread.scm")
(include "growth.scm")
(include "forks.scm")
(include "annotate.scm")

;; DIVISION says s or d for each parameter of the entry; CAREFUL (growth.scm) what shall not grow
;; for ever, come what may: `none`, `numbers`, `data` or `procedures`.
(define (analyse program entry division careful)
  (set! care careful)
  (analyse-with program entry division '()))

;; LEFT are the variables that are no parameters, since nothing would be known of these.
(define (analyse-with program entry division left)
  (set! counter 0)
  (let* ((own (without-assignment (settle program entry left) entry left))
         (times (solved-times own entry division (if (careful? 'none) 'all '()) counter)))
    (let ((function (function-named entry)))
      (let ((useless (both (unknown-parameters (list-ref function 4)) (threaded-in-vain))))
        (if (pair? useless)
            (analyse-with program entry division (append useless left))
            (annotated entry function times))))))

;; The times of the entry's parameters, after all constraints are solved, where conditionals may
;; fork (forks.scm): those for which it turns out not to be worth while may not, the next time.
(define (solved-times program entry division forks start)
  (set! counter start)
  (set! allowed-forks forks)
  (start! program)
  (for-each reach-top! program)
  (let* ((function (function-named entry))
         (times (map (lambda (kind) (make-time kind #f '())) division)))
    (for-each (lambda (time parameter) (flow! time parameter)) times (caddr function))
    (flow! (cadddr function) dynamic)
    (solve-all!)
    (let ((good (settle-forks!)))
      (if (= (length good) (length (forks-there-are)))
          (begin
            (stop-growth!)
            times)
          (solved-times program entry division good start)))))

;; Procedures that take what follows are what grows when all that grows is to be code.
(define (without-assignment program entry left)
  (if (careful? 'procedures)
      (begin (set! watched '()) program)
      (thread program entry left)))

(define (annotated entry function times)
  (for-each (lambda (function)
              (set! current (car function))
              (label-lambdas! (list-ref function 4)))
            (reverse reached))
  (find-forked!)
  (set! globals (remove (lambda (name) (not (assq name reached))) (global-names source)))
  (annotate-program entry (cadr function) times counter))

(define (start! program)
  (set! queue '())
  (set! pair-nodes '())
  (set! deferred '())
  (set! reached '())
  (set! floating '())
  (set! types '())
  (set! tracks '())
  (set! apart '())
  (set! copies '())
  (set! lambdas '())
  (set! conditionals '())
  (set! source program)
  (set! globals '())
  (set! pairs-change? (changes? '(set-car! set-cdr! list-set!) program))
  (set! vectors-change? (changes? '(vector-set! vector-fill! vector-copy!) program)))

;; The settled variables that the timed sequence of the entry binds to what is not known.
(define (unknown-parameters timed)
  (cond ((not (eq? (car timed) 'let)) '())
        ((and (dynamic? (list-ref timed 5)) (settled-as (caddr timed)))
         => (lambda (found) (cons (car found) (unknown-parameters (list-ref timed 4)))))
        (else (unknown-parameters (list-ref timed 4)))))

(define (settled-as parameter)
  (let loop ((pairs settled))
    (cond ((null? pairs) #f)
          ((eq? (cdar pairs) parameter) (car pairs))
          (else (loop (cdr pairs))))))

;; What is done at the top level is done by the residual program.
(define (reach-top! definition)
  (if (eq? (cadr definition) 'top)
      (flow! (cadddr (function-named (car definition))) dynamic)))

;; Values that are made once, in order.
(define (global-names program)
  (map car (remove (lambda (definition) (not (memq (cadr definition) '(global top)))) program)))

(define (changes? operations e)
  (and (pair? e)
       (or (and (eq? (car e) 'effect)
                (pair? (cdr e))
                (memq (cadr e) operations)
                #t)
           (changes? operations (car e))
           (changes? operations (cdr e)))))
