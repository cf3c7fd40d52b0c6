;;; Strings: what SRFI 13 and SRFI 130 have in common.  Indices are cursors.

(define-library (srfi texts)
  (export
   %string-size %within %for-each-index %repeated %criterion %other %two-ranges %forward
   %backward %common %kept %prefix-length %suffix-length %prefix? %suffix? %contains %last-match
   string-null? string-every string-any string-tabulate reverse-list->string string-join
   string-take string-take-right string-drop string-drop-right string-pad string-pad-right
   string-trim string-trim-right string-trim-both
   string-prefix-length string-suffix-length string-prefix? string-suffix? string-contains
   string-count string-reverse string-concatenate string-concatenate-reverse
   string-fold string-fold-right string-unfold string-unfold-right string-replace)
  (import (srfi ranges))
  (begin

    (define (%string-size name s)
      (if (string? s)
          (string-length s)
          (error (string-append name ": expected a string, got") s)))

    ;; Calls f with each index of a part.
    (define (%for-each-index name f s range)
      (%within name (%string-size name s) range
        (lambda (start end)
          (let loop ((i start))
            (if (< i end)
                (begin
                  (f i)
                  (loop (+ i 1))))))))

    ;; What is from `from` to `to` in a part of a string that is repeated in both directions.
    (define (%repeated name s from to start end)
      (let ((size (- end start)))
        (if (not (and (exact-integer? from) (exact-integer? to) (<= from to)))
            (error (string-append name ": the range is wrong:") from to))
        (if (and (= size 0) (< from to))
            (error (string-append name ": there is nothing to repeat")))
        (let loop ((i (- to 1)) (made '()))
          (if (< i from)
              (list->string made)
              (loop (- i 1) (cons (string-ref s (+ start (modulo i size))) made))))))

    (define (%criterion name x)
      (cond ((char? x) (lambda (c) (char=? c x)))
            ((procedure? x) x)
            (else
             (error (string-append name ": expected a character or a predicate, got") x))))

    (define (%other good?) (lambda (c) (not (good? c))))

    ;; Calls `body` with the starts and ends of two strings.
    (define (%two-ranges name a b ranges body)
      (let* ((both (and (pair? ranges) (pair? (cdr ranges))))
             (first (if both (list (car ranges) (cadr ranges)) ranges))
             (second (if both (cddr ranges) '())))
        (%within name (%string-size name a) first
          (lambda (start1 end1)
            (%within name (%string-size name b) second
              (lambda (start2 end2) (body start1 end1 start2 end2)))))))

    ;; The index of the first character that fits; else the end.
    (define (%forward s good? i end)
      (cond ((>= i end) end)
            ((good? (string-ref s i)) i)
            (else (%forward s good? (+ i 1) end))))

    ;; The index after the last character that fits; else the start.
    (define (%backward s good? start i)
      (cond ((<= i start) start)
            ((good? (string-ref s (- i 1))) i)
            (else (%backward s good? start (- i 1)))))

    ;; How many characters are the same from the start on, and from the end back.
    (define (%common same? a i end1 b j end2)
      (let loop ((i i) (j j) (n 0))
        (if (and (< i end1) (< j end2) (same? (string-ref a i) (string-ref b j)))
            (loop (+ i 1) (+ j 1) (+ n 1))
            n)))

    (define (%common-end same? a start1 i b start2 j)
      (let loop ((i (- i 1)) (j (- j 1)) (n 0))
        (if (and (>= i start1) (>= j start2) (same? (string-ref a i) (string-ref b j)))
            (loop (- i 1) (- j 1) (+ n 1))
            n)))

    (define (%prefix-length name same? a b ranges)
      (%two-ranges name a b ranges
        (lambda (start1 end1 start2 end2) (%common same? a start1 end1 b start2 end2))))

    (define (%suffix-length name same? a b ranges)
      (%two-ranges name a b ranges
        (lambda (start1 end1 start2 end2) (%common-end same? a start1 end1 b start2 end2))))

    (define (%prefix? name same? a b ranges)
      (%two-ranges name a b ranges
        (lambda (start1 end1 start2 end2)
          (= (%common same? a start1 end1 b start2 end2) (- end1 start1)))))

    (define (%suffix? name same? a b ranges)
      (%two-ranges name a b ranges
        (lambda (start1 end1 start2 end2)
          (= (%common-end same? a start1 end1 b start2 end2) (- end1 start1)))))

    ;; How many characters two strings have in common at their beginnings.
    (define (string-prefix-length a b . ranges)
      (%prefix-length "string-prefix-length" char=? a b ranges))

    ;; How many characters two strings have in common at their ends.
    (define (string-suffix-length a b . ranges)
      (%suffix-length "string-suffix-length" char=? a b ranges))

    ;; Whether b begins with a.
    (define (string-prefix? a b . ranges) (%prefix? "string-prefix?" char=? a b ranges))

    ;; Whether b ends with a.
    (define (string-suffix? a b . ranges) (%suffix? "string-suffix?" char=? a b ranges))

    ;; Where the second string begins in the first, or #f.
    (define (%contains name same? a b ranges)
      (%two-ranges name a b ranges
        (lambda (start1 end1 start2 end2)
          (if (known? b)
              (%match same? a start1 end1 b start2 end2)
              (rcall %match same? a start1 end1 b start2 end2)))))

    ;; As Knuth, Morris and Pratt find it.
    (define (%match same? a start1 end1 b start2 end2)
      (let* ((size (- end2 start2))
             (borders (%borders same? b start2 size)))
        (let loop ((i start1) (k 0))
          (cond ((= k size) (- i size))
                ((= i end1) #f)
                (else (loop (+ i 1) (%longest same? (string-ref a i) b start2 borders k)))))))

    ;; How many characters of b are there after c, which comes after k of them.
    (define (%longest same? c b start borders k)
      (cond ((same? c (string-ref b (+ start k))) (+ k 1))
            ((= k 0) 0)
            (else (%longest same? c b start borders (vector-ref borders k)))))

    ;; For each k > 0 the length of the longest proper prefix of the first k characters that is
    ;; also at their end.
    (define (%borders same? b start size)
      (let ((borders (make-vector (+ size 1) 0)))
        (let loop ((k 1) (border 0))
          (if (< k size)
              (let ((next (%longest same? (string-ref b (+ start k)) b start borders border)))
                (vector-set! borders (+ k 1) next)
                (loop (+ k 1) next))))
        (%constant-vector borders)))

    ;; The index where the first b in a begins, or #f.
    (define (string-contains a b . ranges) (%contains "string-contains" char=? a b ranges))

    (define (%last-match a b start1 end1 start2 end2)
      (let* ((reversed (lambda (s start end) (string-reverse (substring s start end))))
             (i (%contains "string-contains-right" char=? (reversed a start1 end1)
                           (reversed b start2 end2) '())))
        (and i (- end1 i (- end2 start2)))))

    ;; Whether a string is empty.
    (define (string-null? s) (= (%string-size "string-null?" s) 0))

    ;; Whether all characters are the given one, or fulfil the predicate.
    (define (string-every criterion s . range)
      (let ((good? (%criterion "string-every" criterion)))
        (%within "string-every" (%string-size "string-every" s) range
          (lambda (start end)
            (or (= start end)
                (let loop ((i start))
                  (if (= i (- end 1))
                      (good? (string-ref s i))
                      (and (good? (string-ref s i)) (loop (+ i 1))))))))))

    ;; Whether any character is the given one, or fulfils the predicate.
    (define (string-any criterion s . range)
      (let ((good? (%criterion "string-any" criterion)))
        (%within "string-any" (%string-size "string-any" s) range
          (lambda (start end)
            (and (< start end)
                 (let loop ((i start))
                   (if (= i (- end 1))
                       (good? (string-ref s i))
                       (or (good? (string-ref s i)) (loop (+ i 1))))))))))

    ;; The string of what f gives for 0 up to before n.
    (define (string-tabulate f n)
      (if (not (and (exact-integer? n) (>= n 0)))
          (error "string-tabulate: expected a number that is not negative, got" n))
      (let loop ((i 0) (made '()))
        (if (< i n)
            (loop (+ i 1) (cons (f i) made))
            (list->string (reverse made)))))

    ;; The string of the characters of a list, the last one first.
    (define (reverse-list->string characters) (list->string (reverse characters)))

    ;; The strings with the delimiter, a space if it is not given, between them.
    (define (string-join strings . delimiter+grammar)
      (let* ((delimiter (if (pair? delimiter+grammar) (car delimiter+grammar) " "))
             (grammar (%optional "string-join"
                                 (if (pair? delimiter+grammar) (cdr delimiter+grammar) '())
                                 'infix)))
        (if (not (list? strings)) (error "string-join: expected a list, got" strings))
        (cond ((null? strings)
               (if (eq? grammar 'strict-infix)
                   (error "string-join: there is nothing to join")
                   ""))
              ((or (eq? grammar 'infix) (eq? grammar 'strict-infix))
               (apply string-append (car strings) (%after-each delimiter (cdr strings))))
              ((eq? grammar 'prefix) (apply string-append (%after-each delimiter strings)))
              ((eq? grammar 'suffix)
               (string-append
                (apply string-append (car strings) (%after-each delimiter (cdr strings)))
                delimiter))
              (else (error "string-join: expected a grammar, got" grammar)))))

    (define (%after-each delimiter strings)
      (if (pair? strings)
          (cons delimiter (cons (car strings) (%after-each delimiter (cdr strings))))
          '()))

    (define (%length-of name s n)
      (let ((size (%string-size name s)))
        (if (and (exact-integer? n) (<= 0 n size))
            size
            (error (string-append name ": the string has not so many characters:") n))))

    ;; The first n characters.
    (define (string-take s n)
      (%length-of "string-take" s n)
      (substring s 0 n))

    ;; The string without its first n characters.
    (define (string-drop s n) (substring s n (%length-of "string-drop" s n)))

    ;; The last n characters.
    (define (string-take-right s n)
      (let ((size (%length-of "string-take-right" s n)))
        (substring s (- size n) size)))

    ;; The string without its last n characters.
    (define (string-drop-right s n)
      (substring s 0 (- (%length-of "string-drop-right" s n) n)))

    (define (%padding name character+range)
      (let ((character (if (pair? character+range) (car character+range) #\space)))
        (if (char? character)
            character
            (error (string-append name ": expected a character, got") character))))

    (define (%rest items) (if (pair? items) (cdr items) '()))

    (define (%wide name n)
      (if (not (and (exact-integer? n) (>= n 0)))
          (error (string-append name ": expected a length that is not negative, got") n)))

    ;; n characters: the last ones of the string, spaces or the character in front if it is shorter.
    (define (string-pad s n . character+range)
      (%wide "string-pad" n)
      (%within "string-pad" (%string-size "string-pad" s) (%rest character+range)
        (lambda (start end)
          (let ((size (- end start)))
            (if (<= n size)
                (substring s (- end n) end)
                (string-append (make-string (- n size) (%padding "string-pad" character+range))
                               (substring s start end)))))))

    ;; n characters: the first ones of the string, spaces or the character behind if it is shorter.
    (define (string-pad-right s n . character+range)
      (%wide "string-pad-right" n)
      (%within "string-pad-right" (%string-size "string-pad-right" s) (%rest character+range)
        (lambda (start end)
          (let ((size (- end start)))
            (if (<= n size)
                (substring s start (+ start n))
                (string-append (substring s start end)
                               (make-string (- n size)
                                            (%padding "string-pad-right" character+range))))))))

    (define (%trim name s criterion+range left right)
      (let ((stays? (%other (%criterion name (if (pair? criterion+range)
                                                 (car criterion+range)
                                                 char-whitespace?)))))
        (%within name (%string-size name s) (%rest criterion+range)
          (lambda (start end)
            (let ((first (if left (%forward s stays? start end) start)))
              (substring s first (if right (%backward s stays? first end) end)))))))

    ;; The string without spaces, or what is given, in front.
    (define (string-trim s . criterion+range) (%trim "string-trim" s criterion+range #t #f))

    ;; The string without spaces, or what is given, at its end.
    (define (string-trim-right s . criterion+range)
      (%trim "string-trim-right" s criterion+range #f #t))

    ;; The string without spaces, or what is given, at both ends.
    (define (string-trim-both s . criterion+range)
      (%trim "string-trim-both" s criterion+range #t #t))

    ;; How many characters are the given one, or fulfil the predicate.
    (define (string-count s criterion . range)
      (let ((good? (%criterion "string-count" criterion)))
        (%within "string-count" (%string-size "string-count" s) range
          (lambda (start end)
            (let loop ((i start) (n 0))
              (cond ((= i end) n)
                    ((good? (string-ref s i)) (loop (+ i 1) (+ n 1)))
                    (else (loop (+ i 1) n))))))))

    (define (%kept name good? s range)
      (%within name (%string-size name s) range
        (lambda (start end)
          (let loop ((i (- end 1)) (made '()))
            (cond ((< i start) (list->string made))
                  ((good? (string-ref s i)) (loop (- i 1) (cons (string-ref s i) made)))
                  (else (loop (- i 1) made)))))))

    ;; The characters, the last one first.
    (define (string-reverse s . range)
      (list->string (reverse (apply string->list s range))))

    ;; The strings of a list, one after the other.
    (define (string-concatenate strings) (apply string-append strings))

    ;; The strings of a list, the last one first.
    (define (string-concatenate-reverse strings . final+end)
      (let* ((final (if (pair? final+end) (car final+end) ""))
             (end (%optional "string-concatenate-reverse" (%rest final+end)
                             (%string-size "string-concatenate-reverse" final))))
        (string-append (apply string-append (reverse strings)) (substring final 0 end))))

    ;; f of each character and what was there before, from `start` on; the first one first.
    (define (string-fold f start s . range)
      (%within "string-fold" (%string-size "string-fold" s) range
        (lambda (i end)
          (let loop ((i i) (made start))
            (if (< i end) (loop (+ i 1) (f (string-ref s i) made)) made)))))

    ;; f of each character and what was there before, from `start` on; the last one first.
    (define (string-fold-right f start s . range)
      (%within "string-fold-right" (%string-size "string-fold-right" s) range
        (lambda (first end)
          (let loop ((i (- end 1)) (made start))
            (if (>= i first) (loop (- i 1) (f (string-ref s i) made)) made)))))

    ;; What is made of a seed is a character or a string.
    (define (%piece x) (if (char? x) (string x) x))

    ;; The string of the characters (item seed), (item (next seed)) and so on, until (stop? seed).
    (define (string-unfold stop? item next seed . base+final)
      (let loop ((seed seed) (made (list (if (pair? base+final) (car base+final) ""))))
        (if (stop? seed)
            (string-concatenate
             (reverse (cons (%piece ((%optional "string-unfold" (%rest base+final) (lambda (x) ""))
                                     seed))
                            made)))
            (let ((piece (%piece (item seed))))
              (loop (next seed) (cons piece made))))))

    ;; As `string-unfold`, the last character first.
    (define (string-unfold-right stop? item next seed . base+final)
      (let loop ((seed seed) (made (list (if (pair? base+final) (car base+final) ""))))
        (if (stop? seed)
            (string-concatenate
             (cons (%piece ((%optional "string-unfold-right" (%rest base+final) (lambda (x) ""))
                            seed))
                   made))
            (let ((piece (%piece (item seed))))
              (loop (next seed) (cons piece made))))))

    ;; The string a with its part from `start` up to before `end` replaced by b.
    (define (string-replace a b start end . range)
      (%within "string-replace" (%string-size "string-replace" a) (list start end)
        (lambda (start1 end1)
          (%within "string-replace" (%string-size "string-replace" b) range
            (lambda (start2 end2)
              (string-append (substring a 0 start1) (substring b start2 end2)
                             (string-copy a end1)))))))))
