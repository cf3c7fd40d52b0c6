;;; A spreadsheet: cells in their order, each a name and a formula; inputs are cells whose formula
;;; is (input i).  Values are kept in an association list; the value of the last cell is wanted.

(define (run sheet inputs)
  (let recalculate ((cells sheet) (values '()))
    (let* ((cell (car cells))
           (value (formula (cadr cell) values inputs)))
      (if (null? (cdr cells))
          value
          (recalculate (cdr cells) (cons (cons (car cell) value) values))))))

(define (formula f values inputs)
  (cond ((number? f) f)
        ((symbol? f) (cell f values))
        (else
         (case (car f)
           ((input) (vector-ref inputs (cadr f)))
           ((+ - * / min max)
            (reduce (operator (car f)) (map (lambda (f) (formula f values inputs)) (cdr f))))
           ((sum) (reduce + (range (cadr f) (caddr f) values)))
           ((average)
            (let ((cells (range (cadr f) (caddr f) values)))
              (quotient (reduce + cells) (length cells))))
           ((if)
            (if (condition (cadr f) values inputs)
                (formula (caddr f) values inputs)
                (formula (cadddr f) values inputs)))
           ((count-if)
            (let count ((vs (range (caddr f) (cadddr f) values)))
              (cond ((null? vs) 0)
                    ((compare (car (cadr f)) (car vs) (cadr (cadr f))) (+ 1 (count (cdr vs))))
                    (else (count (cdr vs))))))
           (else (error "unknown function" f))))))

(define (condition c values inputs)
  (compare (car c)
           (formula (cadr c) values inputs)
           (formula (caddr c) values inputs)))

(define (compare name a b)
  (case name ((<) (< a b)) ((>) (> a b)) (else (= a b))))

(define (operator name)
  (case name ((+) +) ((-) -) ((*) *) ((/) quotient) ((min) min) (else max)))

(define (reduce f values)
  (let loop ((result (car values)) (values (cdr values)))
    (if (null? values)
        result
        (loop (f result (car values)) (cdr values)))))

(define (cell name values)
  (let ((found (assq name values)))
    (if found (cdr found) (error "no such cell" name))))

;; The values of the cells from one to another.
(define (range from to values)
  (let find ((values values))
    (if (eq? (caar values) to)
        (let collect ((values values) (found '()))
          (let ((found (cons (cdar values) found)))
            (if (eq? (caar values) from)
                found
                (collect (cdr values) found))))
        (find (cdr values)))))
