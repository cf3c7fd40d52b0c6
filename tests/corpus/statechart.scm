;;; State charts: states may have inner states, an event that a state does not take goes to the
;;; one around it; entering a state enters its first inner one.  Actions change variables.  Events
;;; are a list; the result is the list of outputs.
;;;
;;;     state  ::= (state name (entry action ...) (exit action ...) transition ... state ...)
;;;     transition ::= (on event [(when op variable number)] target action ...)
;;;     action ::= (add variable number) | (set variable number) | (out variable) | (say datum)

(define (run chart events)
  (enter chart '() (list (cons 'n 0) (cons 'm 0)) '()
         (lambda (path variables outputs) (react path chart variables outputs events))))

;; PATH: the active states, the innermost first.
(define (react path chart variables outputs events)
  (if (null? events)
      (reverse outputs)
      (dispatch (event-names chart) (car events) (cdr events) path chart variables outputs)))

;; The event becomes one of those that the chart knows.
(define (dispatch known event events path chart variables outputs)
  (cond ((null? known) (react path chart variables outputs events))
        ((eq? (car known) event)
         (bubble path path (car known) events chart variables outputs))
        (else (dispatch (cdr known) event events path chart variables outputs))))

(define (bubble states path event events chart variables outputs)
  (if (null? states)
      (react path chart variables outputs events)
      (let try ((transitions (parts 'on (car states))))
        (cond ((null? transitions)
               (bubble (cdr states) path event events chart variables outputs))
              ((and (eq? (cadar transitions) event)
                    (holds? (caddar transitions) variables))
               (let ((t (if (guard? (caddar transitions))
                            (cdddr (car transitions))
                            (cddar transitions))))
                 (let* ((target (find-state (car t) (list chart)))
                        (both (common (cdr states) (cdr target))))
                   (leave path both variables outputs
                          (lambda (variables outputs)
                            (act (cdr t) variables outputs
                                 (lambda (variables outputs)
                                   (enter-within (cdr target) both variables outputs
                                     (lambda (variables outputs)
                                       (enter (car target) (cdr target) variables outputs
                                              (lambda (path variables outputs)
                                                (react path chart variables outputs events))))))))))))
              (else (try (cdr transitions)))))))

;; The states around both: the longest common end of two paths of a chart.
(define (common a b)
  (cond ((> (length a) (length b)) (common (cdr a) b))
        ((< (length a) (length b)) (common a (cdr b)))
        ((or (null? a) (eq? (cadar a) (cadar b))) a)
        (else (common (cdr a) (cdr b)))))

;; Enter all states of a path that are within others, the outermost first.
(define (enter-within path around variables outputs k)
  (if (= (length path) (length around))
      (k variables outputs)
      (enter-within (cdr path) around variables outputs
                    (lambda (variables outputs)
                      (act (apply append (map cdr (parts 'entry (car path)))) variables outputs k)))))

(define (guard? x) (and (pair? x) (eq? (car x) 'when)))

(define (holds? guard variables)
  (if (guard? guard)
      (let ((value (cdr (assq (caddr guard) variables))) (n (cadddr guard)))
        (case (cadr guard) ((=) (= value n)) ((<) (< value n)) (else (> value n))))
      #t))

(define (enter state around variables outputs k)
  (act (apply append (map cdr (parts 'entry state))) variables outputs
       (lambda (variables outputs)
         (let ((inner (parts 'state state)))
           (if (null? inner)
               (k (cons state around) variables outputs)
               (enter (car inner) (cons state around) variables outputs k))))))

;; Leave all states of the path up to the given ones.
(define (leave path to variables outputs k)
  (if (= (length path) (length to))
      (k variables outputs)
      (act (apply append (map cdr (parts 'exit (car path)))) variables outputs
           (lambda (variables outputs) (leave (cdr path) to variables outputs k)))))

(define (act actions variables outputs k)
  (if (null? actions)
      (k variables outputs)
      (let ((a (car actions)))
        (case (car a)
          ((add) (act (cdr actions)
                      (assign (cadr a) (+ (cdr (assq (cadr a) variables)) (caddr a)) variables)
                      outputs k))
          ((set) (act (cdr actions) (assign (cadr a) (caddr a) variables) outputs k))
          ((out) (act (cdr actions) variables
                      (cons (cdr (assq (cadr a) variables)) outputs) k))
          (else (act (cdr actions) variables (cons (cadr a) outputs) k))))))

(define (assign name value variables)
  (if (eq? name (caar variables))
      (cons (cons name value) (cdr variables))
      (cons (car variables) (assign name value (cdr variables)))))

(define (parts kind state)
  (let loop ((l (cddr state)))
    (cond ((null? l) '())
          ((eq? (caar l) kind) (cons (car l) (loop (cdr l))))
          (else (loop (cdr l))))))

;; The path to the state of a name, below the first of a path.
(define (find-state name path)
  (if (eq? name (cadar path))
      path
      (let try ((inner (parts 'state (car path))))
        (and (pair? inner)
             (or (find-state name (cons (car inner) path)) (try (cdr inner)))))))

(define (event-names state)
  (append (map cadr (parts 'on state))
          (apply append (map event-names (parts 'state state)))))
