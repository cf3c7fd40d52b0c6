;;; Binding times, and the constraints between them.
;;;
;;;     bottom    nothing arrives here, or a literal atom
;;;     s         first-order data, known
;;;     p         a pair, record or vector, or a datum that is neither; its node has the binding
;;;               times of the parts
;;;     f         a procedure; its node has those of parameters and result, and the labels of the
;;;               lambda expressions that arrive
;;;     d         code
;;;
;;; They only grow.  `(flow a b)` says that values of binding time A go to a place of binding time
;;; B.  Nodes that meet become one, so the description of data of any depth is finite.  A pair or
;;; record becomes code where it flows to d; a procedure that flows to d is residual everywhere.
;;; In a program that changes pairs, a pair that becomes code anywhere is code from the start; so is
;;; a vector that the program makes, in one that changes vectors, or of which not all is known.

;; TRACK belongs to growth.scm.
(define-record-type time
  (make-tracked-time kind node watchers track)
  time?
  (kind time-kind set-time-kind!)
  (node time-node set-time-node!)
  (watchers time-watchers set-time-watchers!)
  (track time-track set-time-track!))

(define (make-time kind node watchers) (make-tracked-time kind node watchers #f))

;; What two places know of the pairs and records that arrive: LINK leads to the node that this one
;; became; PARTS is ((type time ...) ...), where the type of pairs is `cons`, and that of vectors,
;; which have one part for all that they are made of, `vector`; LOOKS tells whether
;; something known looks into them: #f, `passing` if that only makes another list of the items, or
;; `inside`.
(define-record-type pair-node
  (make-pair-node parts holders looks lifted? residual? mixed? link)
  pair-node?
  (parts pair-node-parts set-pair-node-parts!)
  (holders pair-node-holders set-pair-node-holders!)
  (looks pair-node-looks set-pair-node-looks!)
  (lifted? pair-node-lifted? set-pair-node-lifted!)
  (residual? pair-node-residual? set-pair-node-residual!)
  (mixed? pair-node-mixed? set-pair-node-mixed!)
  (link pair-node-link set-pair-node-link!))

;; PARAMETERS is one binding time, of a list of arguments, or a list of them.  Where procedures
;; that take different numbers of arguments, or a list, may arrive, all take a list (spread!).
;; LABELS are (label spread make-spread): see infer.scm.
(define-record-type closure-node
  (make-closure-node labels parameters result holders residual? link)
  closure-node?
  (labels closure-node-labels set-closure-node-labels!)
  (parameters closure-node-parameters set-closure-node-parameters!)
  (result closure-node-result)
  (holders closure-node-holders set-closure-node-holders!)
  (residual? closure-node-residual? set-closure-node-residual!)
  (link closure-node-link set-closure-node-link!))

(define (new-time) (make-time 'bottom #f '()))

(define dynamic (make-time 'd #f '()))

(define queue '())
(define pair-nodes '())
(define deferred '())
(define pairs-change? #f)
(define vectors-change? #f)

(define (new-times count)
  (if (= count 0) '() (cons (new-time) (new-times (- count 1)))))

;; The binding times of the parts of the data of a type.
(define (part-times node type)
  (let ((found (assoc type (pair-node-parts node))))
    (if found
        (cdr found)
        (let ((times (new-times (part-count type))))
          (set-pair-node-parts! node (append (pair-node-parts node) (list (cons type times))))
          (if (pair-node-lifted? node)
              (begin
                (all-flow! times)
                (if (and vectors-change? (eq? type 'vector)) (residual-pairs! node))))
          times))))

(define (part-count type)
  (case type
    ((cons) 2)
    ((vector) 1)
    (else (length (cdr type)))))

(define (vectors? node) (assq 'vector (pair-node-parts node)))

(define (changing-vectors? node) (and vectors-change? (vectors? node)))

(define (all-flow! times)
  (for-each (lambda (time) (flow! time dynamic)) times))

(define (last-pair-node x)
  (let ((link (pair-node-link x)))
    (if link (last-pair-node link) x)))

(define (last-closure-node x)
  (let ((link (closure-node-link x)))
    (if link (last-closure-node link) x)))

(define (node-of a)
  (if (eq? (time-kind a) 'p)
      (last-pair-node (time-node a))
      (last-closure-node (time-node a))))

;; Run a constraint now and whenever the binding time grows.
(define (watch! a constraint)
  (set-time-watchers! a (cons constraint (time-watchers a)))
  (set! queue (cons constraint queue)))

(define (notify! a)
  (set! queue (append (time-watchers a) queue)))

(define (solve!)
  (if (pair? queue)
      (let ((constraint (car queue)))
        (set! queue (cdr queue))
        (constraint)
        (solve!))))

(define (grow! a kind node)
  (set-time-kind! a kind)
  (set-time-node! a node)
  (notify! a))

(define (at-least-static! a)
  (if (eq? (time-kind a) 'bottom) (grow! a 's #f)))

(define (hold-pair! a node)
  (set-pair-node-holders! node (cons a (pair-node-holders node)))
  (grow! a 'p node)
  (if (pair-node-residual? node) (make-dynamic! a)))

(define (hold-closure! a node)
  (set-closure-node-holders! node (cons a (closure-node-holders node)))
  (grow! a 'f node)
  (if (closure-node-residual? node) (make-dynamic! a)))

(define (make-dynamic! a)
  (let ((kind (time-kind a)))
    (if (not (eq? kind 'd))
        (let ((node (time-node a)))
          (grow! a 'd #f)
          (case kind
            ((p) (lift-pairs! (last-pair-node node)))
            ((f) (residual-closures! (last-closure-node node))))))))

;; The pairs are looked into.
(define (look! node how)
  (if (and how (not (eq? (pair-node-looks node) 'inside))) (set-pair-node-looks! node how)))

;; The pairs become code somewhere: their parts must be such that they can.
(define (lift-pairs! node)
  (if (not (pair-node-lifted? node))
      (begin
        (set-pair-node-lifted! node #t)
        (for-each (lambda (part) (all-flow! (cdr part))) (pair-node-parts node))
        (if (or pairs-change? (changing-vectors? node)) (residual-pairs! node)))))

;; The pairs are code from the start.
(define (residual-pairs! node)
  (if (not (pair-node-residual? node))
      (begin
        (set-pair-node-residual! node #t)
        (lift-pairs! node)
        (for-each make-dynamic! (pair-node-holders node)))))

(define (residual-closures! node)
  (if (not (closure-node-residual? node))
      (begin
        (set-closure-node-residual! node #t)
        (for-each make-dynamic! (parameter-list node))
        (flow! (closure-node-result node) dynamic)
        (for-each make-dynamic! (closure-node-holders node)))))

(define (parameter-list node)
  (let ((parameters (closure-node-parameters node)))
    (if (time? parameters) (list parameters) parameters)))

;; How procedures are called: a number of arguments, or #f if with a list.
(define (convention node)
  (let ((parameters (closure-node-parameters node)))
    (if (time? parameters) #f (length parameters))))

;; From now on these procedures take a list.
(define (spread! node)
  (if (and (convention node) (not (closure-node-residual? node)))
      (let ((items (new-time)))
        (set-closure-node-parameters! node items)
        (for-each (lambda (label) (set-car! (cdr label) ((caddr label) items)))
                  (closure-node-labels node))
        (for-each notify! (closure-node-holders node)))))

(define (flow! a b)
  (let ((constraint (lambda () (flow a b))))
    (watch! a constraint)
    (if (not (eq? b dynamic)) (watch! b constraint))))

(define (equate! a b)
  (if (not (eq? a b))
      (begin (flow! a b) (flow! b a))))

(define (flow a b)
  (let ((from (time-kind a))
        (to (time-kind b)))
    (case from
      ((d) (make-dynamic! b))
      ((s)
       (case to
         ((bottom) (grow! b 's #f))
         ((f) (residual-closures! (node-of b)))))
      ((p)
       (case to
         ((bottom s) (hold-pair! b (node-of a)))
         ((p) (unite-pairs! (node-of a) (node-of b)))
         ((f) (make-dynamic! a) (make-dynamic! b))
         ((d) (lift-pairs! (node-of a)))))
      ((f)
       (case to
         ((bottom) (hold-closure! b (node-of a)))
         ((f) (unite-closures! (node-of a) (node-of b)))
         (else (make-dynamic! a) (make-dynamic! b)))))))

(define (unite-pairs! x y)
  (if (not (eq? x y))
      (begin
        (set-pair-node-link! y x)
        (set-pair-node-holders! x (append (pair-node-holders y) (pair-node-holders x)))
        (look! x (pair-node-looks y))
        (for-each (lambda (part) (for-each equate! (part-times x (car part)) (cdr part)))
                  (pair-node-parts y))
        (if (pair-node-lifted? y) (lift-pairs! x))
        (if (or (pair-node-residual? x) (pair-node-residual? y))
            (begin
              (set-pair-node-residual! x #f)
              (residual-pairs! x))))))

(define (unite-closures! x y)
  (cond
   ((eq? x y) #f)
   ((not (eqv? (convention x) (convention y)))
    (if (or (closure-node-residual? x) (closure-node-residual? y))
        (begin
          (residual-closures! x)
          (residual-closures! y))
        (begin
          (spread! x)
          (spread! y)
          (unite-closures! x y))))
   (else
    (set-closure-node-link! y x)
    (set-closure-node-holders! x (append (closure-node-holders y) (closure-node-holders x)))
    (set-closure-node-labels! x (append (closure-node-labels x) (closure-node-labels y)))
    (for-each equate! (parameter-list x) (parameter-list y))
    (equate! (closure-node-result x) (closure-node-result y))
    (if (or (closure-node-residual? x) (closure-node-residual? y))
        (begin
          (set-closure-node-residual! x #f)
          (residual-closures! x))))))
