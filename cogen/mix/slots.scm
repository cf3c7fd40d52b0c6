;;; Which variables can be threaded (thread.scm), and what each procedure does with them: those that
;;; are bound to something new and their way through parameters, who changes them, who reads them
;;; afterwards, and which parameters are given back.

;; What an expression makes that is new: `cell`, `vector` or #f.
(define (fresh-kind e)
  (case (car e)
    ((effect)
     (cond ((eq? (cadr e) 'make-cell) 'cell)
           ((eq? (cadr e) 'make-vector) (few-items (caddr e)))
           (else #f)))
    ((prim)
     (case (cadr e)
       ((make-vector) (few-items (caddr e)))
       ((list->vector) (and (list-expression? (caddr e)) 'vector))
       ((string->vector) 'vector)
       (else #f)))
    (else #f)))

(define (few-items size)
  (and (not (and (eq? (car size) 'quote) (not (small? (cadr size))))) 'vector))

(define (small? size) (and (integer? size) (<= size most-items)))

(define (list-expression? e)
  (case (car e)
    ((quote) (list? (cadr e)))
    ((prim) (and (eq? (cadr e) 'cons) (list-expression? (cadddr e))))
    (else #f)))

;; Roots, and the parameters that they are passed to, until there are no more.
(define (find-slots! program left)
  (set! slots '())
  (for-each (lambda (item) (find-roots! (caddr item) left)) program)
  (let loop ()
    (let ((before (length slots)))
      (for-each (lambda (item) (find-parameters! (caddr item) program)) program)
      (if (> (length slots) before) (loop)))))

(define (add-slot! x kind root?)
  (set! slots (cons (cons x (make-slot x kind #f root? #f #f #f '() '())) slots)))

(define (find-roots! e left)
  (if (and (eq? (car e) 'let) (fresh-kind (caddr e)) (not (memq (origin (cadr e)) left)))
      (add-slot! (cadr e) (fresh-kind (caddr e)) #t))
  (for-each (lambda (part) (find-roots! part left)) (parts-of-expression e)))

(define (find-parameters! e program)
  (if (eq? (car e) 'call)
      (for-each (lambda (argument x)
                  (let ((slot (slot-of argument)))
                    (if (and slot (not (assq x slots))) (add-slot! x (slot-kind slot) #f))))
                (cddr e)
                (cadr (assq (cadr e) program))))
  (for-each (lambda (part) (find-parameters! part program)) (parts-of-expression e)))

(define (slot-of e) (and (eq? (car e) 'var) (slot-named (cadr e))))

(define (slot-named x)
  (let ((found (assq x slots)))
    (and found (cdr found))))

;; The slot that an operation works on, or #f.
(define (accessed e)
  (and (memq (car e) '(prim effect))
       (pair? (cddr e))
       (let ((slot (slot-of (caddr e))))
         (and slot
              (let ((wanted (assq (cadr e)
                                  (if (eq? (slot-kind slot) 'cell)
                                      '((cell-ref 1) (cell-set! 2))
                                      '((vector-ref 2) (vector-length 1) (vector-set! 3)
                                        (vector-fill! 2))))))
                (and wanted (= (cadr wanted) (length (cddr e)))))
              slot))))

(define (writes? e) (memq (cadr e) '(cell-set! vector-set! vector-fill!)))

(define (spoil! slot)
  (if (and slot (not (slot-spoilt? slot)))
      (begin
        (set-slot-spoilt! slot #t)
        (for-each spoil! (slot-to slot))
        (for-each spoil! (slot-from slot)))))

;; Find out how variables are used in an expression within HERE.
(define (scan! e here)
  (case (car e)
    ((var) (scan-leaving! (slot-of e) here))
    ((quote global operation) #f)
    ((let)
     (let ((slot (slot-named (cadr e))))
       (if slot (set-slot-home! slot here))
       (scan! (caddr e) here)
       (scan! (cadddr e) here)))
    ((lambda) (scan! (caddr e) e))
    ((memo) (scan! (cadr e) e))
    ((call) (scan-call! (cddr e) (assq (cadr e) threaded) here))
    (else
     (let ((slot (accessed e)))
       (if slot
           (begin
             (use! slot here)
             (if (writes? e) (set-slot-written! slot #t))
             (scan-all! (cdddr e) here))
           (scan-all! (parts-of-expression e) here))))))

;; A vector may be taken for what it is, if that is its last use (live).
(define (scan-leaving! slot here)
  (cond ((not slot) #f)
        ((eq? (slot-kind slot) 'vector) (use! slot here))
        (else (spoil! slot))))

(define (scan-all! es here)
  (for-each (lambda (e) (scan! e here)) es))

(define (use! slot here)
  (if (not (eq? here (or (slot-home slot) (home-of-parameter slot)))) (spoil! slot)))

(define (home-of-parameter slot)
  (set-slot-home! slot (car (owner-of (slot-name slot) threaded)))
  (slot-home slot))

(define (scan-call! arguments item here)
  (let loop ((left arguments) (parameters (cadr item)))
    (if (pair? left)
        (let ((to (slot-named (car parameters)))
              (from (slot-of (car left))))
          (if (and from to) (use! from here) (scan! (car left) here))
          (if (and to (not from)) (spoil! to))
          (if (and from to) (connect! from to arguments))
          (loop (cdr left) (cdr parameters))))))

(define (connect! from to arguments)
  (set-slot-to! from (cons to (slot-to from)))
  (set-slot-from! to (cons from (slot-from to)))
  (if (or (slot-spoilt? from)
          (slot-spoilt? to)
          (not (eq? (slot-kind from) (slot-kind to)))
          (> (length (keep (lambda (e) (eq? (slot-of e) from)) arguments)) 1))
      (begin (spoil! from) (spoil! to))))

;; All variables that are changed through what a changed one is passed to.
(define (find-written!)
  (let loop ((left slots) (more? #f))
    (cond ((pair? left)
           (let ((slot (cdr (car left))))
             (if (and (not (slot-written? slot)) (any? slot-written? (slot-to slot)))
                 (begin (set-slot-written! slot #t) (loop (cdr left) #t))
                 (loop (cdr left) more?))))
          (more? (loop slots #f)))))

;; What is read afterwards

(define (returned-by name)
  (let ((found (assq name returned)))
    (if found (cdr found) '())))

(define changed? #f)

(define (find-returned!)
  (let ((before returned))
    (set! changed? #f)
    (for-each
     (lambda (item)
       (if (symbol? (cadr item))
           (live (caddr item) '() #f)
           (live (caddr item) (returned-by (car item)) (car item))))
     threaded)
    (if (or changed? (not (eq? returned before))) (find-returned!))))

(define (return! name x)
  (if (not (memq x (returned-by name)))
      (set! returned (cons (cons name (cons x (returned-by name)))
                           (remove (lambda (item) (eq? (car item) name)) returned)))))

;; The variables that are read from an expression on, of which AFTER are read after it; TAIL is the
;; procedure whose value it gives, if it does.
(define (live e after tail)
  (case (car e)
    ((var) (live-leaving (slot-of e) after))
    ((quote global operation) after)
    ((let)
     (let ((inner (live (cadddr e) after tail)))
       (live (caddr e) (if (slot-named (cadr e)) (without-variable (cadr e) inner) inner) #f)))
    ((if)
     (live (cadr e) (both (live (caddr e) after tail) (live (cadddr e) after tail)) #f))
    ((lambda) (live (caddr e) '() #f) after)
    ((call) (live-call e after tail))
    (else
     (let ((slot (accessed e)))
       (cond ((not slot) (live-all (parts-of-expression e) after))
             ((eq? (cadr e) 'cell-set!)
              (live-all (cdddr e) (without-variable (slot-name slot) after)))
             (else (live-all (cdddr e) (both after (list (slot-name slot))))))))))

;; A vector that is taken for what it is: it is made then, so it must not be used afterwards.
(define (live-leaving slot after)
  (cond ((not slot) after)
        ((memq (slot-name slot) after) (spoil! slot) after)
        (else
         (leave! slot)
         (cons (slot-name slot) after))))

(define (leave! slot)
  (if (not (slot-leaves? slot))
      (begin
        (set-slot-leaves! slot #t)
        (set! changed? #t))))

(define (without-variable x xs) (remove (lambda (y) (eq? x y)) xs))

(define (live-all es after)
  (if (null? es) after (live (car es) (live-all (cdr es) after) #f)))

(define (live-call e after tail)
  (let ((own (if tail (cadr (assq tail threaded)) '())))
    (let loop ((arguments (cddr e)) (parameters (cadr (assq (cadr e) threaded))) (passed '()))
      (if (pair? arguments)
          (let* ((x (car parameters))
                 (from (and (slot-named x) (slot-of (car arguments)))))
            (if from
                (begin
                  (if (slot-leaves? (slot-named x))
                      (if (memq (slot-name from) after) (spoil! from) (leave! from)))
                  (if (and (memq (slot-name from) after) (or tail (slot-written? (slot-named x))))
                      (return! (cadr e) x))
                  (if (and tail
                           (memq (slot-name from) own)
                           (memq x (returned-by (cadr e))))
                      (return! tail (slot-name from)))))
            (loop (cdr arguments) (cdr parameters)
                  (if from (cons (slot-name from) passed) passed)))
          (live-all (keep-others (cddr e) passed) (both after passed))))))

(define (keep-others arguments passed)
  (remove (lambda (e) (and (eq? (car e) 'var) (memq (cadr e) passed))) arguments))
