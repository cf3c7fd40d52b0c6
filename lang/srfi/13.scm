;;; SRFI 13, strings, but for what changes them.
;;;
;;; A criterion is a character or a predicate; there are no sets of characters.

(define-library (srfi 13)
  (export
   string? string-null? string-every string-any
   make-string string string-tabulate
   string->list list->string reverse-list->string string-join
   string-length string-ref string-copy substring/shared
   string-take string-take-right string-drop string-drop-right
   string-pad string-pad-right string-trim string-trim-right string-trim-both
   string-compare string-compare-ci
   string= string<> string< string> string<= string>=
   string-ci= string-ci<> string-ci< string-ci> string-ci<= string-ci>=
   string-hash (rename string-ci-hash string-hash-ci)
   string-prefix-length string-suffix-length string-prefix-length-ci string-suffix-length-ci
   string-prefix? string-suffix? string-prefix-ci? string-suffix-ci?
   string-index string-index-right string-skip string-skip-right string-count
   string-contains string-contains-ci
   string-titlecase string-upcase string-downcase
   string-reverse string-append string-concatenate string-concatenate-reverse
   (rename string-append string-append/shared)
   (rename string-concatenate string-concatenate/shared)
   (rename string-concatenate-reverse string-concatenate-reverse/shared)
   string-map string-for-each string-for-each-index
   string-fold string-fold-right string-unfold string-unfold-right
   xsubstring string-replace string-tokenize string-filter string-delete)
  (import (srfi hashing) (srfi texts)
          (prefix (only (scheme base) string-map string-for-each string-upcase string-downcase)
                  %base:))
  (begin

    ;; The part from `start` up to before `end`, or to the end of the string.
    (define (substring/shared s start . end)
      (if (null? end)
          (string-copy s start)
          (substring s start (%optional "substring/shared" end 0))))

    ;; Comparison of parts

    ;; Calls f with two strings, or with the parts of them that the ranges give.
    (define (%parts name a b ranges f)
      (%two-ranges name a b ranges
        (lambda (start1 end1 start2 end2)
          (if (null? ranges) (f a b) (f (substring a start1 end1) (substring b start2 end2))))))

    ;; Whether two strings, or parts of them, are equal.
    (define (string= a b . ranges) (%parts "string=" a b ranges string=?))

    ;; Whether a string, or a part of it, comes before another.
    (define (string< a b . ranges) (%parts "string<" a b ranges string<?))

    ;; Whether a string, or a part of it, comes after another.
    (define (string> a b . ranges) (%parts "string>" a b ranges string>?))

    ;; Whether a string, or a part of it, does not come after another.
    (define (string<= a b . ranges) (%parts "string<=" a b ranges string<=?))

    ;; Whether a string, or a part of it, does not come before another.
    (define (string>= a b . ranges) (%parts "string>=" a b ranges string>=?))

    ;; Whether two strings, or parts of them, differ.
    (define (string<> a b . ranges)
      (%parts "string<>" a b ranges (lambda (a b) (not (string=? a b)))))

    ;; As `string=`, without regard to case.
    (define (string-ci= a b . ranges) (%parts "string-ci=" a b ranges string-ci=?))

    ;; As `string<`, without regard to case.
    (define (string-ci< a b . ranges) (%parts "string-ci<" a b ranges string-ci<?))

    ;; As `string>`, without regard to case.
    (define (string-ci> a b . ranges) (%parts "string-ci>" a b ranges string-ci>?))

    ;; As `string<=`, without regard to case.
    (define (string-ci<= a b . ranges) (%parts "string-ci<=" a b ranges string-ci<=?))

    ;; As `string>=`, without regard to case.
    (define (string-ci>= a b . ranges) (%parts "string-ci>=" a b ranges string-ci>=?))

    ;; As `string<>`, without regard to case.
    (define (string-ci<> a b . ranges)
      (%parts "string-ci<>" a b ranges (lambda (a b) (not (string-ci=? a b)))))

    ;; The procedure that fits is called with the index of the first character that differs.
    (define (string-compare a b less same greater . ranges)
      (%compare "string-compare" char=? char<? a b less same greater ranges))

    ;; As `string-compare`, without regard to case.
    (define (string-compare-ci a b less same greater . ranges)
      (%compare "string-compare-ci" char-ci=? char-ci<? a b less same greater ranges))

    (define (%compare name same? less? a b less same greater ranges)
      (%two-ranges name a b ranges
        (lambda (start1 end1 start2 end2)
          (let* ((n (%common same? a start1 end1 b start2 end2))
                 (i (+ start1 n))
                 (j (+ start2 n)))
            (cond ((and (= i end1) (= j end2)) (same i))
                  ((= i end1) (less i))
                  ((= j end2) (greater i))
                  ((less? (string-ref a i) (string-ref b j)) (less i))
                  (else (greater i)))))))

    ;; As `string-prefix-length`, without regard to case.
    (define (string-prefix-length-ci a b . ranges)
      (%prefix-length "string-prefix-length-ci" char-ci=? a b ranges))

    ;; As `string-suffix-length`, without regard to case.
    (define (string-suffix-length-ci a b . ranges)
      (%suffix-length "string-suffix-length-ci" char-ci=? a b ranges))

    ;; As `string-prefix?`, without regard to case.
    (define (string-prefix-ci? a b . ranges) (%prefix? "string-prefix-ci?" char-ci=? a b ranges))

    ;; As `string-suffix?`, without regard to case.
    (define (string-suffix-ci? a b . ranges) (%suffix? "string-suffix-ci?" char-ci=? a b ranges))

    ;; As `string-contains`, without regard to case.
    (define (string-contains-ci a b . ranges)
      (%contains "string-contains-ci" char-ci=? a b ranges))

    ;; Index of the first or last character that fits, or #f

    ;; The index of the first character that is the given one, or fulfils the predicate; or #f.
    (define (string-index s criterion . range)
      (%within "string-index" (%string-size "string-index" s) range
        (lambda (start end)
          (let ((i (%forward s (%criterion "string-index" criterion) start end)))
            (and (< i end) i)))))

    ;; The index of the last character that is the given one, or fulfils the predicate; or #f.
    (define (string-index-right s criterion . range)
      (%within "string-index-right" (%string-size "string-index-right" s) range
        (lambda (start end)
          (let ((i (%backward s (%criterion "string-index-right" criterion) start end)))
            (and (> i start) (- i 1))))))

    ;; The index of the first character that is another one, or does not fulfil the predicate; or
    ;; #f.
    (define (string-skip s criterion . range)
      (%within "string-skip" (%string-size "string-skip" s) range
        (lambda (start end)
          (let ((i (%forward s (%other (%criterion "string-skip" criterion)) start end)))
            (and (< i end) i)))))

    ;; The index of the last character that is another one, or does not fulfil the predicate; or #f.
    (define (string-skip-right s criterion . range)
      (%within "string-skip-right" (%string-size "string-skip-right" s) range
        (lambda (start end)
          (let ((i (%backward s (%other (%criterion "string-skip-right" criterion)) start end)))
            (and (> i start) (- i 1))))))

    ;; Upper and lower case, of a part if wanted

    ;; The string, or a part of it, in upper case.
    (define (string-upcase s . range) (%base:string-upcase (apply string-copy s range)))

    ;; The string, or a part of it, in lower case.
    (define (string-downcase s . range) (%base:string-downcase (apply string-copy s range)))

    ;; The string, or a part of it, with each word in lower case but for its first letter.
    (define (string-titlecase s . range)
      (let ((s (apply string-copy s range)))
        (let loop ((i (- (string-length s) 1)) (made '()))
          (if (< i 0)
              (list->string made)
              (let ((c (string-ref s i)))
                (loop (- i 1)
                      (cons (if (and (> i 0) (char-alphabetic? (string-ref s (- i 1))))
                                (char-downcase c)
                                (char-upcase c))
                            made)))))))

    ;; As R7RS has them for several strings, and with a range

    ;; The string of what f gives for the characters.
    (define (string-map f s . more)
      (if (or (null? more) (string? (car more)))
          (apply %base:string-map f s more)
          (%base:string-map f (apply string-copy s more))))

    ;; Calls f with the characters in order.
    (define (string-for-each f s . more)
      (if (or (null? more) (string? (car more)))
          (apply %base:string-for-each f s more)
          (%base:string-for-each f (apply string-copy s more))))

    ;; Calls f with the indices in order.
    (define (string-for-each-index f s . range)
      (%for-each-index "string-for-each-index" f s range))

    ;; The part from `from` to `to` of the string repeated in both directions.
    (define (xsubstring s from . to+range)
      (%within "xsubstring" (%string-size "xsubstring" s)
              (if (pair? to+range) (cdr to+range) '())
        (lambda (start end)
          (let ((to (if (pair? to+range) (car to+range) (+ from (- end start)))))
            (%repeated "xsubstring" s from to start end)))))

    ;; What lies between characters that do not fit.
    (define (string-tokenize s . criterion+range)
      (let ((good? (if (pair? criterion+range)
                       (%criterion "string-tokenize" (car criterion+range))
                       (lambda (c) (not (char-whitespace? c))))))
        (%within "string-tokenize" (%string-size "string-tokenize" s)
                (if (pair? criterion+range) (cdr criterion+range) '())
          (lambda (start end)
            (let loop ((end end) (made '()))
              (let ((end (%backward s good? start end)))
                (if (= end start)
                    made
                    (let ((first (%backward s (%other good?) start end)))
                      (loop first (cons (substring s first end) made))))))))))

    ;; Earlier versions of SRFI 13 have the string first.
    (define (string-filter criterion s . range)
      (if (string? criterion)
          (%kept "string-filter" (%criterion "string-filter" s) criterion range)
          (%kept "string-filter" (%criterion "string-filter" criterion) s range)))

    ;; The characters that are not the given one, or do not fulfil the predicate.
    (define (string-delete criterion s . range)
      (if (string? criterion)
          (%kept "string-delete" (%other (%criterion "string-delete" s)) criterion range)
          (%kept "string-delete" (%other (%criterion "string-delete" criterion)) s range)))))
