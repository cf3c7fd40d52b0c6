;;; Templates: texts, fields of records and repetitions, written to one buffer.
;;;
;;; An interpreter of templates.  With the template known, its lists and concatenations, however
;;; deeply they are nested, are gone: what is left goes through the records once and writes bytes.
;;; After Rompf et al. (seed 002, section on string templates).
;;;
;;; template ::= (text (BYTE ...)) | (long BYTEVECTOR)
;;;            | (field COLUMN) | (raw COLUMN) | (number COLUMN)
;;;            | (all template ...) | (each COUNT (COLUMN ...) template)
;;;
;;; Words are bytes (--word-size 8).  A column is a buffer: of texts, with a byte 0 between them, or
;;; of 64-bit ints; of the columns outside of all repetitions the first record is meant.  What
;;; stands for the record of a column while it is read is a cell: (COLUMN start found? end), where
;;; `end` is known once the text has been written.

;; Write a template to `out`: how many bytes, or -1 if there are too few, or -2 if a column has
;; other texts than there are records.
(define (render template top counts columns out)
  (emit template columns counts (fresh top (zeros top)) out (lift 0)
        (lambda (cells p) (if (all-read? columns top (ends cells)) p -2))))

(define (zeros columns)
  (if (null? columns) '() (cons (lift 0) (zeros (cdr columns)))))

(define (fresh columns starts)
  (if (null? columns)
      '()
      (cons (list (car columns) (car starts) #f #f) (fresh (cdr columns) (cdr starts)))))

(define (emit t columns counts cells out p k)
  (case (car t)
    ((text) (emit-text (cadr t) out p (lambda (p) (k cells p))))
    ((long) (emit-long (cadr t) out p (lambda (p) (k cells p))))
    ((all) (emit-all (cdr t) columns counts cells out p k))
    ((each) (emit-each t columns counts out p (lambda (p) (k cells p))))
    ((number)
     (let ((start (cadr (cell-of cells (cadr t)))))
       (emit-number (load-int (list-ref columns (cadr t)) start) out p
                    (lambda (p) (k (ended cells (cadr t) (+ start 8)) p)))))
    (else
     (let ((cell (cell-of cells (cadr t))))
       (emit-field (eq? (car t) 'field) (list-ref columns (cadr t)) (cadr cell) out p
                   (lambda (p end) (k (ended cells (cadr t) end) p)))))))

(define (cell-of cells column)
  (if (= (caar cells) column) (car cells) (cell-of (cdr cells) column)))

(define (emit-all parts columns counts cells out p k)
  (if (null? parts)
      (k cells p)
      (emit (car parts) columns counts cells out p
            (lambda (cells p) (emit-all (cdr parts) columns counts cells out p k)))))

;; The cells where the text of a column is known to end.
(define (ended cells column end)
  (cond ((null? cells) '())
        ((and (= (caar cells) column) (not (caddr (car cells))))
         (cons (list column (cadar cells) #t end) (cdr cells)))
        (else (cons (car cells) (ended (cdr cells) column end)))))

(define (emit-each t columns counts out p k)
  (let ((n (list-ref counts (cadr t))) (used (caddr t)))
    (let records ((i (lift 0)) (starts (zeros used)) (p p))
      (if (< i n)
          (emit (cadddr t) columns counts (fresh used starts) out p
                (lambda (cells p) (records (+ i 1) (ends cells) p)))
          (if (all-read? columns used starts) (k p) -2)))))

;; Has every text been read, and not a part of one that has a character 0?
(define (all-read? columns used starts)
  (or (null? used)
      (and (= (car starts) (buffer-words (list-ref columns (car used))))
           (all-read? columns (cdr used) (cdr starts)))))

;; Where the next records start: all columns that a template has were read.
(define (ends cells)
  (if (null? cells) '() (cons (cadddr (car cells)) (ends (cdr cells)))))

;;; Bytes

(define (emit-text bytes out p k)
  (let ((size (length bytes)))
    (if (<= p (- (buffer-words out) size))
        (let write ((bytes bytes) (j 0))
          (if (pair? bytes)
              (begin (store-word! out (+ p j) (car bytes))
                     (write (cdr bytes) (+ j 1)))
              (k (+ p size))))
        -1)))

;; The same by a loop.
(define (emit-long bytes out p k)
  (let ((size (buffer-words bytes)))
    (if (<= p (- (buffer-words out) size))
        (let write ((j (lift 0)))
          (if (< j size)
              (begin (store-word! out (+ p j) (load-word bytes j))
                     (write (+ j 1)))
              (k (+ p size))))
        -1)))

;; The text from `start` on; (k p next) with where the text behind it starts.
(define (emit-field escape? buf start out p k)
  (let ((size (buffer-words buf)) (room (buffer-words out)))
    (let copy ((q start) (p p))
      (if (< q size)
          (let ((c (load-word buf q)))
            (cond ((= c 0) (k p (+ q 1)))
                  ((and escape? (< c 64) (= (load-word special c) 1))
                   (emit-entity c out p (lambda (p) (copy (+ q 1) p))))
                  ((< p room)
                   (store-word! out p c)
                   (copy (+ q 1) (+ p 1)))
                  (else -1)))
          (k p q)))))

;; 1 for the characters that mean something in HTML, of the first 64.
(define special
  #u8(0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
     0 0 1 0 0 0 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 1 0))

(define (emit-entity c out p k)
  (cond ((= c 38) (emit-text '(38 97 109 112 59) out p k))
        ((= c 60) (emit-text '(38 108 116 59) out p k))
        ((= c 62) (emit-text '(38 103 116 59) out p k))
        ((= c 34) (emit-text '(38 35 51 52 59) out p k))
        (else (emit-text '(38 35 51 57 59) out p k))))

;;; Numbers

(define (load-int buf start)
  (let collect ((j 7) (x 0))
    (if (< j 0)
        x
        (collect (- j 1) (bitwise-ior (word-shift-left x 8) (load-word buf (+ start j)))))))

(define most-digits 19)

(define (emit-number x out p k)
  (if (<= p (- (buffer-words out) (+ most-digits 1)))
      (if (< x 0)
          (begin (store-word! out p 45) (digits (- x) out (+ p 1) k))
          (digits x out p k))
      -1))

(define (digits x out p k)
  (let* ((n (digit-count x 1 10))
         (end (+ p n)))
    (let put ((q (- end 1)) (x x))
      (store-word! out q (+ 48 (remainder x 10)))
      (if (> q p)
          (put (- q 1) (quotient x 10))
          (k end)))))

(define (digit-count x n power)
  (cond ((= n most-digits) (lift n))
        ((< x power) (lift n))
        ((= n 18) (lift most-digits))
        (else (digit-count x (+ n 1) (* power 10)))))
