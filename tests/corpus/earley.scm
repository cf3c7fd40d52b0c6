;;; Earley's recognizer.  The grammar is known, the tokens are a list; item sets are lists of
;;; (left found rest origin); the sets that there were are a list, the last one first.
;;;
;;;     grammar ::= ((left symbol ...) ...)                   the first rule's left is the start

(define (run grammar tokens)
  (let* ((start (caar grammar))
         (first (close (predict start 0 grammar '()) 0 '() grammar)))
    (parse tokens (list first) 0 start grammar)))

(define (parse tokens sets n start grammar)
  (if (null? tokens)
      (accepting? (car sets) start)
      (let ((kernel (scan (car tokens) (car sets))))
        (if (null? kernel)
            #f
            (parse (cdr tokens)
                   (cons (close kernel (+ n 1) sets grammar) sets)
                   (+ n 1)
                   start
                   grammar)))))

(define (item left rest origin) (list left rest origin))

(define (accepting? set start)
  (and (pair? set)
       (or (let ((i (car set)))
             (and (eq? (car i) start) (null? (cadr i)) (= 0 (caddr i))))
           (accepting? (cdr set) start))))

(define (scan token set)
  (cond ((null? set) '())
        ((and (pair? (cadr (car set))) (eq? (car (cadr (car set))) token))
         (cons (item (car (car set)) (cdr (cadr (car set))) (caddr (car set)))
               (scan token (cdr set))))
        (else (scan token (cdr set)))))

(define (predict symbol n grammar set)
  (cond ((null? grammar) set)
        ((eq? (caar grammar) symbol)
         (predict symbol n (cdr grammar) (add (item symbol (cdar grammar) n) set)))
        (else (predict symbol n (cdr grammar) set))))

(define (add i set)
  (if (member i set) set (append set (list i))))

;; Everything that follows from the items, the set's own included.
(define (close set n sets grammar)
  (let loop ((done '()) (todo set) (set set))
    (if (null? todo)
        set
        (let* ((i (car todo))
               (new (if (null? (cadr i))
                        (complete i (origin-set (caddr i) n sets set) set)
                        (predict (car (cadr i)) n grammar set))))
          (loop (cons i done)
                (append (cdr todo) (list-tail new (length set)))
                new)))))

(define (origin-set origin n sets set)
  (if (= origin n) set (list-ref sets (- n (+ origin 1)))))

(define (complete i from set)
  (cond ((null? from) set)
        ((and (pair? (cadr (car from))) (eq? (car (cadr (car from))) (car i)))
         (complete i (cdr from)
                   (add (item (car (car from)) (cdr (cadr (car from))) (caddr (car from))) set)))
        (else (complete i (cdr from) set))))
