;;; The memo points of the specializer: a part of mix.scm.  What is known makes the key of a
;;; version, and what is not known becomes its parameters.

;; Memo points: the static parts make the key, the dynamic leaves are arguments.
(define (memo label free env program)
  (let ((kinds (caddr (assq label (points program)))))
    (cons 'call
          (cons (cons label (memo-key free kinds env program))
                (memo-arguments free kinds env program)))))

(define (memo-key free kinds env program)
  (if (null? free)
      '()
      (cons (skeleton (lookup (car free) env) (car kinds) program)
            (memo-key (cdr free) (cdr kinds) env program))))

(define (memo-arguments free kinds env program)
  (if (null? free)
      '()
      (leaves (lookup (car free) env) (car kinds) program
              (memo-arguments (cdr free) (cdr kinds) env program))))

(define (skeleton value type program)
  (cond ((eq? type 's) value)
        ((eq? type 'd) '())
        (else
         (let ((shape (cdr (assv type (types program)))))
           (cond ((eq? (car shape) 'r) (record-skeleton value (cdr shape) program))
                 ((not (pair? value)) value)
                 ((eq? (car shape) 'p)
                  (cons (skeleton (car value) (cadr shape) program)
                        (skeleton (cdr value) (caddr shape) program)))
                 (else (closure-skeleton value (cdr shape) program)))))))

;; (name skeleton ...), or (() . datum).
(define (record-skeleton value rows program)
  (with-row value rows
            (lambda (datum) (cons '() datum))
            (lambda (record parts kinds)
              (cons (record-name record)
                    (if (eq? record 'vector)
                        (item-skeletons parts (car kinds) program)
                        (skeletons parts kinds program))))))

(define (item-skeletons items type program)
  (if (null? items)
      '()
      (cons (skeleton (car items) type program) (item-skeletons (cdr items) type program))))

(define (closure-skeleton closure labels program)
  (cond ((null? (cdr labels)) (skeleton-labelled (car labels) closure program))
        ((eq? (car closure) (car labels)) (skeleton-labelled (car labels) closure program))
        (else (closure-skeleton closure (cdr labels) program))))

(define (skeleton-labelled label closure program)
  (cons label (skeletons (cdr closure) (caddr (assq label (closures program))) program)))

(define (skeletons values kinds program)
  (if (null? kinds)
      '()
      (cons (skeleton (car values) (car kinds) program)
            (skeletons (cdr values) (cdr kinds) program))))

(define (leaves value type program more)
  (cond ((eq? type 's) more)
        ((eq? type 'd) (cons value more))
        (else
         (let ((shape (cdr (assv type (types program)))))
           (cond ((eq? (car shape) 'r)
                  (with-row value (cdr shape)
                            (lambda (datum) more)
                            (lambda (record parts kinds)
                              (if (eq? record 'vector)
                                  (item-leaves parts (car kinds) program more)
                                  (all-leaves parts kinds program more)))))
                 ((not (pair? value)) more)
                 ((eq? (car shape) 'p)
                  (leaves (car value) (cadr shape) program
                          (leaves (cdr value) (caddr shape) program more)))
                 (else (closure-leaves value (cdr shape) program more)))))))

(define (item-leaves items type program more)
  (if (null? items)
      more
      (leaves (car items) type program (item-leaves (cdr items) type program more))))

(define (closure-leaves closure labels program more)
  (cond ((null? (cdr labels)) (leaves-labelled (car labels) closure program more))
        ((eq? (car closure) (car labels)) (leaves-labelled (car labels) closure program more))
        (else (closure-leaves closure (cdr labels) program more))))

(define (leaves-labelled label closure program more)
  (all-leaves (cdr closure) (caddr (assq label (closures program))) program more))

(define (all-leaves values kinds program more)
  (if (null? kinds)
      more
      (leaves (car values) (car kinds) program
              (all-leaves (cdr values) (cdr kinds) program more))))

;; A value of a type from its skeleton, with variables from N on as leaves: (value . next).
(define (rebuild known type x n program)
  (cond ((eq? type 's) (cons known n))
        ((eq? type 'd) (cons (list 'var x n) (+ n 1)))
        (else
         (let ((shape (cdr (assv type (types program)))))
           (cond ((eq? (car shape) 'r) (rebuild-record known (cdr shape) x n program))
                 ((not (pair? known)) (cons known n))
                 ((eq? (car shape) 'p)
                  (let* ((first (rebuild (car known) (cadr shape) x n program))
                         (rest (rebuild (cdr known) (caddr shape) (leaf-name (car known) x)
                                        (cdr first) program)))
                    (cons (cons (car first) (car rest)) (cdr rest))))
                 (else (rebuild-closure known (cdr shape) x n program)))))))

(define (rebuild-record known rows x n program)
  (cond ((null? rows) (cons (cdr known) n))
        ((eq? (car known) (record-name (car (car rows))))
         (let* ((record (car (car rows)))
                (built (rebuild-row (cdr known) record (cdr (car rows)) x n program)))
           (cons (made-of record (car built)) (cdr built))))
        (else (rebuild-record known (cdr rows) x n program))))

(define (rebuild-row known record kinds x n program)
  (cond ((eq? record 'cons) (rebuild-parts known kinds (list x x) n program))
        ((eq? record 'vector) (rebuild-items known (car kinds) x n program))
        (else (rebuild-parts known kinds (cdr record) n program))))

(define (rebuild-items known type x n program)
  (if (null? known)
      (cons '() n)
      (let* ((first (rebuild (car known) type x n program))
             (rest (rebuild-items (cdr known) type x (cdr first) program)))
        (cons (cons (car first) (car rest)) (cdr rest)))))

(define (rebuild-parts known kinds names n program)
  (if (null? kinds)
      (cons '() n)
      (let* ((first (rebuild (car known) (car kinds) (car names) n program))
             (rest (rebuild-parts (cdr known) (cdr kinds) (cdr names) (cdr first) program)))
        (cons (cons (car first) (car rest)) (cdr rest)))))

;; What follows a symbol is called after it: an item of an environment after its variable.
(define (leaf-name known x)
  (if (symbol? known) known x))

(define (rebuild-closure known labels x n program)
  (cond ((null? (cdr labels)) (rebuild-labelled (car labels) known x n program))
        ((eq? (car known) (car labels)) (rebuild-labelled (car labels) known x n program))
        (else (rebuild-closure known (cdr labels) x n program))))

(define (rebuild-labelled label known x n program)
  (let ((built (rebuild-all (cdr known) (caddr (assq label (closures program))) x n program)))
    (cons (cons label (car built)) (cdr built))))

(define (rebuild-all known kinds x n program)
  (if (null? kinds)
      (cons '() n)
      (let* ((first (rebuild (car known) (car kinds) x n program))
             (rest (rebuild-all (cdr known) (cdr kinds) x (cdr first) program)))
        (cons (cons (car first) (car rest)) (cdr rest)))))
