;;; Calls of library procedures in core -> operations, calls of copies of their definitions, or what
;;; is refused; a part of convert.scm.

(define (library-call definition g arguments place)
  (let* ((name (global-name definition))
         (letters (accessor name))
         (core (global-core definition))
         (given (length arguments)))
    (cond
     ((eq? name 'list) (list-of arguments))
     ((and (eq? name 'append) (not (= given 2))) (append-of arguments))
     (letters
      (if (not (= given 1)) (refuse (of-count (list name) arguments) place))
      (access letters (car arguments)))
     ((and (global-row definition)
           (<= (row-least (global-row definition)) given)
           (<= given (or (row-most (global-row definition)) given)))
      (chosen (global-row definition) arguments))
     ((specialised name given)
      => (lambda (g)
           (let ((other (vector-ref definitions g)))
             (cons 'call (cons (copy other g (global-core other) place) arguments)))))
     ((or (not (eq? (car core) 'lambda)) (assigned-global? definition))
      (cons 'app (cons (library-value definition g core place) arguments)))
     (else
      (let ((count (length (cadr core))))
        (if (or (< given count) (and (> given count) (not (caddr core))))
            (refuse (of-count (list name) arguments) place))
        (cons 'call
              (cons (copy definition g core place)
                    (fitted arguments count (caddr core) place))))))))

;; `map` of one list is `%map`, and so on: the global of the procedure without a rest parameter.
(define (specialised name given)
  (let ((other (assq name '((map . %map) (for-each . %for-each) (member . %member)
                            (assoc . %assoc)))))
    (and other (= given 2) (global-named (cdr other)))))

(define (global-named name)
  (let loop ((g 0))
    (cond ((= g (vector-length definitions)) #f)
          ((eq? name (global-name (vector-ref definitions g))) g)
          (else (loop (+ g 1))))))

(define (append-of arguments)
  (cond ((null? arguments) (list 'quote '()))
        ((null? (cdr arguments)) (car arguments))
        (else (prim 'append (car arguments) (append-of (cdr arguments))))))

;; The letters of `cadr` and the like, the last first, or #f.
(define (accessor name)
  (let* ((text (symbol->string name))
         (end (- (string-length text) 1)))
    (and (> end 1)
         (char=? (string-ref text 0) #\c)
         (char=? (string-ref text end) #\r)
         (let loop ((i 1) (letters '()))
           (cond ((= i end) letters)
                 ((memv (string-ref text i) '(#\a #\d))
                  (loop (+ i 1) (cons (string-ref text i) letters)))
                 (else #f))))))

(define (access letters argument)
  (if (null? letters)
      argument
      (access (cdr letters) (prim (if (char=? (car letters) #\a) 'car 'cdr) argument))))

(define (library-value definition g core place)
  (let ((name (global-name definition)))
    (cond
     ((global-row definition)
      (operation-value (global-row definition) place))
     ((eq? name 'list)
      (let ((items (new-variable 'x))) (list 'lambda items (list 'var items))))
     ((assigned-global? definition)
      (list 'effect 'cell-ref (list 'global (library-variable definition g))))
     ((eq? (car core) 'const) (list 'quote (cadr core)))
     ((not (eq? (car core) 'lambda)) (list 'global (library-variable definition g)))
     ((specialised name 2) (eta 2 #f (lambda (xs) (library-call definition g xs place))))
     (else
      (eta (length (cadr core)) (caddr core)
           (lambda (xs) (cons 'call (cons (copy definition g core place) xs))))))))

;; The name of a value of the library in the program, which has one of its own.
(define (library-variable definition g)
  (let ((found (assv g library-names)))
    (if found
        (cdr found)
        (let ((name (new-name (plain (global-name definition))))
              (core (global-core definition)))
          (set! library-names (cons (cons g name) library-names))
          (let ((value (expression core '())))
            (set! library-items
                  (cons (list name
                              'global
                              (if (assigned-global? definition)
                                  (list 'effect 'make-cell value)
                                  value))
                        library-items)))
          name))))

;; The name of a copy of a procedure of the library: a new one, or within itself the same.
(define (copy definition g core place)
  (let ((found (assv g copies)))
    (if found
        (cdr found)
        (let ((made (new-name (plain (global-name definition))))
              (before copies)
              (at copied-at))
          (if (not at) (set! copied-at (if (own? definition) #f place)))
          (set! copies (cons (cons g made) copies))
          (procedure! made core '() '())
          (set! copies before)
          (set! copied-at at)
          made))))

;; The name of a procedure that calls the copy of one that is left as it is: one for all calls.
(define (copy-left definition g core place)
  (let ((found (assv g left-copies))
        (before left-copy?))
    (if found
        (cdr found)
        (let* ((name (new-name (plain (global-name definition))))
               (inner (new-name (plain (global-name definition))))
               (xs (new-variables (length (cadr core)))))
          (set! left-copies (cons (cons g name) left-copies))
          (set! left-copy? #t)
          (if (not (own? definition)) (set! copied-at (or copied-at place)))
          (add-item! name xs (lambda () (memo-call inner xs)))
          (procedure! inner core '() '())
          (set! left-copy? before)
          name))))

;; A name without the % in front.
(define (plain name)
  (let ((text (symbol->string name)))
    (if (char=? (string-ref text 0) #\%)
        (string->symbol (substring text 1 (string-length text)))
        name)))
