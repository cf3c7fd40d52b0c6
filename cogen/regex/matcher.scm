;;; Deterministic automata that read bytes: what is known of a regular expression is carried out,
;;; and loops over the text are left.
;;;
;;; After Rompf et al. (seed 002, "Optimizing data structures in high-level programs", section on
;;; regular expression matching): the states that specialization would make procedures are data
;;; here, so that one loop with one load a stride remains.
;;;
;;; A machine is a list: see `machine` in machine.py, which makes it; all of it is known.  Words are
;;; bytes (--word-size 8).  A text is what lies in a buffer between `from` and `to`.

(define (states m) (list-ref m 0))
(define (classes m) (list-ref m 1))
(define (steps m) (list-ref m 2))
(define (stride m) (list-ref m 3))
(define (class-count m) (list-ref m 4))
(define (strides m) (list-ref m 5))
(define (absorbing m) (list-ref m 6))
(define (matched m) (list-ref m 7))
(define (dead m) (list-ref m 8))
(define (starts m) (list-ref m 9))
(define (agains m) (list-ref m 10))
(define (lag m) (list-ref m 11))
(define (edge m) (list-ref m 12))
(define (last-line m) (list-ref m 13))
(define (filters m) (list-ref m 14))
(define (reach m) (list-ref m 15))
(define (block m) (list-ref m 16))
(define (step-size m) (list-ref m 17))
(define (noting m) (list-ref m 18))
(define (noting-stride m) (list-ref m 19))

(define (looks? m) (= (lag m) 1))

;; An entry of a table: one byte, or two where there are many states.
(define (entry m table x)
  (if (<= (states m) 256)
      (load-word table x)
      (+ (load-word table (* 2 x)) (* 256 (load-word table (+ (* 2 x) 1))))))

(define (after m class s)
  (entry m (steps m) (+ s (* (states m) class))))

(define (class-of m buf i)
  (load-word (classes m) (load-word buf i)))

;; The class of what is at i, which may be the text's edge, or the newline that it ends with.
(define (class-at m buf from i to)
  (if (and (<= from i) (< i to))
      (inner-class m buf i to)
      (edge m)))

(define (inner-class m buf i to)
  (if (last-line m)
      (let ((b (load-word buf i)))
        (if (and (= b 10) (= i (- to 1)))
            (last-line m)
            (load-word (classes m) b)))
      (class-of m buf i)))

;; The state to start in beside a place, of a list: a state, then classes and states of others.
(define (start-beside m states buf from i to)
  (if (null? (cdr states))
      (car states)
      (choose (cdr states) (class-at m buf from i to) (car states))))

(define (choose others class usual)
  (cond ((null? others) usual)
        ((= class (caar others)) (cadar others))
        (else (choose (cdr others) class usual))))

;;; Strides

;; Index i moved on by k bytes, forwards (`by` is 1) or backwards (-1).
(define (moved i by k)
  (if (= by 1) (+ i k) (- i k)))

;; The index of the byte that is read at place i; backwards, the one before it.
(define (byte-index i by)
  (if (= by 1) i (- i 1)))

;; The state after the next bytes, as many as a step has; the table is of that many at a time.
(define (step-over m table size count by buf i s)
  (let step ((k 0) (s s))
    (if (= k (step-size m))
        s
        (step (+ k size)
              (entry m table (+ s (* count (classes-of m size by buf (moved i by k)))))))))

(define (classes-of m size by buf i)
  (let collect ((k 0) (x 0))
    (if (= k size)
        x
        (collect (+ k 1)
                 (+ (* (class-count m) x)
                    (class-of m buf (byte-index (moved i by k) by)))))))

;;; Filters

;; 0 if a byte is in one of the ranges, else another byte.
(define (miss ranges b)
  (let ((first (miss-range (caar ranges) (cadar ranges) b)))
    (if (null? (cdr ranges))
        first
        (min first (miss (cdr ranges) b)))))

(define (miss-range low high b)
  (cond ((= low high) (bitwise-xor b low))
        ((= low 0) (- (max b high) high))
        ((= high 255) (- low (min b low)))
        (else (bitwise-ior (- (max b high) high) (- low (min b low))))))

;; 0 if the bytes from i on are in the windows.
(define (miss-windows windows buf i)
  (let ((first (miss (cdar windows) (load-word buf (+ i (caar windows))))))
    (if (null? (cdr windows))
        first
        (bitwise-ior first (miss-windows (cdr windows) buf i)))))

(define (passes? m filter buf i)
  (let ((windows (caddr filter)))
    (if (cadr filter)
        (let look ((j (lift 0)) (worst (lift 0)))
          (if (< j (block m))
              (look (+ j 1) (bitwise-ior worst (miss-windows windows buf (+ i j))))
              (lift (= worst 0))))
        (let look ((j (lift 0)) (best (lift 255)))
          (if (< j (block m))
              (look (+ j 1) (min best (miss-windows windows buf (+ i j))))
              (lift (not (= best 0))))))))

;; Is the block at i one that leaves the state as it is?  The answer is not known, so that what
;; follows is there once.
(define (passed? m filters buf i s)
  (cond ((null? filters) (lift #f))
        ((= s (caar filters)) (passes? m (car filters) buf i))
        (else (passed? m (cdr filters) buf i s))))

;;; Forwards

;; Go on in blocks and steps; (hit i s) with where a step began that led to an absorbing state and
;; the state there, else (rest i s) with what steps are too large for.
(define (scan m buf i s to hit rest)
  (let* ((kept (if (last-line m) 1 0))
         (near (- to (- (+ (step-size m) kept) 1)))
         (far (- to (- (+ (block m) (reach m) kept) 1))))
    (if (null? (filters m))
        (step-on m buf i s near hit rest)
        (let blocks ((i i) (s s))
          (if (< i far)
              (if (passed? m (filters m) buf i s)
                  (blocks (+ i (block m)) s)
                  (step-on m buf i s (min near (+ i (- (block m) (- (step-size m) 1)))) hit blocks))
              (step-on m buf i s near hit rest))))))

(define (step-on m buf i s end hit rest)
  (let on ((i i) (s s))
    (if (< i end)
        (let ((t (step-over m (strides m) (stride m) (states m) 1 buf i s)))
          (if (>= t (absorbing m))
              (hit i s t)
              (on (+ i (step-size m)) t)))
        (rest i s))))

;;; Does the whole text match?

(define (full-match m buf from to)
  (check buf from to)
  (scan m buf from (lift (start-beside m (starts m) buf from (- from 1) to)) to
        (lambda (i s t) (< t (dead m)))
        (lambda (i s)
          (let on ((i i) (s s))
            (if (< i to)
                (on (+ i 1) (after m (inner-class m buf i to) s))
                (if (looks? m)
                    (match-state? m (after m (edge m) s))
                    (match-state? m s)))))))

(define (match-state? m s)
  (and (>= s (matched m)) (< s (dead m))))

(define (check buf from to)
  (if (not (and (<= 0 from) (<= from to) (<= to (buffer-words buf))))
      (error "the text does not lie in the buffer" from to)))

;;; Where is the first match?

;; Where the first match ends that starts at `i` or later, or -1; `s` is the state to start in.
(define (find-end m buf from i to s)
  (scan m buf i s to
        (lambda (i s t) (longest m 1 buf from i to s to (lift -1)))
        (lambda (i s) (longest m 1 buf from i to s to (lift -1)))))

;; Where the longest match starts that ends at `end`, but not before `pos`; m reads backwards.
(define (find-start m buf from pos end to)
  (longest m -1 buf from end to (lift (start-beside m (starts m) buf from end to)) pos (lift end)))

;; Read from i on until nothing can match any more, or up to `bound`: where the last match was, or
;; `found`.  At first byte by byte, for most matches are short.
(define (longest m by buf from i to s bound found)
  (let on ((i i) (s s) (found found) (pause (moved i by warm)))
    (if (= s (dead m))
        found
        (let ((found (if (match-state? m s) (moved i by (- (lag m))) found)))
          (cond ((not (if (= by 1) (< i bound) (< bound i)))
                 (if (and (looks? m)
                          (match-state? m (after m (class-at m buf from (byte-index i by) to) s)))
                     bound
                     found))
                ((= i pause)
                 (by-blocks m by buf i to s bound found on))
                (else
                 (on (moved i by 1)
                     (after m (inner-class m buf (byte-index i by) to) s)
                     found pause)))))))

(define warm 32)

;; The same in steps: of each is known whether there was a match in it, and where the last such
;; step began, which is gone through once more in the end.
(define (by-blocks m by buf i to s bound found on)
  (let ((near (if (= by 1)
                  (- to (- (+ (step-size m) (if (last-line m) 1 0)) 1))
                  (+ bound (- (step-size m) 1)))))
    (let go ((i i) (s s) (kept (lift -1)) (state (lift 0)))
      (if (if (= by 1) (< i near) (and (< near i) (<= i to)))
          (let* ((t (step-over m (noting m) (noting-stride m) (* 2 (states m)) by buf i s))
                 (matched? (>= t (states m)))
                 (u (if matched? (- t (states m)) t)))
            (if (= u (dead m))
                (on i s (last-in-step m by buf kept state found) (lift -1))
                (go (moved i by (step-size m)) u
                    (if matched? i kept) (if matched? s state))))
          (on i s (last-in-step m by buf kept state found) (lift -1))))))

(define (last-in-step m by buf i s found)
  (if (< i 0)
      found
      (let on ((k (lift 0)) (i i) (s s) (found found))
        (if (< k (step-size m))
            (let ((s (after m (class-of m buf (byte-index i by)) s))
                  (i (moved i by 1)))
              (on (+ k 1) i s (if (match-state? m s) (moved i by (- (lag m))) found)))
            found))))

;;; All matches

;; Write where matches start and end, as 64-bit ints, to `out`, as many as it takes; the number of
;; them.  The search goes on at `pos`, where a match must not be empty if `again`.
(define (find-all m back may-be-empty? buf from pos to again out)
  (check buf from to)
  (check buf pos to)
  (let ((full (- (buffer-words out) 15)))
    (let next ((pos pos) (again again) (p (lift 0)))
      (if (< p full)
          (let* ((start (begin-at m may-be-empty? buf from pos to again))
                 (end (find-end m buf from pos to start)))
            (if (< end 0)
                (quotient p 16)
                (let ((start (find-start back buf from pos end to)))
                  (put! out p start)
                  (put! out (+ p 8) end)
                  (next end (and may-be-empty? (= start end)) (+ p 16)))))
          (quotient p 16)))))

;; The first match from `pos` on, as 2^31 times its start plus its length, or -1; of a text that is
;; shorter than that.
(define (find-first m back buf from pos to)
  (check buf from to)
  (check buf pos to)
  (let ((end (find-end m buf from pos to (lift (start-beside m (starts m) buf from (- pos 1) to)))))
    (if (< end 0)
        -1
        (let ((start (find-start back buf from pos end to)))
          (+ (arithmetic-shift start 31) (- end start))))))

;; How many matches there are.
(define (count-all m back may-be-empty? buf from to)
  (check buf from to)
  (let next ((pos from) (again (if may-be-empty? (lift #f) #f)) (n (lift 0)))
    (let* ((start (begin-at m may-be-empty? buf from pos to again))
           (end (find-end m buf from pos to start)))
      (if (< end 0)
          n
          (next end
                (and may-be-empty? (= end (find-start back buf from pos end to)))
                (+ n 1))))))

(define (begin-at m may-be-empty? buf from pos to again)
  (let ((first (start-beside m (starts m) buf from (- pos 1) to)))
    (lift (if (and may-be-empty? again) (start-beside m (agains m) buf from (- pos 1) to) first))))

(define (put! out p x)
  (let byte ((k 0))
    (if (< k 8)
        (begin
          (store-word! out (+ p k) (bitwise-and (arithmetic-shift x (* -8 k)) 255))
          (byte (+ k 1))))))

;; Does it match anywhere?
(define (contains? m buf from to)
  (check buf from to)
  (scan m buf from (lift (start-beside m (starts m) buf from (- from 1) to)) to
        (lambda (i s t) #t)
        (lambda (i s)
          (let on ((i i) (s s))
            (cond ((>= s (absorbing m)) (< s (dead m)))
                  ((< i to) (on (+ i 1) (after m (inner-class m buf i to) s)))
                  ((looks? m) (match-state? m (after m (edge m) s)))
                  (else #f))))))

;;; Strings that lie one after the other, as Arrow has them: `offsets` are 32-bit words, or 64-bit
;;; ones (`wide?`), and text k lies between the offsets `first` + k and `first` + k + 1.

(define (offset wide? offsets k)
  (let collect ((j (if wide? 7 3)) (x 0))
    (if (< j 0)
        x
        (collect (- j 1)
                 (+ (* 256 x) (load-word offsets (+ (* (if wide? 8 4) k) j)))))))

;; Write to `out`, a byte for each text, whether it matches as a whole.
(define (full-match-each m wide? buf offsets first out)
  (let each ((k (lift 0)))
    (if (< k (buffer-words out))
        (let ((from (offset wide? offsets (+ first k)))
              (to (offset wide? offsets (+ first k 1))))
          (store-word! out k (if (full-match m buf from to) (lift 1) (lift 0)))
          (each (+ k 1))))))

;; Write to `out`, a byte for each text, whether it matches anywhere.
(define (contains-each m wide? buf offsets first out)
  (let each ((k (lift 0)))
    (if (< k (buffer-words out))
        (let ((from (offset wide? offsets (+ first k)))
              (to (offset wide? offsets (+ first k 1))))
          (store-word! out k (if (contains? m buf from to) (lift 1) (lift 0)))
          (each (+ k 1))))))

;; Write to `out`, as 64-bit ints, how many matches each text has.
(define (count-each m back may-be-empty? wide? buf offsets first out)
  (let each ((k (lift 0)) (p (lift 0)))
    (if (< p (buffer-words out))
        (let ((from (offset wide? offsets (+ first k)))
              (to (offset wide? offsets (+ first k 1))))
          (put! out p (count-all m back may-be-empty? buf from to))
          (each (+ k 1) (+ p 8))))))
