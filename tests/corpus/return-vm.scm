;;; A stack machine with calls: return addresses are on a second list, `frames`.
;;; A program is assembled from symbols, which are labels, and lists, which are instructions.

(define (run code pc stack frames)
  (let ((op (vector-ref code pc)))
    (case op
      ((push) (run code (+ pc 2) (cons (vector-ref code (+ pc 1)) stack) frames))
      ((pop) (run code (+ pc 1) (cdr stack) frames))
      ((dup) (run code (+ pc 1) (cons (car stack) stack) frames))
      ((swap) (run code (+ pc 1) (cons (cadr stack) (cons (car stack) (cddr stack))) frames))
      ((over) (run code (+ pc 1) (cons (cadr stack) stack) frames))
      ((add) (run code (+ pc 1) (cons (+ (cadr stack) (car stack)) (cddr stack)) frames))
      ((sub) (run code (+ pc 1) (cons (- (cadr stack) (car stack)) (cddr stack)) frames))
      ((mul) (run code (+ pc 1) (cons (* (cadr stack) (car stack)) (cddr stack)) frames))
      ((mod) (run code (+ pc 1) (cons (modulo (cadr stack) (car stack)) (cddr stack)) frames))
      ((less) (run code (+ pc 1) (cons (if (< (cadr stack) (car stack)) 1 0) (cddr stack)) frames))
      ((jump) (run code (vector-ref code (+ pc 1)) stack frames))
      ((jz) (if (= 0 (car stack))
                (run code (vector-ref code (+ pc 1)) (cdr stack) frames)
                (run code (+ pc 2) (cdr stack) frames)))
      ((call) (run code (vector-ref code (+ pc 1)) stack (cons (+ pc 2) frames)))
      ((ret) (run code (car frames) stack (cdr frames)))
      ((halt) (car stack))
      (else (error "bad opcode" op pc)))))

(define (assemble lines)            ; symbols alone are labels; (op arg) and (op)
  (define (size l) (if (symbol? l) 0 (length l)))
  (define labels
    (let loop ((ls lines) (pc 0))
      (cond ((null? ls) '())
            ((symbol? (car ls)) (cons (cons (car ls) pc) (loop (cdr ls) pc)))
            (else (loop (cdr ls) (+ pc (size (car ls))))))))
  (let ((code (make-vector (apply + (map size lines)) 0)))
    (let loop ((ls lines) (pc 0))
      (cond ((null? ls) code)
            ((symbol? (car ls)) (loop (cdr ls) pc))
            (else
             (vector-set! code pc (caar ls))
             (if (pair? (cdar ls))
                 (let ((a (cadar ls)))
                   (vector-set! code (+ pc 1) (if (symbol? a) (cdr (assq a labels)) a))))
             (loop (cdr ls) (+ pc (size (car ls)))))))))

(define (start lines n) (run (assemble lines) 0 (list n) '()))
