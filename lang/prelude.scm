;;; Procedures of the language that are written in the language.
;;;
;;; The specializer sees through them as through any program, so they are written for what is
;;; left of them: no state, no tricks, loops as tail calls.  An error in one of them is told at
;;; the call that led into this file.  Names that begin with % are for the expander and for
;;; this file.

;; Pairs

(define (caar x) (car (car x)))
(define (cadr x) (car (cdr x)))
(define (cdar x) (cdr (car x)))
(define (cddr x) (cdr (cdr x)))
(define (caaar x) (car (car (car x))))
(define (caadr x) (car (car (cdr x))))
(define (cadar x) (car (cdr (car x))))
(define (caddr x) (car (cdr (cdr x))))
(define (cdaar x) (cdr (car (car x))))
(define (cdadr x) (cdr (car (cdr x))))
(define (cddar x) (cdr (cdr (car x))))
(define (cdddr x) (cdr (cdr (cdr x))))
(define (caaaar x) (car (car (car (car x)))))
(define (caaadr x) (car (car (car (cdr x)))))
(define (caadar x) (car (car (cdr (car x)))))
(define (caaddr x) (car (car (cdr (cdr x)))))
(define (cadaar x) (car (cdr (car (car x)))))
(define (cadadr x) (car (cdr (car (cdr x)))))
(define (caddar x) (car (cdr (cdr (car x)))))
(define (cadddr x) (car (cdr (cdr (cdr x)))))
(define (cdaaar x) (cdr (car (car (car x)))))
(define (cdaadr x) (cdr (car (car (cdr x)))))
(define (cdadar x) (cdr (car (cdr (car x)))))
(define (cdaddr x) (cdr (car (cdr (cdr x)))))
(define (cddaar x) (cdr (cdr (car (car x)))))
(define (cddadr x) (cdr (cdr (car (cdr x)))))
(define (cdddar x) (cdr (cdr (cdr (car x)))))
(define (cddddr x) (cdr (cdr (cdr (cdr x)))))

;; Lists

;; A new list of the arguments.
(define (list . items) items)

;; A list of so many items, each the one that is given.
(define (make-list size . fill)
  (let ((item (%optional "make-list" fill (%unspecified))))
    (if (and (exact-integer? size) (>= size 0))
        (let loop ((n size) (made '()))
          (if (= n 0) made (loop (- n 1) (cons item made))))
        (error "make-list: expected a size that is not negative, got" size))))

;; Whether something is a list that ends with ().
(define (list? x)
  (let loop ((slow x) (fast x))
    (cond ((null? fast) #t)
          ((not (pair? fast)) #f)
          ((null? (cdr fast)) #t)
          ((not (pair? (cdr fast))) #f)
          ((eq? (cdr slow) (cddr fast)) (null? (cddr fast)))
          (else (loop (cdr slow) (cddr fast))))))

;; How many items a list has.
(define (length items)
  (let loop ((rest items) (n 0))
    (cond ((pair? rest) (loop (cdr rest) (+ n 1)))
          ((null? rest) n)
          (else (error "length: expected a list, got" items)))))

;; The items of all lists, one after the other; the last list is shared.
(define (append . lists)
  (let loop ((lists lists))
    (cond ((null? lists) '())
          ((null? (cdr lists)) (car lists))
          (else (%append (%finite "append" (car lists)) (loop (cdr lists)))))))

(define (%append items tail)
  (cond ((pair? items) (cons (car items) (%append (cdr items) tail)))
        ((null? items) tail)
        (else (error "append: expected a list, got" items))))

;; The items of a list, the last one first.
(define (reverse items)
  (let loop ((rest (%finite "reverse" items)) (made '()))
    (cond ((pair? rest) (loop (cdr rest) (cons (car rest) made)))
          ((null? rest) made)
          (else (error "reverse: expected a list, got" items)))))

;; The list without its first k items.
(define (list-tail items k)
  (let loop ((rest items) (n (%list-index "list-tail" k)))
    (if (= n 0) rest (loop (cdr rest) (- n 1)))))

;; The item at index k of a list, from 0.
(define (list-ref items k)
  (let loop ((rest items) (n (%list-index "list-ref" k)))
    (if (= n 0) (car rest) (loop (cdr rest) (- n 1)))))

;; Put x at index k of a list.
(define (list-set! items k x)
  (let loop ((rest items) (n (%list-index "list-set!" k)))
    (if (= n 0) (set-car! rest x) (loop (cdr rest) (- n 1)))))

(define (%list-index name k)
  (if (and (exact-integer? k) (>= k 0))
      k
      (error (string-append name ": expected an index that is not negative, got") k)))

;; A list of pairs of its own with the same items.
(define (list-copy items) (%list-copy (%finite "list-copy" items)))

(define (%list-copy items)
  (if (pair? items) (cons (car items) (%list-copy (cdr items))) items))

;; The first part of a list that begins with x by `eq?`, or #f.
(define (memq x items)
  (let loop ((rest items))
    (cond ((pair? rest) (if (eq? x (car rest)) rest (loop (cdr rest))))
          ((null? rest) #f)
          (else (error "memq: expected a list, got" items)))))

;; The first part of a list that begins with x by `eqv?`, or #f.
(define (memv x items)
  (let loop ((rest items))
    (cond ((pair? rest) (if (eqv? x (car rest)) rest (loop (cdr rest))))
          ((null? rest) #f)
          (else (error "memv: expected a list, got" items)))))

;; The first part of a list that begins with x by `equal?`, or by the predicate that is given, or
;; #f.
(define (member x items . compare)
  (if (null? compare)
      (%member x items)
      (let ((same? (%optional "member" compare equal?)))
        (let loop ((rest (%finite "member" items)))
          (cond ((pair? rest) (if (same? x (car rest)) rest (loop (cdr rest))))
                ((null? rest) #f)
                (else (error "member: expected a list, got" items)))))))

(define (%member x items)
  (let loop ((rest items))
    (cond ((pair? rest) (if (equal? x (car rest)) rest (loop (cdr rest))))
          ((null? rest) #f)
          (else (error "member: expected a list, got" items)))))

;; The first pair of a list whose car is x by `eq?`, or #f.
(define (assq x items)
  (let loop ((rest items))
    (cond ((pair? rest) (if (eq? x (car (car rest))) (car rest) (loop (cdr rest))))
          ((null? rest) #f)
          (else (error "assq: expected a list, got" items)))))

;; The first pair of a list whose car is x by `eqv?`, or #f.
(define (assv x items)
  (let loop ((rest items))
    (cond ((pair? rest) (if (eqv? x (car (car rest))) (car rest) (loop (cdr rest))))
          ((null? rest) #f)
          (else (error "assv: expected a list, got" items)))))

;; The first pair of a list whose car is x by `equal?`, or by the predicate that is given, or #f.
(define (assoc x items . compare)
  (if (null? compare)
      (%assoc x items)
      (let ((same? (%optional "assoc" compare equal?)))
        (let loop ((rest (%finite "assoc" items)))
          (cond ((pair? rest) (if (same? x (car (car rest))) (car rest) (loop (cdr rest))))
                ((null? rest) #f)
                (else (error "assoc: expected a list, got" items)))))))

(define (%assoc x items)
  (let loop ((rest items))
    (cond ((pair? rest) (if (equal? x (car (car rest))) (car rest) (loop (cdr rest))))
          ((null? rest) #f)
          (else (error "assoc: expected a list, got" items)))))

;; The argument that a rest list may hold, or else the default.
(define (%optional name rest default)
  (cond ((null? rest) default)
        ((null? (cdr rest)) (car rest))
        (else (error (string-append name ": too many arguments")))))

;; Procedures over the items of lists; they end with the shortest list

;; The list of what f gives for the items of a list, or for those of several side by side.
(define (map f items . more)
  (cond ((null? more) (%map f (%finite "map" items)))
        ((null? (cdr more)) (%map-pairwise f items (car (cdr (%together "map" (cons items more))))))
        (else (%map* f (%together "map" (cons items more))))))

(define (%map f items)
  (cond ((pair? items)
         (let ((first (f (car items))))
           (cons first (%map f (cdr items)))))
        ((null? items) '())
        (else (error "map: expected a list, got" items))))

(define (%map-pairwise f items others)
  (if (%both-pairs? "map" items others)
      (let ((first (f (car items) (car others))))
        (cons first (%map-pairwise f (cdr items) (cdr others))))
      '()))

(define (%map* f lists)
  (if (%all-pairs? "map" lists)
      (let ((first (apply f (%map car lists))))
        (cons first (%map* f (%map cdr lists))))
      '()))

;; Calls f with the items of a list, or of several side by side, in order.
(define (for-each f items . more)
  (cond ((null? more) (%for-each f (%finite "for-each" items)))
        ((null? (cdr more))
         (%for-each-pairwise f items (car (cdr (%together "for-each" (cons items more))))))
        (else (%for-each* f (%together "for-each" (cons items more))))))

(define (%for-each f items)
  (cond ((pair? items) (f (car items)) (%for-each f (cdr items)))
        ((null? items) (%unspecified))
        (else (error "for-each: expected a list, got" items))))

(define (%for-each-pairwise f items others)
  (if (%both-pairs? "for-each" items others)
      (begin
        (f (car items) (car others))
        (%for-each-pairwise f (cdr items) (cdr others)))
      (%unspecified)))

(define (%for-each* f lists)
  (if (%all-pairs? "for-each" lists)
      (begin
        (apply f (%map car lists))
        (%for-each* f (%map cdr lists)))
      (%unspecified)))

;; Lists that are gone through side by side, of which one must end.
(define (%together name lists)
  (if (%all-circular? lists)
      (error (string-append name ": expected a list, got") (car lists))
      lists))

(define (%all-circular? lists)
  (cond ((null? lists) #t)
        ((%circular? (car lists)) (%all-circular? (cdr lists)))
        (else #f)))

(define (%all-pairs? name lists)
  (cond ((null? lists) #t)
        ((pair? (car lists)) (%all-pairs? name (cdr lists)))
        ((null? (car lists)) #f)
        (else (error (string-append name ": expected a list, got") (car lists)))))

(define (%both-pairs? name items others)
  (cond ((pair? items)
         (cond ((pair? others) #t)
               ((null? others) #f)
               (else (error (string-append name ": expected a list, got") others))))
        ((null? items) #f)
        (else (error (string-append name ": expected a list, got") items))))

;; Vectors

;; Calls `body` with the start and the end that a rest list gives, both optional.
(define (%range name size range body)
  (if (and (pair? range) (pair? (cdr range)) (pair? (cddr range)))
      (error (string-append name ": too many arguments")))
  (let ((start (if (pair? range) (car range) 0))
        (end (if (and (pair? range) (pair? (cdr range))) (cadr range) size)))
    (cond ((not (exact-integer? start))
           (error (string-append name ": expected an integer, got") start))
          ((not (exact-integer? end))
           (error (string-append name ": expected an integer, got") end))
          ((<= 0 start end size) (body start end))
          (else (error (string-append name ": the part from " (number->string start)
                                      " to " (number->string end)
                                      " is not within 0 to " (number->string size)))))))

(define (%vector-size name v)
  (if (vector? v)
      (vector-length v)
      (error (string-append name ": expected a vector, got") v)))

;; The list of the items of a vector, or of those from `start` up to before `end`.
(define (vector->list v . range)
  (%range "vector->list" (%vector-size "vector->list" v) range
    (lambda (start end)
      (let loop ((i (- end 1)) (made '()))
        (if (< i start) made (loop (- i 1) (cons (vector-ref v i) made)))))))

;; A new vector of the items of a list.
(define (list->vector items)
  (let ((made (make-vector
               (if (list? items) (length items) (error "list->vector: expected a list, got" items))
               0)))
    (let loop ((i 0) (rest items))
      (if (pair? rest)
          (begin
            (vector-set! made i (car rest))
            (loop (+ i 1) (cdr rest)))
          made))))

;; Put x everywhere in a vector, or from `start` up to before `end`.
(define (vector-fill! v x . range)
  (%range "vector-fill!" (%vector-size "vector-fill!" v) range
    (lambda (start end)
      (let loop ((i start))
        (if (< i end)
            (begin
              (vector-set! v i x)
              (loop (+ i 1))))))))

;; A new vector of the items of a vector, or of those from `start` up to before `end`.
(define (vector-copy v . range)
  (%range "vector-copy" (%vector-size "vector-copy" v) range
    (lambda (start end)
      (let ((made (make-vector (- end start) 0)))
        (%vector-move made 0 v start end)
        made))))

;; Copy the items of a vector, or those from `start` up to before `end`, into another one from index
;; `at` on.
(define (vector-copy! to at from . range)
  (let ((size (%vector-size "vector-copy!" to)))
    (%range "vector-copy!" (%vector-size "vector-copy!" from) range
      (lambda (start end)
        (cond ((not (exact-integer? at))
               (error "vector-copy!: expected an integer, got" at))
              ((or (< at 0) (> at (- size (- end start))))
               (error "vector-copy!: the items do not fit at" at))
              (else (%vector-move to at from start end)))))))

;; Upward or downward, so that a part may be moved within one vector.
(define (%vector-move to at from start end)
  (if (<= at start)
      (let loop ((i start) (j at))
        (if (< i end)
            (begin
              (vector-set! to j (vector-ref from i))
              (loop (+ i 1) (+ j 1)))))
      (let loop ((i (- end 1)) (j (+ at (- (- end start) 1))))
        (if (>= i start)
            (begin
              (vector-set! to j (vector-ref from i))
              (loop (- i 1) (- j 1)))))))

;; A new vector of the items of all vectors, one after the other.
(define (vector-append . vectors)
  (let sum ((rest vectors) (size 0))
    (if (pair? rest)
        (sum (cdr rest) (+ size (%vector-size "vector-append" (car rest))))
        (let ((made (make-vector size 0)))
          (let loop ((rest vectors) (at 0))
            (if (pair? rest)
                (let ((size (vector-length (car rest))))
                  (%vector-move made at (car rest) 0 size)
                  (loop (cdr rest) (+ at size)))
                made))))))

;; The vector of what f gives for the items of a vector, or for those of several side by side.
(define (vector-map f v . more)
  (if (null? more)
      (let* ((size (%vector-size "vector-map" v))
             (made (make-vector size 0)))
        (let loop ((i 0))
          (if (< i size)
              (begin
                (vector-set! made i (f (vector-ref v i)))
                (loop (+ i 1)))
              made)))
      (list->vector (%map* f (%map %items (cons v more))))))

;; Calls f with the items of a vector, or of several side by side, in order.
(define (vector-for-each f v . more)
  (if (null? more)
      (let ((size (%vector-size "vector-for-each" v)))
        (let loop ((i 0))
          (if (< i size)
              (begin
                (f (vector-ref v i))
                (loop (+ i 1))))))
      (%for-each* f (%map %items (cons v more)))))

(define (%items v) (vector->list v))

;; Strings

;; The string of the characters that f gives for those of a string, or of several side by side.
(define (string-map f s . more)
  (list->string
   (if (null? more)
       (%map f (string->list s))
       (%map* f (%map %characters (cons s more))))))

;; Calls f with the characters of a string, or of several side by side, in order.
(define (string-for-each f s . more)
  (if (null? more)
      (%for-each f (string->list s))
      (%for-each* f (%map %characters (cons s more)))))

(define (%characters s) (string->list s))

;; The arguments of an operation on strings that may change, as they are now.
(define (%string-contents name items)
  (%map (lambda (x) (if (string? x) (%string-content name x) x)) items))

;; Numbers

;; The quotient that is rounded down, and its remainder: two values.
(define (floor/ a b) (values (floor-quotient a b) (floor-remainder a b)))

;; The quotient that is rounded towards 0, and its remainder: two values.
(define (truncate/ a b) (values (truncate-quotient a b) (truncate-remainder a b)))

;; The greatest integer whose square is not above n, and what n is above that: two values.
(define (exact-integer-sqrt n)
  (if (and (exact-integer? n) (>= n 0))
      (let ((root (%root n)))
        (values root (- n (* root root))))
      (error "exact-integer-sqrt: expected an integer that is not negative, got" n)))

;; Newton's iteration, from above.
(define (%root n)
  (if (= n 0)
      0
      (let loop ((x (+ (quotient n 2) 1)))
        (let ((next (quotient (+ x (quotient n x)) 2)))
          (if (< next x) (loop next) x)))))

;; The numerator of a number in lowest terms.  There are no fractions but floats, and a float is a
;; fraction of two integers, the denominator a power of two.
(define (numerator x)
  (cond ((exact-integer? x) x)
        ((rational? x) (* x (%denominator x)))
        (else (%no-rational "numerator" x))))

;; The denominator of a number in lowest terms, a power of two for a float.
(define (denominator x)
  (cond ((exact-integer? x) 1)
        ((rational? x) (%denominator x))
        (else (%no-rational "denominator" x))))

(define (%no-rational name x)
  (error (string-append name ": expected a finite number, got") x))

(define (%denominator x)
  (let loop ((x x) (d 1.0))
    (if (integer? x) d (loop (* 2.0 x) (* 2.0 d)))))

;; The simplest number that differs from x by no more than y (R7RS, 6.2.6).
(define (rationalize x y)
  (let* ((d (abs y)) (low (- x d)) (high (+ x d)))
    (cond ((> low 0) (%simplest low high))
          ((< high 0) (- (%simplest (- high) (- low))))
          ((exact-integer? low) 0)
          ((nan? low) low)
          (else 0.0))))

;; The simplest between positive numbers, by Stern and Brocot's tree.
(define (%simplest low high)
  (let ((below (floor low)))
    (cond ((= below low) below)
          ((< below (floor high)) (+ below 1))
          (else (+ below (/ 1.0 (%simplest (/ 1.0 (- high below)) (/ 1.0 (- low below)))))))))

;; The number itself: all numbers are real.
(define (real-part z) (%real "real-part" z))

;; 0, as all numbers are real.
(define (imag-part z) (%real "imag-part" z) 0)

;; The absolute value of a number.
(define (magnitude z) (abs z))

;; 0, or pi for a negative number.
(define (angle z) (if (negative? z) 3.141592653589793 0))

(define (%real name z)
  (if (number? z) z (error (string-append name ": expected a number, got") z)))

;; x; y must be 0, as there are no complex numbers.
(define (make-rectangular x y)
  (if (eqv? y 0) (%real "make-rectangular" x) (error "there are no complex numbers, as of" x y)))

;; The magnitude; the angle must be 0, as there are no complex numbers.
(define (make-polar magnitude angle)
  (if (eqv? angle 0)
      (%real "make-polar" magnitude)
      (error "there are no complex numbers, as of" magnitude angle)))

;; Control

;; Calls the consumer with the values that the producer gives.
(define (call-with-values producer consumer)
  (apply consumer (values->list (producer))))

;; The winds that control is inside of, innermost first: pairs of the procedures that enter
;; and leave one.
(define %winds '())

;; What `thunk` gives; `before` and `after` are called whenever control enters and leaves it.
(define (dynamic-wind before thunk after)
  (before)
  (set! %winds (cons (cons before after) %winds))
  (call-with-values thunk
    (lambda results
      (set! %winds (cdr %winds))
      (after)
      (apply values results))))

;; What `call/cc` means in programs that use `dynamic-wind`.
(define (%call/cc/wind f)
  (let ((winds %winds))
    (call/cc
     (lambda (k)
       (f (lambda results
            (%rewind winds)
            (apply k results)))))))

(define (%rewind winds)
  (if (not (eq? winds %winds))
      (let ((common (%common-tail winds (length winds) %winds (length %winds))))
        (%wind-out common)
        (%wind-in winds common))))

(define (%common-tail a m b n)
  (cond ((eq? a b) a)
        ((> m n) (%common-tail (cdr a) (- m 1) b n))
        ((< m n) (%common-tail a m (cdr b) (- n 1)))
        (else (%common-tail (cdr a) (- m 1) (cdr b) (- n 1)))))

(define (%wind-out common)
  (if (not (eq? %winds common))
      (let ((leave (cdar %winds)))
        (set! %winds (cdr %winds))
        (leave)
        (%wind-out common))))

(define (%wind-in winds common)
  (if (not (eq? winds common))
      (begin
        (%wind-in (cdr winds) common)
        ((caar winds))
        (set! %winds winds))))

;; Parameters: a parameter called with the key gives its cell and its converter

(define %parameter-key (vector 'parameter))

;; A procedure that gives the value, converted if there is a converter; see `parameterize`.
(define (make-parameter value . converter)
  (let* ((convert (%optional "make-parameter" converter values))
         (cell (make-cell (convert value))))
    (lambda key
      (cond ((null? key) (cell-ref cell))
            ((eq? (car key) %parameter-key) (cons cell convert))
            (else (error "a parameter takes no arguments"))))))

;; `bindings` is a list of pairs of a parameter and a value.  The current ports are known by
;; their numbers.
(define (%parameterize bindings thunk)
  (let* ((parameters (%map (lambda (binding)
                             (if (number? (car binding))
                                 (cons (car binding) values)
                                 ((car binding) %parameter-key)))
                           bindings))
         (cells (%map car parameters))
         (others (%map-pairwise (lambda (parameter binding) ((cdr parameter) (cdr binding)))
                                parameters
                                bindings)))
    (define (swap!)
      (set! others
            (%map-pairwise (lambda (cell other)
                             (if (number? cell)
                                 (%swap-port! cell other)
                                 (let ((value (cell-ref cell)))
                                   (cell-set! cell other)
                                   value)))
                           cells
                           others)))
    (dynamic-wind swap! thunk swap!)))

;; Promises, as in R7RS section 7.3: the state is a pair of a flag and a value or procedure,
;; shared by the promises that a chain of delay-force makes

(define-record-type promise
  (%promise state)
  promise?
  (state %promise-state %promise-state-set!))

(define (%delay-force thunk) (%promise (cons #f thunk)))

(define (%make-promise x) (%promise (cons #t x)))

;; A promise that has its value; a promise is what it is.
(define (make-promise x) (if (promise? x) x (%make-promise x)))

;; The value of a promise, which is computed once; of something else, that itself.
(define (force x)
  (if (promise? x) (%force x) x))

(define (%force promise)
  (let ((state (%promise-state promise)))
    (if (car state)
        (cdr state)
        (let* ((next ((cdr state)))
               (state (%promise-state promise)))
          (if (not (car state))
              (let ((other (%promise-state next)))
                (set-car! state (car other))
                (set-cdr! state (cdr other))
                (%promise-state-set! next state)))
          (%force promise)))))

;; Ports

;; What f gives for the port, which is closed then.
(define (call-with-port port f)
  (call-with-values (lambda () (f port))
    (lambda results
      (close-port port)
      (apply values results))))

;; What f gives for a port that reads the file.
(define (call-with-input-file name f) (call-with-port (open-input-file name) f))

;; What f gives for a port that writes the file.
(define (call-with-output-file name f) (call-with-port (open-output-file name) f))

;; What f writes to the port that it is given.
(define (call-with-output-string f)
  (let ((port (open-output-string)))
    (f port)
    (get-output-string port)))

(define (%with-port number port thunk)
  (call-with-values
   (lambda () (%parameterize (list (cons number port)) thunk))
   (lambda results
     (close-port port)
     (apply values results))))

;; What `thunk` gives while the current input is the file.
(define (with-input-from-file name thunk) (%with-port 0 (open-input-file name) thunk))

;; What `thunk` gives while the current output is the file.
(define (with-output-to-file name thunk) (%with-port 1 (open-output-file name) thunk))

;; What `thunk` writes to the current output.
(define (with-output-to-string thunk)
  (let ((port (open-output-string)))
    (%parameterize (list (cons 1 port)) thunk)
    (get-output-string port)))

;; What `thunk` gives while the current input is the text.
(define (with-input-from-string text thunk)
  (%parameterize (list (cons 0 (open-input-string text))) thunk))

;; The process

;; End the program, after what `dynamic-wind` has to do; with #f or a number that is not 0, as
;; failed.
(define (exit . code)
  (%wind-out '())
  (apply emergency-exit code))

;; How many of the units of `current-jiffy` a second has.
(define (jiffies-per-second) 1000000000)

;; What the language has, as symbols: those of lang/features.py.
(define (features)
  '(r7rs exact-closed ieee-float full-unicode cogen))

;; What (inexact (/ a b)), (floor (/ a b)) and so on mean: there are no fractions between.
(define (%inexact-quotient a b)
  (if (%fraction? a b)
      (/ (inexact a) (inexact b))
      (let ((q (/ a b))) (inexact q))))

(define (%floor-quotient a b)
  (if (%fraction? a b) (floor-quotient a b) (let ((q (/ a b))) (floor q))))

(define (%ceiling-quotient a b)
  (cond ((not (%fraction? a b)) (let ((q (/ a b))) (ceiling q)))
        ((= 0 (remainder a b)) (quotient a b))
        (else (+ (floor-quotient a b) 1))))

(define (%truncate-quotient a b)
  (if (%fraction? a b) (quotient a b) (let ((q (/ a b))) (truncate q))))

;; To the nearest integer, of two to the even one: what is left is compared with what is missing.
(define (%round-quotient a b)
  (if (%fraction? a b)
      (let* ((q (floor-quotient a b))
             (left (floor-remainder a b)) ; both have the sign of b
             (missing (- b left)))
        (cond ((= left missing) (if (odd? q) (+ q 1) q))
              ((eq? (> b 0) (> left missing)) (+ q 1))
              (else q)))
      (let ((q (/ a b))) (round q))))

(define (%fraction? a b)
  (and (exact-integer? a) (exact-integer? b) (not (= b 0))))

;; Evaluation

;; What an expression, as a datum, means in an environment.
(define (eval expression . environment)
  ((%evaluated expression
               (if (null? environment)
                   (interaction-environment)
                   (%optional "eval" environment #f)))))

;; The names of R5RS, of which those that the language has are there.
(define (scheme-report-environment version) (environment '(scheme r5rs)))

;; The same as `scheme-report-environment`.
(define (null-environment version) (environment '(scheme r5rs)))

;; Evaluates what stands in a file.
(define (load name . environment)
  (let ((where (if (null? environment)
                   (interaction-environment)
                   (%optional "load" environment #f))))
    (call-with-input-file name
      (lambda (port)
        (let loop ((form (read port)))
          (if (not (eof-object? form))
              (begin
                (eval form where)
                (loop (read port)))))))))
