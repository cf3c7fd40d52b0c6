;;; SRFI 1, lists.
;;;
;;; Written for what the specializer leaves of it: over lists whose items are known there are no
;;; loops left, over others plain ones.  What is decided by something unknown makes a list unknown
;;; (`%by`), else there would be a version of what follows for each of the lists it may be.
;;; Procedures that SRFI 1 allows to change their arguments (`append!`) do not.

(define-library (srfi 1)
  (export
   ;; made
   cons list xcons cons* make-list list-tabulate list-copy circular-list iota
   ;; asked
   pair? null? proper-list? circular-list? dotted-list? not-pair? null-list? list=
   ;; taken apart
   car cdr caar cadr cdar cddr caaar caadr cadar caddr cdaar cdadr cddar cdddr
   caaaar caaadr caadar caaddr cadaar cadadr caddar cadddr
   cdaaar cdaadr cdadar cdaddr cddaar cddadr cdddar cddddr
   list-ref first second third fourth fifth sixth seventh eighth ninth tenth car+cdr
   take drop take-right drop-right split-at last last-pair
   (rename take take!) (rename drop-right drop-right!) (rename split-at split-at!)
   ;; as a whole
   length length+ append concatenate reverse append-reverse zip unzip1 unzip2 unzip3 unzip4 unzip5
   count
   (rename append append!) (rename concatenate concatenate!) (rename reverse reverse!)
   (rename append-reverse append-reverse!)
   ;; gone through
   map for-each fold unfold pair-fold reduce fold-right unfold-right pair-fold-right reduce-right
   append-map pair-for-each filter-map
   (rename map map-in-order) (rename map map!) (rename append-map append-map!)
   filter partition remove
   (rename filter filter!) (rename partition partition!) (rename remove remove!)
   ;; searched
   member memq memv find find-tail any every list-index take-while drop-while span break
   (rename take-while take-while!) (rename span span!) (rename break break!)
   delete delete-duplicates
   (rename delete delete!) (rename delete-duplicates delete-duplicates!)
   ;; association lists
   assoc assq assv alist-cons alist-copy alist-delete (rename alist-delete alist-delete!)
   ;; sets
   lset<= lset= lset-adjoin lset-union lset-intersection lset-difference lset-xor
   lset-diff+intersection
   (rename lset-union lset-union!) (rename lset-intersection lset-intersection!)
   (rename lset-difference lset-difference!) (rename lset-xor lset-xor!)
   (rename lset-diff+intersection lset-diff+intersection!)
   set-car! set-cdr!)
  (begin

    ;; `x`, but unknown if it is unknown what decided that it is this.
    (define (%by decision x) (if (known? decision) x (lift x)))

    (define (%count name n)
      (if (not (and (exact-integer? n) (>= n 0)))
          (error (string-append name ": expected a number that is not negative, got") n)))

    (define (%no-list name x) (error (string-append name ": expected a list, got") x))

    ;; Made

    ;; A pair, the cdr first.
    (define (xcons d a) (cons a d))

    ;; The arguments in front of the last one, which is the tail.
    (define (cons* first . rest)
      (let loop ((item first) (rest rest))
        (if (pair? rest)
            (cons item (loop (car rest) (cdr rest)))
            item)))

    ;; The list of what f gives for 0 up to before n.
    (define (list-tabulate n f)
      (%count "list-tabulate" n)
      (let loop ((i 0))
        (if (< i n)
            (let ((item (f i)))
              (cons item (loop (+ i 1))))
            '())))

    ;; A list of the arguments that begins again where it ends.
    (define (circular-list first . rest)
      (let ((made (cons first rest)))
        (set-cdr! (last-pair made) made)
        made))

    ;; The list of n numbers from `start` on, 0 if it is not given, by steps of `step`, else of 1.
    (define (iota n . start+step)
      (%count "iota" n)
      (let* ((start (if (pair? start+step) (car start+step) 0))
             (step (%optional "iota" (if (pair? start+step) (cdr start+step) '()) 1)))
        (let loop ((i (- n 1)) (made '()))
          (if (< i 0)
              made
              (loop (- i 1) (cons (+ start (* i step)) made))))))

    ;; Asked

    ;; Whether something is a list that ends with ().
    (define (proper-list? x) (list? x))

    ;; Whether something is a list without an end.
    (define (circular-list? x) (%circular? x))

    ;; Whether something is a list that ends with something else than (), or no list.
    (define (dotted-list? x)
      (and (not (%circular? x))
           (let loop ((x x))
             (if (pair? x) (loop (cdr x)) (not (null? x))))))

    ;; Whether something is no pair.
    (define (not-pair? x) (not (pair? x)))

    ;; Whether a list is empty; an error unless it is a list.
    (define (null-list? x)
      (cond ((pair? x) #f)
            ((null? x) #t)
            (else (%no-list "null-list?" x))))

    ;; Whether lists have the same items by `same?`, in the same order.
    (define (list= same? . lists)
      (or (null? lists)
          (let loop ((first (car lists)) (rest (cdr lists)))
            (or (null? rest)
                (and (or (eq? first (car rest)) (%list= same? first (car rest)))
                     (loop (car rest) (cdr rest)))))))

    (define (%list= same? a b)
      (cond ((null-list? a) (null-list? b))
            ((null-list? b) #f)
            ((same? (car a) (car b)) (%list= same? (cdr a) (cdr b)))
            (else #f)))

    ;; Taken apart

    ;; The first item of a list.
    (define (first x) (car x))

    ;; The second item of a list.
    (define (second x) (cadr x))

    ;; The third item of a list.
    (define (third x) (caddr x))

    ;; The fourth item of a list.
    (define (fourth x) (cadddr x))

    ;; The fifth item of a list.
    (define (fifth x) (car (cddddr x)))

    ;; The sixth item of a list.
    (define (sixth x) (cadr (cddddr x)))

    ;; The seventh item of a list.
    (define (seventh x) (caddr (cddddr x)))

    ;; The eighth item of a list.
    (define (eighth x) (cadddr (cddddr x)))

    ;; The ninth item of a list.
    (define (ninth x) (car (cddddr (cddddr x))))

    ;; The tenth item of a list.
    (define (tenth x) (cadr (cddddr (cddddr x))))

    ;; The car and the cdr of a pair: two values.
    (define (car+cdr x) (values (car x) (cdr x)))

    ;; The first n items of a list.
    (define (take x n)
      (%count "take" n)
      (let loop ((rest x) (n n))
        (cond ((= n 0) '())
              ((pair? rest) (cons (car rest) (loop (cdr rest) (- n 1))))
              (else (error "take: the list is too short:" x)))))

    ;; The list without its first n items.
    (define (drop x n)
      (%count "drop" n)
      (let loop ((rest x) (n n))
        (cond ((= n 0) rest)
              ((pair? rest) (loop (cdr rest) (- n 1)))
              (else (error "drop: the list is too short:" x)))))

    ;; The last n items of a list.
    (define (take-right x n)
      (%count "take-right" n)
      (let loop ((lag x) (lead (drop x n)))
        (if (pair? lead) (loop (cdr lag) (cdr lead)) lag)))

    ;; The list without its last n items.
    (define (drop-right x n)
      (%count "drop-right" n)
      (let loop ((lag x) (lead (drop x n)))
        (if (pair? lead) (cons (car lag) (loop (cdr lag) (cdr lead))) '())))

    ;; The first n items of a list, and the others: two values.
    (define (split-at x n) (values (take x n) (drop x n)))

    ;; The last item of a list.
    (define (last x) (car (last-pair x)))

    ;; The last pair of a list.
    (define (last-pair x)
      (if (not (pair? x)) (error "last-pair: expected a pair, got" x))
      (let loop ((x (%finite "last-pair" x)))
        (if (pair? (cdr x)) (loop (cdr x)) x)))

    ;; As a whole

    ;; How many items a list has, #f if it has no end.
    (define (length+ x) (if (%circular? x) #f (length x)))

    ;; The items of a list of lists, one after the other.
    (define (concatenate lists) (apply append lists))

    ;; The items of a list in the other order, in front of the tail.
    (define (append-reverse items tail)
      (let loop ((rest (%finite "append-reverse" items)) (made tail))
        (cond ((pair? rest) (loop (cdr rest) (cons (car rest) made)))
              ((null? rest) made)
              (else (%no-list "append-reverse" items)))))

    ;; The list of lists of the items of lists side by side.
    (define (zip items . more) (apply map list items more))

    ;; The first items of lists, as a list.
    (define (unzip1 lists) (map car lists))

    ;; The first and the second items of lists: two lists as values.
    (define (unzip2 lists) (values (map car lists) (map cadr lists)))

    ;; The first up to the third items of lists: three lists as values.
    (define (unzip3 lists) (values (map car lists) (map cadr lists) (map caddr lists)))

    ;; The first up to the fourth items of lists: four lists as values.
    (define (unzip4 lists)
      (values (map car lists) (map cadr lists) (map caddr lists) (map cadddr lists)))

    ;; The first up to the fifth items of lists: five lists as values.
    (define (unzip5 lists)
      (values (map car lists) (map cadr lists) (map caddr lists) (map cadddr lists)
              (map fifth lists)))

    ;; For how many items of a list, or of several side by side, a predicate holds.
    (define (count good? items . more)
      (if (null? more)
          (let loop ((rest (%finite "count" items)) (n 0))
            (cond ((pair? rest) (loop (cdr rest) (%counted (good? (car rest)) n)))
                  ((null? rest) n)
                  (else (%no-list "count" items))))
          (let loop ((lists (%together "count" (cons items more))) (n 0))
            (if (%all-pairs? "count" lists)
                (loop (%map cdr lists) (%counted (apply good? (%map car lists)) n))
                n))))

    (define (%counted good n)
      (if good (%by good (+ n 1)) (%by good n)))

    ;; Gone through

    (define (%heads lists last)
      (if (pair? lists) (cons (car (car lists)) (%heads (cdr lists) last)) (list last)))

    (define (%parts lists last)
      (if (pair? lists) (cons (car lists) (%parts (cdr lists) last)) (list last)))

    ;; f of each item and what was there before, from `start` on; the first item first.
    (define (fold f start items . more)
      (if (null? more)
          (let loop ((made start) (rest (%finite "fold" items)))
            (cond ((pair? rest) (loop (f (car rest) made) (cdr rest)))
                  ((null? rest) made)
                  (else (%no-list "fold" items))))
          (let loop ((made start) (lists (%together "fold" (cons items more))))
            (if (%all-pairs? "fold" lists)
                (loop (apply f (%heads lists made)) (%map cdr lists))
                made))))

    ;; f of each item and what is made of those behind it, which is `end` at last.
    (define (fold-right f end items . more)
      (if (null? more)
          (let loop ((rest (%finite "fold-right" items)))
            (cond ((pair? rest) (f (car rest) (loop (cdr rest))))
                  ((null? rest) end)
                  (else (%no-list "fold-right" items))))
          (let loop ((lists (%together "fold-right" (cons items more))))
            (if (%all-pairs? "fold-right" lists)
                (apply f (%heads lists (loop (%map cdr lists))))
                end))))

    ;; As `fold`, with the pairs of a list in place of its items.
    (define (pair-fold f start items . more)
      (if (null? more)
          (let loop ((made start) (rest (%finite "pair-fold" items)))
            (if (pair? rest)
                (let ((next (cdr rest)))
                  (loop (f rest made) next))
                made))
          (let loop ((made start) (lists (%together "pair-fold" (cons items more))))
            (if (%all-pairs? "pair-fold" lists)
                (let ((next (%map cdr lists)))
                  (loop (apply f (%parts lists made)) next))
                made))))

    ;; As `fold-right`, with the pairs of a list in place of its items.
    (define (pair-fold-right f end items . more)
      (if (null? more)
          (let loop ((rest (%finite "pair-fold-right" items)))
            (if (pair? rest) (f rest (loop (cdr rest))) end))
          (let loop ((lists (%together "pair-fold-right" (cons items more))))
            (if (%all-pairs? "pair-fold-right" lists)
                (apply f (%parts lists (loop (%map cdr lists))))
                end))))

    ;; As `fold` from the first item on; `empty` if there is none.
    (define (reduce f empty items)
      (cond ((pair? items) (fold f (car items) (cdr items)))
            ((null? items) empty)
            (else (%no-list "reduce" items))))

    ;; As `fold-right` up to the last item; `empty` if there is none.
    (define (reduce-right f empty items)
      (cond ((pair? items)
             (let loop ((first (car items)) (rest (%finite "reduce-right" (cdr items))))
               (if (pair? rest) (f first (loop (car rest) (cdr rest))) first)))
            ((null? items) empty)
            (else (%no-list "reduce-right" items))))

    ;; The list of (item seed), (item (next seed)) and so on, until (stop? seed).
    (define (unfold stop? item next seed . tail)
      (let ((tail (%optional "unfold" tail (lambda (seed) '()))))
        (let loop ((seed seed))
          (if (stop? seed)
              (tail seed)
              (let ((first (item seed)))
                (cons first (loop (next seed))))))))

    ;; As `unfold`, the last item first.
    (define (unfold-right stop? item next seed . tail)
      (let loop ((seed seed) (made (%optional "unfold-right" tail '())))
        (if (stop? seed)
            made
            (let ((first (item seed)))
              (loop (next seed) (cons first made))))))

    ;; The items of the lists that f gives for the items of a list, or of several side by side.
    (define (append-map f items . more)
      (if (null? more)
          (let loop ((rest (%finite "append-map" items)))
            (cond ((null? rest) '())
                  ((not (pair? rest)) (%no-list "append-map" items))
                  ((null? (cdr rest)) (f (car rest)))
                  (else
                   (let ((first (f (car rest))))
                     (append first (loop (cdr rest)))))))
          (concatenate (apply map f items more))))

    ;; Calls f with the pairs of a list, or of several side by side.
    (define (pair-for-each f items . more)
      (if (null? more)
          (let loop ((rest (%finite "pair-for-each" items)))
            (if (pair? rest)
                (let ((next (cdr rest)))
                  (f rest)
                  (loop next))))
          (let loop ((lists (%together "pair-for-each" (cons items more))))
            (if (%all-pairs? "pair-for-each" lists)
                (let ((next (%map cdr lists)))
                  (apply f lists)
                  (loop next))))))

    ;; The list of `item`, if it is kept, and `rest`.
    (define (%kept kept item rest)
      (if kept (%by kept (cons item rest)) (%by kept rest)))

    ;; What f gives for the items of a list, or of several side by side, but for #f.
    (define (filter-map f items . more)
      (if (null? more)
          (let loop ((rest (%finite "filter-map" items)))
            (cond ((pair? rest)
                   (let ((item (f (car rest))))
                     (%kept item item (loop (cdr rest)))))
                  ((null? rest) '())
                  (else (%no-list "filter-map" items))))
          (let loop ((lists (%together "filter-map" (cons items more))))
            (if (%all-pairs? "filter-map" lists)
                (let ((item (apply f (%map car lists))))
                  (%kept item item (loop (%map cdr lists))))
                '()))))

    ;; The items for which a predicate holds.
    (define (filter good? items) (%filter "filter" good? items))

    ;; The items for which a predicate does not hold.
    (define (remove bad? items) (%filter "remove" (lambda (x) (not (bad? x))) items))

    (define (%filter name good? items)
      (let loop ((rest (%finite name items)))
        (cond ((pair? rest)
               (let* ((item (car rest))
                      (good (good? item)))
                 (%kept good item (loop (cdr rest)))))
              ((null? rest) '())
              (else (%no-list name items)))))

    ;; The items for which a predicate holds, and the others: two values.
    (define (partition good? items)
      (let loop ((rest (%finite "partition" items)) (in '()) (out '()))
        (cond ((pair? rest)
               (let* ((item (car rest))
                      (good (good? item)))
                 (if good
                     (loop (cdr rest) (%by good (cons item in)) (%by good out))
                     (loop (cdr rest) (%by good in) (%by good (cons item out))))))
              ((null? rest) (values (reverse in) (reverse out)))
              (else (%no-list "partition" items)))))

    ;; Searched

    ;; The first item for which a predicate holds, or #f.
    (define (find good? items)
      (let loop ((rest items))
        (cond ((pair? rest) (if (good? (car rest)) (car rest) (loop (cdr rest))))
              ((null? rest) #f)
              (else (%no-list "find" items)))))

    ;; The first part of a list whose first item is one for which a predicate holds, or #f.
    (define (find-tail good? items)
      (let loop ((rest items))
        (cond ((pair? rest) (if (good? (car rest)) rest (loop (cdr rest))))
              ((null? rest) #f)
              (else (%no-list "find-tail" items)))))

    ;; What the predicate gives for the first item for which it holds, or #f.
    (define (any good? items . more)
      (if (null? more)
          (and (pair? items)
               (let loop ((item (car items)) (rest (cdr items)))
                 (if (pair? rest)
                     (or (good? item) (loop (car rest) (cdr rest)))
                     (good? item))))
          (let loop ((lists (cons items more)))
            (and (%all-pairs? "any" lists)
                 (let ((next (%map cdr lists)))
                   (if (%all-pairs? "any" next)
                       (or (apply good? (%map car lists)) (loop next))
                       (apply good? (%map car lists))))))))

    ;; Whether a predicate holds for all items: what it gives for the last one, or #f.
    (define (every good? items . more)
      (if (null? more)
          (or (not (pair? items))
              (let loop ((item (car items)) (rest (cdr items)))
                (if (pair? rest)
                    (and (good? item) (loop (car rest) (cdr rest)))
                    (good? item))))
          (let loop ((lists (cons items more)))
            (or (not (%all-pairs? "every" lists))
                (let ((next (%map cdr lists)))
                  (if (%all-pairs? "every" next)
                      (and (apply good? (%map car lists)) (loop next))
                      (apply good? (%map car lists))))))))

    ;; The index of the first item for which a predicate holds, or #f.
    (define (list-index good? items . more)
      (if (null? more)
          (let loop ((rest items) (n 0))
            (cond ((pair? rest) (if (good? (car rest)) n (loop (cdr rest) (+ n 1))))
                  ((null? rest) #f)
                  (else (%no-list "list-index" items))))
          (let loop ((lists (cons items more)) (n 0))
            (cond ((not (%all-pairs? "list-index" lists)) #f)
                  ((apply good? (%map car lists)) n)
                  (else (loop (%map cdr lists) (+ n 1)))))))

    ;; The first items of a list, as long as a predicate holds.
    (define (take-while good? items)
      (let loop ((rest items))
        (cond ((pair? rest)
               (let ((item (car rest)))
                 (if (good? item) (cons item (loop (cdr rest))) '())))
              ((null? rest) '())
              (else (%no-list "take-while" items)))))

    ;; The list from the first item on for which a predicate does not hold.
    (define (drop-while good? items)
      (let loop ((rest items))
        (cond ((pair? rest) (if (good? (car rest)) (loop (cdr rest)) rest))
              ((null? rest) '())
              (else (%no-list "drop-while" items)))))

    ;; The first items, as long as a predicate holds, and the rest: two values.
    (define (span good? items) (%span "span" good? items))

    ;; The first items, as long as a predicate does not hold, and the rest: two values.
    (define (break bad? items) (%span "break" (lambda (x) (not (bad? x))) items))

    (define (%span name good? items)
      (let loop ((rest items) (made '()))
        (cond ((pair? rest)
               (if (good? (car rest))
                   (loop (cdr rest) (cons (car rest) made))
                   (values (reverse made) rest)))
              ((null? rest) (values (reverse made) '()))
              (else (%no-list name items)))))

    ;; The items that are not x, by `equal?` or the predicate that is given.
    (define (delete x items . same?)
      (let ((same? (%optional "delete" same? equal?)))
        (%filter "delete" (lambda (item) (not (same? x item))) items)))

    ;; Each item once, by `equal?` or the predicate that is given.
    (define (delete-duplicates items . same?)
      (let ((same? (%optional "delete-duplicates" same? equal?)))
        (if (not (list? items)) (%no-list "delete-duplicates" items))
        (cond ((not (eq? same? equal?)) (%delete-same same? items))
              ((known? items) (%delete-equal items))
              (else (rcall %delete-equal items)))))

    (define (%delete-same same? items)
      (if (pair? items)
          (let ((item (car items)))
            (cons item
                  (%delete-same same?
                                (%filter "delete-duplicates"
                                         (lambda (other) (not (same? item other)))
                                         (cdr items)))))
          '()))

    ;; In time that grows with the length only: what was met is found by its hash.
    (define (%delete-equal items)
      (let* ((size (+ (length items) 1))
             (met (make-vector size '())))
        (let loop ((rest items) (made '()))
          (if (pair? rest)
              (let* ((item (car rest))
                     (slot (remainder (equal-hash item) size))
                     (same (vector-ref met slot)))
                (if (member item same)
                    (loop (cdr rest) made)
                    (begin
                      (vector-set! met slot (cons item same))
                      (loop (cdr rest) (cons item made)))))
              (reverse made)))))

    ;; Association lists

    ;; An association list with one more pair in front.
    (define (alist-cons key value alist) (cons (cons key value) alist))

    ;; An association list with pairs of its own.
    (define (alist-copy alist) (map (lambda (entry) (cons (car entry) (cdr entry))) alist))

    ;; The pairs whose key is not `key`, by `equal?` or the predicate that is given.
    (define (alist-delete key alist . same?)
      (let ((same? (%optional "alist-delete" same? equal?)))
        (%filter "alist-delete" (lambda (entry) (not (same? key (car entry)))) alist)))

    ;; Sets

    (define (%in? same? x items)
      (and (pair? items) (or (same? (car items) x) (%in? same? x (cdr items)))))

    ;; Whether x is in all of the lists, or in none of them.
    (define (%in-all? same? x lists)
      (every (lambda (items) (%in? same? x items)) lists))

    (define (%in-none? same? x lists)
      (every (lambda (items) (not (%in? same? x items))) lists))

    (define (%lset<= same? a b)
      (or (eq? a b) (every (lambda (x) (%in? same? x b)) a)))

    ;; Whether each list has only items that the next one has.
    (define (lset<= same? . lists)
      (or (null? lists)
          (let loop ((a (car lists)) (rest (cdr lists)))
            (or (null? rest)
                (and (%lset<= same? a (car rest)) (loop (car rest) (cdr rest)))))))

    ;; Whether all lists have the same items, in any order.
    (define (lset= same? . lists)
      (or (null? lists)
          (let loop ((a (car lists)) (rest (cdr lists)))
            (or (null? rest)
                (and (%lset<= same? a (car rest))
                     (%lset<= (lambda (x y) (same? y x)) (car rest) a)
                     (loop (car rest) (cdr rest)))))))

    ;; The items, and those of the others that are not among them.
    (define (lset-adjoin same? items . more)
      (fold (lambda (x made) (let ((known (%in? same? x made))) (%kept (not known) x made)))
            items more))

    ;; The items that are in any of the lists.
    (define (lset-union same? . lists)
      (reduce (lambda (items made)
                (cond ((null? items) made)
                      ((null? made) items)
                      ((eq? items made) made)
                      (else
                       (fold (lambda (x made)
                               (let ((known (any (lambda (y) (same? y x)) made)))
                                 (%kept (not known) x made)))
                             made items))))
              '() lists))

    ;; The items that are in all of the lists.
    (define (lset-intersection same? items . lists)
      (let ((lists (delete items lists eq?)))
        (cond ((any null? lists) '())
              ((null? lists) items)
              (else (filter (lambda (x) (%in-all? same? x lists)) items)))))

    ;; The items that are in none of the other lists.
    (define (lset-difference same? items . lists)
      (let ((lists (filter pair? lists)))
        (cond ((null? lists) items)
              ((memq items lists) '())
              (else (filter (lambda (x) (%in-none? same? x lists)) items)))))

    ;; The items that are in none of the other lists, and those that are: two values.
    (define (lset-diff+intersection same? items . lists)
      (cond ((every null? lists) (values items '()))
            ((memq items lists) (values '() items))
            (else (partition (lambda (x) (%in-none? same? x lists)) items))))

    ;; The items that are in an odd number of the lists.
    (define (lset-xor same? . lists)
      (reduce (lambda (b a)
                (fold (lambda (x made) (%kept (not (%in? same? x a)) x made))
                      (filter (lambda (x) (not (%in? same? x b))) a)
                      b))
              '() lists))))
