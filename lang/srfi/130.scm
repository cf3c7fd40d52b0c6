;;; SRFI 130, strings with cursors.  A cursor is an index.

(define-library (srfi 130)
  (export
   string-cursor? string-cursor-start string-cursor-end string-cursor-next string-cursor-prev
   string-cursor-forward string-cursor-back
   (rename = string-cursor=?) (rename < string-cursor<?) (rename > string-cursor>?)
   (rename <= string-cursor<=?) (rename >= string-cursor>=?)
   string-cursor-diff string-cursor->index string-index->cursor
   string? string-null? string-every string-any
   string string-tabulate string-unfold string-unfold-right
   (rename string->list string->list/cursors) (rename string->vector string->vector/cursors)
   reverse-list->string string-join
   string-length string-ref (rename string-ref string-ref/cursor)
   substring (rename substring substring/cursors)
   string-copy (rename string-copy string-copy/cursors)
   string-take string-drop string-take-right string-drop-right string-pad string-pad-right
   string-trim string-trim-right string-trim-both
   string-prefix-length string-suffix-length string-prefix? string-suffix?
   string-index string-index-right string-skip string-skip-right string-contains
   string-contains-right
   string-reverse string-append string-concatenate string-concatenate-reverse
   string-fold string-fold-right string-for-each-cursor string-replicate string-count
   string-replace string-split string-filter string-remove)
  (import (srfi texts))
  (begin

    ;; Whether something may be a cursor: cursors are indices.
    (define (string-cursor? x) (and (exact-integer? x) (>= x 0)))

    ;; The cursor of the first character.
    (define (string-cursor-start s)
      (%string-size "string-cursor-start" s)
      0)

    ;; The cursor behind the last character.
    (define (string-cursor-end s) (%string-size "string-cursor-end" s))

    ;; The cursor of the next character.
    (define (string-cursor-next s cursor) (string-cursor-forward s cursor 1))

    ;; The cursor of the character before.
    (define (string-cursor-prev s cursor) (string-cursor-back s cursor 1))

    ;; The cursor n characters further.
    (define (string-cursor-forward s cursor n)
      (let ((moved (+ cursor n)))
        (if (<= 0 moved (string-length s))
            moved
            (error "string-cursor-forward: the string ends before" moved))))

    ;; The cursor n characters back.
    (define (string-cursor-back s cursor n)
      (let ((moved (- cursor n)))
        (if (<= 0 moved (string-length s))
            moved
            (error "string-cursor-back: the string begins after" moved))))

    ;; How many characters are between two cursors.
    (define (string-cursor-diff s start end) (- end start))

    ;; The index of a cursor.
    (define (string-cursor->index s cursor) cursor)

    ;; The cursor of an index.
    (define (string-index->cursor s index) index)

    ;; The cursor of the first that fits, or the end; of the last that fits the one after it, or
    ;; the start.

    ;; The cursor of the first character that fulfils a predicate, or the end.
    (define (string-index s good? . range)
      (%within "string-index" (%string-size "string-index" s) range
        (lambda (start end) (%forward s (%criterion "string-index" good?) start end))))

    ;; The cursor behind the last character that fulfils a predicate, or the start.
    (define (string-index-right s good? . range)
      (%within "string-index-right" (%string-size "string-index-right" s) range
        (lambda (start end) (%backward s (%criterion "string-index-right" good?) start end))))

    ;; The cursor of the first character that does not fulfil a predicate, or the end.
    (define (string-skip s good? . range)
      (%within "string-skip" (%string-size "string-skip" s) range
        (lambda (start end) (%forward s (%other (%criterion "string-skip" good?)) start end))))

    ;; The cursor behind the last character that does not fulfil a predicate, or the start.
    (define (string-skip-right s good? . range)
      (%within "string-skip-right" (%string-size "string-skip-right" s) range
        (lambda (start end)
          (%backward s (%other (%criterion "string-skip-right" good?)) start end))))

    ;; The cursor where the last b in a begins, or #f.
    (define (string-contains-right a b . ranges)
      (%two-ranges "string-contains-right" a b ranges
        (lambda (start1 end1 start2 end2) (%last-match a b start1 end1 start2 end2))))

    ;; Calls f with the cursors in order.
    (define (string-for-each-cursor f s . range)
      (%for-each-index "string-for-each-cursor" f s range))

    ;; The characters from index `from` up to before `to` of the string, repeated without end both
    ;; ways.
    (define (string-replicate s from to . range)
      (%within "string-replicate" (%string-size "string-replicate" s) range
        (lambda (start end) (%repeated "string-replicate" s from to start end))))

    ;; The characters that fulfil a predicate.
    (define (string-filter good? s . range)
      (%kept "string-filter" (%criterion "string-filter" good?) s range))

    ;; The characters that do not fulfil a predicate.
    (define (string-remove good? s . range)
      (%kept "string-remove" (%other (%criterion "string-remove" good?)) s range))

    ;; The parts between delimiters, at most `limit` + 1 of them.
    (define (string-split s delimiter . more)
      (let* ((grammar (if (pair? more) (car more) 'infix))
             (more (if (pair? more) (cdr more) '()))
             (limit (if (pair? more) (car more) #f))
             (range (if (pair? more) (cdr more) '())))
        (if (not (memq grammar '(infix strict-infix prefix suffix)))
            (error "string-split: expected a grammar, got" grammar))
        (%within "string-split" (%string-size "string-split" s) range
          (lambda (start end)
            (if (and (= start end) (eq? grammar 'strict-infix))
                (error "string-split: there is nothing to split"))
            (cond
              ((= start end) '())
              ((equal? delimiter "") (map string (string->list s start end)))
              (else
               (let ((parts (%split s delimiter limit start end)))
                 (cond ((and (eq? grammar 'prefix) (equal? (car parts) "")) (cdr parts))
                       ((eq? grammar 'suffix) (%without-last-empty parts))
                       (else parts)))))))))

    (define (%split s delimiter limit start end)
      (let ((i (and (not (eqv? limit 0))
                    (%contains "string-split" char=? s delimiter (list start end)))))
        (if i
            (cons (substring s start i)
                  (%split s delimiter (and limit (- limit 1)) (+ i (string-length delimiter)) end))
            (list (substring s start end)))))

    (define (%without-last-empty parts)
      (cond ((pair? (cdr parts)) (cons (car parts) (%without-last-empty (cdr parts))))
            ((equal? (car parts) "") '())
            (else parts)))))
