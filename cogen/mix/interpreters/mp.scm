;;; MP: an imperative language of while loops over lists.
;;;
;;;     program ::= (parameters (x ...) variables (x ...) do (c ...) result e)
;;;     c       ::= (:= x e) | (if e (c ...) (c ...)) | (while e (c ...))
;;;     e       ::= x | (quote datum) | (op e ...)
;;;
;;; Only () and #f are false.  The names of the variables are known when a program is compiled,
;;; their values are not.

(define (run program input)
  (let ((env (declare (list-ref program 3) (bind (list-ref program 1) input))))
    (execute (list-ref program 5) '() env (list-ref program 7))))

(define (bind names input)
  (if (null? names)
      '()
      (let ((value (car input)))
        (cons (cons (car names) value) (bind (cdr names) (cdr input))))))

(define (declare names env)
  (if (null? names)
      env
      (cons (cons (car names) (lift '())) (declare (cdr names) env))))

;; Execute commands, then the lists of commands that are LATER.
(define (execute commands later env result)
  (cond
   ((pair? commands) (step (car commands) (cdr commands) later env result))
   ((pair? later) (execute (car later) (cdr later) env result))
   (else (evaluate result env))))

(define (step command commands later env result)
  (case (car command)
    ((:=)
     (let ((value (evaluate (caddr command) env)))
       (execute commands later (update (cadr command) value env) result)))
    ((if)
     (if (true? (evaluate (cadr command) env))
         (execute (caddr command) (cons commands later) env result)
         (execute (cadddr command) (cons commands later) env result)))
    ((while)
     (if (true? (evaluate (cadr command) env))
         (execute (caddr command) (cons (cons command commands) later) env result)
         (execute commands later env result)))
    (else (error "MP: not a command:" command))))

(define (update name value env)
  (cond ((null? env) (error "MP: not a variable:" name))
        ((eq? name (caar env)) (cons (cons name value) (cdr env)))
        (else (cons (car env) (update name value (cdr env))))))

(define (true? value) (if (null? value) #f value))

(define (evaluate e env)
  (if (symbol? e)
      (lookup e env)
      (case (car e)
        ((quote) (lift (cadr e)))
        ((cons) (lift (cons (evaluate (cadr e) env) (evaluate (caddr e) env))))
        ((car) (car (evaluate (cadr e) env)))
        ((cdr) (cdr (evaluate (cadr e) env)))
        ((pair?) (pair? (evaluate (cadr e) env)))
        ((null?) (null? (evaluate (cadr e) env)))
        ((not) (not (true? (evaluate (cadr e) env))))
        ((equal?) (equal? (evaluate (cadr e) env) (evaluate (caddr e) env)))
        ((+) (+ (evaluate (cadr e) env) (evaluate (caddr e) env)))
        ((-) (- (evaluate (cadr e) env) (evaluate (caddr e) env)))
        ((*) (* (evaluate (cadr e) env) (evaluate (caddr e) env)))
        ((<) (< (evaluate (cadr e) env) (evaluate (caddr e) env)))
        (else (error "MP: not an operation:" (car e))))))

(define (lookup name env)
  (cond ((null? env) (error "MP: not a variable:" name))
        ((eq? name (caar env)) (cdar env))
        (else (lookup name (cdr env)))))

;; Sorts a list of numbers by insertion, then sums every second one.
(define program
  '(parameters (items)
    variables (sorted before after x total odd)
    do ((while items
          ((:= x (car items))
           (:= items (cdr items))
           (:= before '())
           (:= after sorted)
           (while (pair? after)
             ((if (< (car after) x)
                  ((:= before (cons (car after) before))
                   (:= after (cdr after)))
                  ((:= sorted after)
                   (:= after 'found)))))
           (if (equal? after 'found)
               ((:= after sorted))
               ())
           (:= after (cons x after))
           (while before
             ((:= after (cons (car before) after))
              (:= before (cdr before))))
           (:= sorted after)))
        (:= total '0)
        (:= odd '#f)
        (:= items sorted)
        (while items
          ((if odd
               ((:= total (+ total (car items))) (:= odd '#f))
               ((:= odd '#t)))
           (:= items (cdr items)))))
    result (cons total sorted)))

(define data '(((31 4 15 92 65 35 89 79 32 38 46 26 43 38 32 79 50 28 84 19))))
