;;; Binding times, solved -> what is known, grows for ever and steers nothing is code.
;;;
;;; A counter or an accumulator that starts with a constant is known, and so is what follows it,
;;; however often an unknown test decides to go on: there would be a version for each round.  If
;;; nothing that is decided early depends on it, nothing is lost when it is code from the start.
;;;
;;; Values go from binding time to binding time along *edges*.  Known data grow where a strongly
;;; connected component of the edges has one along which they do (`+`, `string-append`, `cons` onto
;;; a list of the same node) and one that an unknown test decides about.  They steer something if a
;;; known test, a look into data, or a place in a list or vector depends on them.
;;;
;;; That keeps all that may turn out bounded.  If it does not, CARE says what becomes code besides,
;;; of all that grows under an unknown test: `numbers` and strings, but for places in known data,
;;; which these bound; `data` of any kind; or also `procedures` that hold others of their kind.
;;;
;;; Source: Holst, "Finiteness analysis" (1991); Glenstrup and Jones, "Termination analysis and
;;; specialization-point insertion in offline partial evaluation" (2005), for the growing cycles;
;;; Tarjan, "Depth-first search and linear graph algorithms" (1972).

;; Of a binding time: where it is in depth-first order, edges (to grows unknown? known? value?),
;; the binding times that it depends on, and what it steers: #f, or `spine` if that there are data
;; decides something, or `all` if what is in them does.  GROWS is #f or what grows: `numbers`,
;; `data` or `procedures`; VALUE? is #f if only what is around the value goes there.  PLACE? tells
;; whether it is a place in known data, AGAIN? whether it goes round under an unknown test.
(define-record-type track
  (make-track time order low component edges sources steers place? again?)
  track?
  (time track-time)
  (order track-order set-track-order!)
  (low track-low set-track-low!)
  (component track-component set-track-component!)
  (edges track-edges set-track-edges!)
  (sources track-sources set-track-sources!)
  (steers track-steers set-track-steers!)
  (place? track-place? set-track-place!)
  (again? track-again? set-track-again!))

(define tracks '())

(define care 'none)

(define (careful? . levels) (memq care levels))

;; Make code of what grows for ever, until nothing does.
(define (stop-growth!)
  (track-program!)
  (let ((growing (growing-for-ever)))
    (if (pair? growing)
        (begin
          (for-each make-dynamic! growing)
          (solve-all!)
          (stop-growth!)))))

(define (track-program!)
  (for-each (lambda (track) (set-time-track! (track-time track) #f)) tracks)
  (set! tracks '())
  (for-each
   (lambda (function)
     (let ((body (list-ref function 4)))
       (track-expression! body nothing)
       (edge! (time-of body) (cadddr function) #f nothing)))
   reached))

;; What decides something, but for what is only true or not (forks.scm).
(define (find-what-steers!)
  (set! truths-steer? #f)
  (track-program!)
  (set! truths-steer? #t)
  (for-each note-looks! tracks)
  (spread-steering! (steering tracks)))

(define truths-steer? #t)

(define (track-of time)
  (or (time-track time)
      (let ((track (make-track time #f #f #f '() '() #f #f #f)))
        (set-time-track! time track)
        (set! tracks (cons track tracks))
        track)))

(define (known-data? time)
  (case (time-kind time)
    ((s p) #t)
    ((f) (careful? 'procedures))
    (else #f)))

;; UNDER is (unknown? . known?): which tests decide whether something is evaluated at all.
(define nothing '(#f . #f))

(define (under-test under known?)
  (if known? (cons (car under) #t) (cons #t (cdr under))))

;; Known data go from one place to another.
(define (edge! from to grows under)
  (if (and (known-data? from) (known-data? to))
      (let ((track (track-of from)))
        (set-track-edges! track
                          (cons (list (track-of to) grows (car under) (cdr under) #t)
                                (track-edges track)))
        (depends! from to))))

;; Data go to a place within others, or from there: all that a place holds goes round with it.
(define (structure! from to grows under)
  (if (and (not (careful? 'none 'forks)) (known-data? from) (known-data? to))
      (let ((track (track-of from)))
        (set-track-edges! track
                          (cons (list (track-of to) grows (car under) (cdr under) #f)
                                (track-edges track))))))

(define (depends! from to)
  (if (known-data? from)
      (let ((track (track-of to)))
        (set-track-sources! track (cons (track-of from) (track-sources track))))))

;; Something is decided early by what is there.
(define (steers! time)
  (if (known-data? time) (set-track-steers! (track-of time) 'all)))

;; Expressions

(define (track-all! es under)
  (for-each (lambda (e) (track-expression! e under)) es))

(define (track-expression! e under)
  (case (car e)
    ((var quote global) #f)
    ((if)
     (let* ((test (caddr e))
            (known? (not (dynamic? (time-of test))))
            (within (under-test under known?)))
       (track-expression! test under)
       (if known? (track-decision! test (time-of e)))
       (for-each (lambda (arm)
                   (track-expression! arm within)
                   (edge! (time-of arm) (time-of e) #f within))
                 (cdddr e))))
    ((let)
     (track-expression! (cadddr e) under)
     (track-expression! (list-ref e 4) under)
     (edge! (time-of (cadddr e)) (list-ref e 5) #f under))
    ((prim) (track-primitive! (caddr e) (time-of e) (cdddr e) under))
    ((call)
     (track-all! (cdddr e) under)
     (edges! (cdddr e) (caddr (assq (caddr e) reached)) under))
    ((lambda) (track-lambda! e under))
    ((app) (track-application! (caddr e) (cadddr e) (list-ref e 4) (time-of e) under))
    ((effect) (track-all! (cdddr e) under))
    (else (track-all! (cddr e) under))))

;; What a known test decides.  Where it asks of pairs whether they are there, the pairs say by
;; themselves that they are looked into, unless a list is passed on by that.
(define (track-decision! test time)
  (if (not (and (eq? (car test) 'prim)
                (memq (caddr test) '(pair? null?))
                (eq? (time-kind (time-of (cadddr test))) 'p)))
      (if (or truths-steer? (and (eq? (car test) 'prim) (not (eq? (caddr test) 'not))))
          (steers! (time-of test))))
  (depends! (time-of test) time))

(define (edges! arguments times under)
  (for-each (lambda (argument time) (edge! (time-of argument) time #f under))
            arguments
            times))

(define (track-lambda! e under)
  (let* ((own (list-ref e 4))
         (known? (eq? (time-kind (time-of e)) 'f))
         (under (if known? under (under-test under #f)))
         (spread (cadr (caddr e))))
    (if known?
        (let ((node (node-of (time-of e))))
          (for-each (lambda (from to) (edge! from to #f under))
                    (parameter-list node)
                    (if spread (list (cadr spread)) own))
          (edge! (list-ref e 5) (closure-node-result node) #f under)
          (track-captured! (list-ref e 6) (time-of e) own under)))
    (let ((body (if (and known? spread) (caddr spread) (list-ref e 6))))
      (track-expression! body under)
      (edge! (time-of body) (list-ref e 5) #f under))))

;; What a procedure holds, and may be made of such procedures.
(define (track-captured! e closure own under)
  (case (car e)
    ((var)
     (if (not (memq (time-of e) own))
         (structure! (time-of e) closure 'procedures under)))
    ((quote global) #f)
    ((lambda) (track-captured! (list-ref e 6) closure (append (list-ref e 4) own) under))
    ((let)
     (track-captured! (cadddr e) closure own under)
     (track-captured! (list-ref e 4) closure (cons (list-ref e 5) own) under))
    ((app)
     (track-captured! (caddr e) closure own under)
     (for-each (lambda (e) (track-captured! e closure own under)) (cadddr e)))
    ((prim effect call)
     (for-each (lambda (e) (track-captured! e closure own under)) (cdddr e)))
    (else (for-each (lambda (e) (track-captured! e closure own under)) (cddr e)))))

(define (track-application! function arguments items time under)
  (track-expression! function under)
  (if (eq? (time-kind (time-of function)) 'f)
      (let* ((node (node-of (time-of function)))
             (given (if (convention node) arguments (list (items)))))
        (track-all! given under)
        (edges! given (parameter-list node) under)
        (edge! (closure-node-result node) time #f under))
      (track-all! arguments under)))

(define (track-primitive! op time arguments under)
  (track-all! arguments under)
  (cond
   ((eq? op 'apply) (track-apply! (car arguments) (cadr arguments) time under))
   ((dynamic? time) #f)
   ((eq? op 'cons) (track-construction! 'cons arguments time under))
   ((eq? op 'make-record)
    (track-construction! (literal (car arguments)) (cdr arguments) time under))
   ((memq op '(car cdr record-ref)) (track-selection! op arguments time under))
   (else (track-operation! op (map time-of arguments) time under))))

(define (track-apply! function items time under)
  (if (eq? (time-kind (time-of function)) 'f)
      (let ((node (node-of (time-of function))))
        (edges! (list items) (parameter-list node) under)
        (edge! (closure-node-result node) time #f under))))

(define (track-construction! type arguments time under)
  (for-each
   (lambda (argument part)
     (let ((from (time-of argument)))
       (edge! from part #f under)
       (structure! from time #f under)
       (if (same-node? from time) (edge! from time 'data under))))
   arguments
   (part-times (node-of time) type)))

(define (same-node? a b)
  (and (eq? (time-kind a) 'p) (eq? (time-kind b) 'p) (eq? (node-of a) (node-of b))))

;; What is looked into steers, if it is not known as one datum: pairs say so themselves.
(define (track-selection! op arguments time under)
  (let ((from (time-of (last arguments))))
    (structure! from time #f under)
    (if (eq? (time-kind from) 'p)
        (edge! (list-ref (part-times (node-of from) (selected-type op arguments))
                         (selected-index op arguments))
               time #f under)
        (begin
          (steers! from)
          (edge! from time #f under)))))

;; Where the value of an operation on known data comes from: (op source ...), the numbers of
;; operands; of others from all operands.  What is masked does not grow.
(define sources-of-value
  '((modulo 1) (remainder 1) (bitwise-and)
    (string-ref 0) (vector-ref 0) (list-ref 0) (list-tail 0) (substring 0)
    (assq 1) (assv 1) (assoc 1) (memq 1) (memv 1) (member 1)))

;; Operations of which the first argument is looked into, at the places that the others say.
(define looking
  '(string-ref vector-ref list-ref list-tail substring assq assv assoc memq memv member))

;; Operations of which the others are places.
(define indexing '(string-ref vector-ref list-ref list-tail substring))

(define growing
  '(+ - * / expt square string-append list->string bitwise-not arithmetic-shift
    word-add word-sub word-mul word-shift-left lcm))

(define growing-data '(append make-vector))

(define tests
  '(null? pair? not symbol? number? integer? boolean? string? char? procedure? vector? list? zero?
    positive? negative? odd? even? char-alphabetic? char-numeric? char-whitespace? eq? eqv? equal?
    = < > <= >= string=? string<? string>? string<=? string>=? string-ci=? string-ci<? char=? char<?
    char>? char<=? char>=? char-ci=? char-ci<? char-upper-case? char-lower-case? exact? inexact?
    rational? complex? nan? finite? infinite? eof-object? record-is?))

(define (track-operation! op times time under)
  (for-each (lambda (from) (depends! from time)) times)
  (if (memq op looking) (for-each steers! times))
  (if (memq op indexing) (for-each place! (cdr times)))
  (if (not (memq op tests))
      (let ((sources (assq op sources-of-value)))
        (for-each (lambda (from) (edge! from time (what-grows op) under))
                  (with-parts
                   (if sources
                       (map (lambda (n) (list-ref times n)) (cdr sources))
                       times)
                   '())))))

;; The times, and those of all that is in data there.
(define (with-parts times found)
  (cond ((null? times) found)
        ((memq (car times) found) (with-parts (cdr times) found))
        (else
         (with-parts (append (inner-times (car times)) (cdr times)) (cons (car times) found)))))

(define (inner-times time)
  (if (eq? (time-kind time) 'p)
      (apply append (map cdr (pair-node-parts (node-of time))))
      '()))

(define (what-grows op)
  (cond ((memq op growing) 'numbers)
        ((memq op growing-data) 'data)
        (else #f)))

(define (place! time)
  (if (known-data? time) (set-track-place! (track-of time) #t)))

;; The binding times of components that grow for ever.  Where no known test decides whether they go
;; on to grow, it does not matter what they steer.
(define (growing-for-ever)
  (for-each note-looks! tracks)
  (spread-steering! (steering tracks))
  (let* ((careless (growing-in-vain))
         (careful (if (careful? 'none 'forks) '() (growing-at-all))))
    (times-of (append careless careful))))

(define (growing-in-vain)
  (let ((idle (that-grow (components value-edge?) valued-within? idle? data?)))
    (append idle (that-grow (components untested-edge?) untested-within? any-track? data?))))

;; What may be bounded, and is not to grow.
(define (growing-at-all)
  (let* ((around (components any-edge?))
         (procedures
          (map only-procedures (that-grow around unknown-within? any-track? procedures?))))
    (for-each
     (lambda (members)
       (let ((again? (unknown-within? members)))
         (for-each (lambda (track) (set-track-again! track again?)) members)))
     around)
    (let ((all (components value-edge?)))
      (append (that-grow all goes-round? (if (careful? 'procedures) any-track? unplaced?) numbers?)
              (if (careful? 'numbers) '() (that-grow all goes-round? any-track? data?))
              procedures))))

(define (only-procedures members)
  (remove (lambda (track) (not (eq? (time-kind (track-time track)) 'f))) members))

(define (any-edge? edge) #t)
(define (value-edge? edge) (list-ref edge 4))
(define (untested-edge? edge) (and (value-edge? edge) (not (cadddr edge))))
(define (any-track? track) #t)
(define (idle? track) (not (track-steers track)))
(define (unplaced? track) (not (track-place? track)))

(define (goes-round? members) (any? track-again? members))
(define (unknown-within? members) (any-edge-within? members caddr))
(define (valued-within? members)
  (any-edge-within? members (lambda (edge) (and (value-edge? edge) (caddr edge)))))
(define (untested-within? members)
  (any-edge-within? members (lambda (edge) (and (untested-edge? edge) (caddr edge)))))

;; What an edge says that grows.
(define (numbers? grows) (eq? grows 'numbers))
(define (data? grows) (memq grows '(numbers data)))
(define (procedures? grows) (eq? grows 'procedures))

;; That a pair or record is looked into.
(define (note-looks! track)
  (let ((time (track-time track)))
    (if (and (eq? (time-kind time) 'p)
             (eq? (pair-node-looks (node-of time)) 'inside)
             (not (track-steers track)))
        (set-track-steers! track 'spine))))

(define (steering tracks)
  (cond ((null? tracks) '())
        ((track-steers (car tracks)) (cons (car tracks) (steering (cdr tracks))))
        (else (steering (cdr tracks)))))

;; What something that steers depends on steers as well.
(define (spread-steering! work)
  (if (pair? work)
      (let ((track (car work)))
        (spread-steering!
         (newly-steering (track-steers track)
                         (append (if (eq? (track-steers track) 'all)
                                     (parts-of (track-time track))
                                     '())
                                 (track-sources track))
                         (cdr work))))))

(define (newly-steering how found work)
  (cond ((null? found) work)
        ((memq (track-steers (car found)) (list how 'all)) (newly-steering how (cdr found) work))
        (else
         (set-track-steers! (car found) how)
         (newly-steering how (cdr found) (cons (car found) work)))))

(define (parts-of time)
  (tracks-of (inner-times time)))

(define (tracks-of times)
  (cond ((null? times) '())
        ((known-data? (car times)) (cons (track-of (car times)) (tracks-of (cdr times))))
        (else (tracks-of (cdr times)))))

;; The components that grow in such a WAY?, go on to grow by what is not known (ON?), and of which
;; all tracks are ALLOWED?.
(define (that-grow components on? allowed? way?)
  (cond ((null? components) '())
        ((let ((members (car components)))
           (and (any-edge-within? members (lambda (edge) (way? (cadr edge))))
                (on? members)
                (not (any? (lambda (track) (not (allowed? track))) members))))
         (cons (car components) (that-grow (cdr components) on? allowed? way?)))
        (else (that-grow (cdr components) on? allowed? way?))))

(define (any-edge-within? members flag)
  (any? (lambda (track)
          (any? (lambda (edge)
                  (and (flag edge) (eq? (track-component (car edge)) (track-component track))))
                (track-edges track)))
        members))

(define (times-of components)
  (map track-time (apply append components)))

;; The strongly connected components along some of the edges, lists of tracks.
(define (components followed?)
  (let ((count 0)
        (stack '())
        (made '()))
    (define (visit! track)
      (set-track-order! track count)
      (set-track-low! track count)
      (set! count (+ count 1))
      (set! stack (cons track stack))
      (for-each (lambda (edge) (if (followed? edge) (follow! track (car edge))))
                (track-edges track))
      (if (= (track-low track) (track-order track))
          (set! made (cons (pop! track) made))))
    (define (follow! track next)
      (cond ((not (track-order next))
             (visit! next)
             (lower! track (track-low next)))
            ((not (track-component next)) (lower! track (track-order next)))))
    (define (pop! root)
      (let ((track (car stack)))
        (set! stack (cdr stack))
        (set-track-component! track root)
        (if (eq? track root) (list track) (cons track (pop! root)))))
    (for-each (lambda (track)
                (set-track-order! track #f)
                (set-track-component! track #f))
              tracks)
    (for-each (lambda (track) (if (not (track-order track)) (visit! track))) tracks)
    made))

(define (lower! track order)
  (if (< order (track-low track)) (set-track-low! track order)))
