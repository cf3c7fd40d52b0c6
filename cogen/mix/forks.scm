;;; Known values that come out of unknown conditionals.
;;;
;;;     (let env (call match pattern x known)         match has unknown tests, and gives #f or an
;;;       (if (var env) ... ...))                     environment of which the names are known
;;;
;;; A conditional whose test is not known *forks* where its arms have known values that decide
;;; something: what follows is done for the value of each arm (mix.scm, `spec-with`).  It is a memo
;;; point where it is code (annotate.scm), so that there is one copy for each value, and not one for
;;; each way that leads to it.
;;;
;;; All conditionals that could fork may do so at first; those for which nothing is won may not, and
;;; the analysis begins again.  A conditional within a `lambda` may not; nor may a value that is a
;;; procedure.  What a procedure does up to its end is done without a memo point if its value is not
;;; code: so a procedure that forks, and may come to itself, has code for its value, unless each
;;; time a part of what it was given is what it is given next.
;;;
;;; Source: Bondorf, "Improving binding times without explicit CPS-conversion" (1992); Lawall and
;;; Danvy, "Continuation-based partial evaluation" (1994); Lee, Jones and Ben-Amram, "The
;;; size-change principle for program termination" (2001).

;; Which may fork: `all`, or a list of ((procedure . number) ...), and all that there are:
;; ((timed . (procedure . number)) ...).
(define allowed-forks '())
(define conditionals '())

;; The procedure whose body is being inferred and its conditionals so far, or #f in a `lambda`.
(define inferring #f)

(define (infer-within place thunk)
  (let ((outer inferring))
    (set! inferring place)
    (let ((made (thunk)))
      (set! inferring outer)
      made)))

;; A conditional is met: may it fork?
(define (note-conditional! timed)
  (if inferring
      (let ((key (cons (car inferring) (cdr inferring))))
        (set! inferring (cons (car key) (+ (cdr key) 1)))
        (if (or (eq? allowed-forks 'all) (member key allowed-forks))
            (begin
              (set! conditionals (cons (cons timed key) conditionals))
              #t)
            #f))
      #f))

(define (fork? timed)
  (and (eq? (car timed) 'if)
       (dynamic? (time-of (caddr timed)))
       (not (dynamic? (time-of timed)))))

(define (forks-there-are) (keep (lambda (pair) (fork? (car pair))) conditionals))

;; Find those that fork, after all constraints are solved; the keys of those for which it is worth
;; while.
(define (settle-forks!)
  (close-forks!)
  (let ((open (forks-there-are)))
    (if (null? open)
        '()
        (begin
          (find-what-steers!)
          (map cdr (keep (lambda (pair) (worth-forking? (time-of (car pair)))) open))))))

(define (worth-forking? time)
  (and (memq (time-kind time) '(s p))
       (time-track time)
       (track-steers (time-track time))
       #t))

;; Procedures that fork and might not end have code for their values.
(define (close-forks!)
  (if (pair? (forks-there-are))
      (let* ((calls (all-calls))
             (endless (remove (lambda (place) (bounded? place calls)) (forking-places))))
        (if (pair? endless)
            (begin
              (for-each (lambda (place) (make-dynamic! (place-result place))) endless)
              (solve-all!)
              (close-forks!))))))

;; Places that fork: procedures (the items of `reached`) and `lambda` expressions, of which the
;; value is not code and may come out of a fork.

(define (place-result place)
  (if (eq? (car place) 'lambda) (list-ref place 5) (cadddr place)))

(define (place-body place)
  (if (eq? (car place) 'lambda) (body-of-lambda place) (list-ref place 4)))

(define (body-of-lambda e)
  (let ((spread (cadr (caddr e))))
    (if (and spread (eq? (time-kind (time-of e)) 'f)) (caddr spread) (list-ref e 6))))

(define (forking-places)
  (find-owners!)
  (let ((places (remove (lambda (place) (dynamic? (place-result place)))
                        (append reached (map car owners)))))
    (let loop ((found '()))
      (let ((more (keep (lambda (place)
                          (and (not (memq place found))
                               (may-fork? (place-body place) found)))
                        places)))
        (if (null? more) found (loop (append more found)))))))

;; Does an expression, but for `lambda` expressions in it, fork, or use a place that was found to?
(define (may-fork? e places)
  (or (fork? e)
      (case (car e)
        ((call)
         (and (not (dynamic? (time-of e))) (memq (assq (caddr e) reached) places) #t))
        ((app) (any? (lambda (place) (memq place places)) (lambdas-applied e)))
        (else #f))
      (and (not (eq? (car e) 'lambda))
           (any? (lambda (part) (may-fork? part places)) (timed-parts e)))))

(define (timed-parts e)
  (case (car e)
    ((var quote global) '())
    ((if) (cddr e))
    ((let) (list (cadddr e) (list-ref e 4)))
    ((prim call effect) (cdddr e))
    ((lambda) (list (body-of-lambda e)))
    ((app) (cons (caddr e) (cadddr e)))
    (else (cddr e))))

;; Known `lambda` expressions with the names of the procedures where they stand.
(define owners '())

(define (find-owners!)
  (set! owners
        (apply append
               (map (lambda (function)
                      (map (lambda (e) (cons e (car function)))
                           (lambdas-in (list-ref function 4))))
                    reached))))

(define (lambdas-in e)
  (let ((inner (apply append (map lambdas-in (timed-parts e)))))
    (if (and (eq? (car e) 'lambda) (eq? (time-kind (time-of e)) 'f)) (cons e inner) inner)))

(define (lambdas-applied e)
  (let ((time (time-of (caddr e))))
    (if (eq? (time-kind time) 'f)
        (let ((labels (closure-node-labels (node-of time))))
          (map car (keep (lambda (owner) (memq (caddr (car owner)) labels)) owners)))
        '())))

;; Does a procedure come to an end without a memo point, whatever is not known?
(define (bounded? place calls)
  (and (not (eq? (car place) 'lambda))
       (let* ((name (car place))
              (before (all-from name (map (lambda (call) (cons (cadr call) (car call))) calls)))
              (circle (keep (lambda (other) (memq other before))
                            (all-from name (map (lambda (call) (cons (car call) (cadr call)))
                                                calls)))))
         (or (null? circle) (descends? circle calls)))))

;; All calls: (caller callee part ...).  A PART tells of an argument what it is of a parameter of
;; the caller: (number . part?), or #f.  Of a known `lambda` nothing is known but where it stands.
(define (all-calls)
  (apply append
         (map (lambda (function)
                (calls-in (list-ref function 4) (car function) (numbered-of function)))
              reached)))

(define (calls-in e name roots)
  (let ((inner (apply append
                      (map (lambda (part) (calls-in part name roots)) (parts-but-body e)))))
    (case (car e)
      ((call)
       (cons (cons name (cons (caddr e) (map (lambda (e) (root-of e roots)) (cdddr e)))) inner))
      ((app)
       (append (map (lambda (place) (list name (cdr (assq place owners)))) (lambdas-applied e))
               inner))
      ((let)
       (append (calls-in (list-ref e 4) name
                         (cons (cons (caddr e) (root-of (cadddr e) roots)) roots))
               inner))
      (else inner))))

(define (parts-but-body e)
  (if (eq? (car e) 'let) (list (cadddr e)) (timed-parts e)))

;; Known parameters are themselves.
(define (numbered variables times n)
  (if (null? variables)
      '()
      (cons (cons (car variables) (if (dynamic? (car times)) #f (cons n #f)))
            (numbered (cdr variables) (cdr times) (+ n 1)))))

(define (root-of e roots)
  (case (car e)
    ((var)
     (let ((found (assq (caddr e) roots)))
       (and found (cdr found))))
    ((prim)
     (if (memq (caddr e) '(car cdr))
         (let ((root (root-of (cadddr e) roots)))
           (and root (cons (car root) #t)))
         #f))
    (else #f)))

;; What steps, (from . to), lead to from there, itself only if they lead round.
(define (all-from start steps)
  (let loop ((work (list start)) (seen '()))
    (if (null? work)
        seen
        (let ((new (remove (lambda (next) (memq next seen))
                           (map cdr (keep (lambda (step) (eq? (car step) (car work))) steps)))))
          (loop (append new (cdr work)) (append new seen))))))

;; Do the procedures of a circle hand on parts of what they were given, all the way round?
;; CANDIDATES are ((procedure number ...) ...): parameters that are such parts at all calls.
(define (descends? circle calls)
  (let ((within (keep (lambda (call) (and (memq (car call) circle) (memq (cadr call) circle)))
                      calls)))
    (let loop ((candidates
                (map (lambda (name)
                       (cons name (map cadr (keep cdr (numbered-of (assq name reached))))))
                     circle)))
      (let ((left (map (lambda (candidate) (handed-on candidate candidates within)) candidates)))
        (cond ((any? (lambda (candidate) (null? (cdr candidate))) left) #f)
              ((equal? left candidates) (goes-down? left within))
              (else (loop left)))))))

(define (numbered-of function) (numbered (cadr function) (caddr function) 0))

(define (handed-on candidate candidates calls)
  (cons (car candidate)
        (keep (lambda (number)
                (not (any? (lambda (call)
                             (and (eq? (cadr call) (car candidate))
                                  (not (from-candidate (part-at call number) call candidates))))
                           calls)))
              (cdr candidate))))

(define (part-at call number)
  (if (null? (cddr call)) #f (list-ref (cddr call) number)))

(define (from-candidate part call candidates)
  (and part (memv (car part) (cdr (assq (car call) candidates))) part))

;; Calls that only hand on what was given must not lead round.
(define (goes-down? candidates calls)
  (let ((level (keep (lambda (call)
                       (any? (lambda (number) (not (cdr (part-at call number))))
                             (cdr (assq (cadr call) candidates))))
                     calls)))
    (let ((steps (map (lambda (call) (cons (car call) (cadr call))) level)))
      (not (any? (lambda (step) (memq (car step) (all-from (cdr step) steps))) steps)))))

;; What annotations ask: the procedures and labels of `lambda` expressions that fork.

(define forked '())

(define (find-forked!)
  (set! forked
        (if (null? (forks-there-are))
            '()
            (map (lambda (place)
                   (if (eq? (car place) 'lambda) (car (caddr place)) (car place)))
                 (forking-places)))))

;; May an annotated expression fork?
(define (forks? e)
  (case (car e)
    ((fork) #t)
    ((let dlet klet) (or (forks? (caddr e)) (forks? (cadddr e))))
    ((sif) (or (forks? (caddr e)) (forks? (cadddr e))))
    ((call) (and (memq (cadr e) forked) #t))
    ((app) (any? (lambda (label) (memq label forked)) (cadr e)))
    (else #f)))

;; A value that needs bindings, and what follows it: of a fork, as an unknown conditional is, a memo
;; point, and what is done for each arm is another one.
(define (continued x value body)
  (if (and (forks? value) (code? body))
      (memo-point (new-label)
                  (list 'klet x value
                        (if (memq (car body) '(lift residualize))
                            body
                            (memo-point (new-label) body))))
      (list 'klet x value body)))

;; Is an annotated expression code, if it is no memo point?
(define (code? e)
  (case (car e)
    ((lift residualize dprim dif cif dlam dapp deffect) #t)
    ((let dlet klet) (code? (cadddr e)))
    ((sif) (or (code? (caddr e)) (code? (cadddr e))))
    ((call) (dynamic? (cadddr (assq (cadr e) reached))))
    ((app)
     (and (pair? (cadr e)) (dynamic? (list-ref (lambda-labelled (car (cadr e))) 5))))
    (else #f)))
