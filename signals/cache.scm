;;; A cache of words, as an ordinary program that only the specializer runs.
;;;
;;; After Draves (seed 004), the software cache:
;;; loads of words that are known need no memory, stores are held back until their word is
;;; complete or must be seen, and a word that stores overwrite completely is never loaded
;;; (sectoring).  Which words the cache has is decided by `early=` on addresses, so it is static;
;;; what is in them is dynamic.  Unlike the original it is sound: where addresses are neither
;;; known to be the same nor known to be different, words are written back and read again.
;;;
;;;     cache ::= (line ...)                         the latest used first
;;;     line  ::= buffer index word mask bits        the bits under `mask` are stored, not yet in
;;;                                                  memory; `word` is what memory holds, or #f
;;;
;;; Laws, of the lines of a cache:
;;;
;;; * two lines with bits to be written are different words (they were known to be when the later
;;;   one was made), so the order of writing back does not matter;
;;; * `word` is right outside the mask: a line that might be a word just stored is dropped;
;;; * what was stored is never taken for what a load gives: of the last word of a buffer only some
;;;   bytes may exist.
;;;
;;; `(init-cache lines)` turns it on, with at most `lines` lines, the least recently used one
;;; giving way; complete words are written when a store begins another one, if not before.  Nothing
;;; is threaded: the cache lives in a barrier cell, which the specializer carries along and empties
;;; (by `write-back!`) before anything could observe memory.
;;;
;;; Two forms.  `reload`, the usual one: words are loaded again after each test that stays (the
;;; lines only hold what is to be written), and are written at the end of a round
;;; (`cache-rest-point!`), so that nothing but the program's own variables goes round a loop and the
;;; C compiler can vectorize it.  `carry`: words, read or to be written, go round loops in
;;; variables.

(define-library (signals cache)
  (export load-cached store-cached! cache-rest-point! write-back!)
  (import (scheme base))
  (begin

    (define-record-type line
      (make-line buffer index word mask-list bits)
      line?
      (buffer line-buffer)
      (index line-index)
      (word line-word)
      (mask-list line-mask-list)
      (bits line-bits))

    ;; The mask is kept in a list, a constant, as no number that the specializer could make dynamic.
    (define (line-mask line) (car (line-mask-list line)))

    (define (with-bits line mask bits)
      (make-line (line-buffer line) (line-index line) (line-word line) (list mask) bits))

    (define cache
      (make-barrier-cell '() (lambda () (write-back!)) (lambda (meeting?) (pass-on! meeting?))))

    ;; Before a test that stays, complete words are written, unless they are to be carried; where
    ;; arms of a conditional meet they may wait.  Bits that are known make no versions of their own.
    (define (pass-on! meeting?)
      (if (not (or meeting? (cache-carries?)))
          (drop-lines! complete?))
      (cell-set! cache (map (lambda (line)
                              (make-line (line-buffer line) (line-index line) (line-word line)
                                         (line-mask-list line) (lift (line-bits line))))
                            (cell-ref cache))))

    ;; -1 in a whole word; words of 64 bits are signed
    (define (whole-word)
      (if (= (word-size) 64) -1 (- (arithmetic-shift 1 (word-size)) 1)))

    (define (dirty? line)
      (not (= (line-mask line) 0)))

    (define (complete? line)
      (= (line-mask line) (whole-word)))

    ;; Word `index` of `buffer`, of which the `size` bits from bit `r` on matter.
    (define (load-cached buffer index r size)
      (if (= (cache-lines) 0)
          (load-word buffer index)
          (let ((mask (if (and (known? r) (known? size))
                          (word-shift-left (word-shift-right -1 (- 64 size)) r)
                          -1))
                (line (find-line buffer index (cell-ref cache))))
            (if (and line (line-word line) (apart? mask (line-mask line)))
                (begin
                  (use! line)
                  (line-word line))
                (load-line line buffer index mask)))))

    ;; The word, from memory: what may be the same word, or holds a part of what matters, is
    ;; written back before.
    (define (load-line line buffer index mask)
      (drop-lines! (lambda (other)
                     (and (dirty? other)
                          (if (eq? other line)
                              (not (apart? mask (line-mask line)))
                              (may-be-same? other buffer index)))))
      (if (cache-carries?)
          (let ((word (load-word buffer index))
                (line (find-line buffer index (cell-ref cache))))
            (use! (if line
                      (make-line buffer index word (line-mask-list line) (line-bits line))
                      (make-line buffer index word (list 0) 0)))
            word)
          (load-word buffer index)))

    ;; Replace the bits of word `index` under `mask` by those of `bits`, which has no others.
    (define (store-cached! buffer index mask bits)
      (cond ((= (cache-lines) 0)
             (store-to-memory! buffer index mask bits))
            ((known? mask)
             (let ((line (find-line buffer index (cell-ref cache))))
               (drop-lines! (lambda (other)
                              (and (not (eq? other line))
                                   (or (complete? other)
                                       (may-be-same? other buffer index)))))
               (put-bits! (or line (make-line buffer index #f (list 0) 0)) mask
                          (bitwise-ior bits 0))))
            (else
             (drop-lines! (lambda (other)
                            (or (is-line? other buffer index)
                                (may-be-same? other buffer index))))
             (store-bits! buffer index mask bits))))

    (define (put-bits! line mask bits)
      (let* ((old (line-mask line))
             (kept (bitwise-and old (bitwise-not mask)))
             (new (with-bits line (bitwise-ior old mask)
                    (cond ((= kept 0) bits)
                          ((= kept old) (bitwise-ior (line-bits line) bits))
                          (else (bitwise-ior (bitwise-and (line-bits line) kept) bits))))))
        (use! new)))

    ;; A place where a round of a loop ends, or may end: words are written, unless they are to be
    ;; carried round.
    (define (cache-rest-point!)
      (if (not (or (= (cache-lines) 0) (cache-carries?)))
          (write-back!)))

    ;; Bring memory up to date and empty the cache.
    (define (write-back!)
      (drop-lines! (lambda (line) #t)))

    ;; Write back and forget the lines of which `drop?` is true, the least recently used first.
    (define (drop-lines! drop?)
      (let ((lines (cell-ref cache)))
        (if (pair? lines)
            (cell-set! cache (kept-lines drop? lines)))))

    (define (kept-lines drop? lines)
      (if (null? lines)
          '()
          (let ((rest (kept-lines drop? (cdr lines))))
            (if (drop? (car lines))
                (begin
                  (write-line! (car lines))
                  rest)
                (cons (car lines) rest)))))

    ;; Make `line` the latest of the cache, in place of the one of its word.
    (define (use! line)
      (let* ((others (other-lines line (cell-ref cache)))
             (lines (cons line others)))
        (cell-set! cache lines)
        (if (> (length lines) (cache-lines))
            (let ((oldest (list-ref lines (cache-lines))))
              (drop-lines! (lambda (other) (eq? other oldest)))))))

    (define (other-lines line lines)
      (cond ((null? lines) '())
            ((is-line? (car lines) (line-buffer line) (line-index line)) (cdr lines))
            (else (cons (car lines) (other-lines line (cdr lines))))))

    (define (write-line! line)
      (let ((buffer (line-buffer line))
            (index (line-index line))
            (mask (line-mask line))
            (bits (line-bits line))
            (word (line-word line)))
        (cond ((= mask 0) #f)
              ((or (= mask (whole-word)) (not (cache-carries?)))
               (store-to-memory! buffer index mask bits))
              (else
               (store-word! buffer index
                            (bitwise-ior (bitwise-and (or word (load-word buffer index))
                                                      (bitwise-and (whole-word)
                                                                   (bitwise-not mask)))
                                         bits))))))

    (define (store-to-memory! buffer index mask bits)
      (if (and (known? mask) (= mask (whole-word)))
          (store-word! buffer index bits)
          (store-bits! buffer index mask bits)))

    (define (find-line buffer index lines)
      (cond ((null? lines) #f)
            ((is-line? (car lines) buffer index) (car lines))
            (else (find-line buffer index (cdr lines)))))

    (define (is-line? line buffer index)
      (and (early= (line-buffer line) buffer)
           (early= (line-index line) index)))

    (define (may-be-same? line buffer index)
      (not (or (early-different? (line-buffer line) buffer)
               (and (early= (line-buffer line) buffer)
                    (early-different? (line-index line) index)))))

    ;; Have two masks no bit in common?
    (define (apart? a b)
      (= (bitwise-and a b) 0))))
