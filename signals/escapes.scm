;;; Escape-coded streams: small values in one sample, greater ones in two (seed 004, `read_esc`).
;;;
;;; With samples of n bits, a sample whose highest bit is 0 is a value by itself; the other bits of
;;; one whose highest bit is 1 (a lead) are the high bits of a value, the sample after it the low
;;; ones.  Values are less than 2^(2n-1), with bytes 32768.
;;;
;;; Where a value begins depends on all values before, so loops over them have no regular
;;; alignment: `escaped-fold` calls itself by `dcall` for that.  Where the samples are whole parts
;;; of words, the sum works on a word at a time without any conditional, and decoding tests several
;;; words at once for the common case of no lead.

(define-library (signals escapes)
  (export escaped-fold escaped-sum escape-decode! escape-encode!)
  (import (scheme base) (signals signal) (signals layouts) (signals loops))
  (begin

    (define cut-off "the last value is cut off")

    ;; (f ... (f (f state x0) x1) ...) over the values of `s`.
    (define (escaped-fold f state s)
      (let ((escape (lead-bit s)))
        (let fold ((s s) (state (lift state)))
          (if (signal-end? s)
              state
              (let ((x (signal-get s)))
                (if (< x escape)
                    (fold (signal-next s) (f state x))
                    (dcall fold (second-next "escaped-fold" s)
                           (f state (escaped-value s x)))))))))

    (define (lead-bit s)
      (arithmetic-shift 1 (- (signal-size s) 1)))

    ;; The value of the lead `x`, the current sample of `s`, and the next sample.
    (define (escaped-value s x)
      (bitwise-ior (arithmetic-shift (bitwise-and x (- (lead-bit s) 1)) (signal-size s))
                   (signal-get (signal-next s))))

    (define (second-next who s)
      (let ((s (signal-next s)))
        (check who (not (signal-end? s)) cut-off)
        (signal-next s)))

    ;; The sum of the values of `s`, whose samples are unsigned.
    (define (escaped-sum s)
      (if (word-wise? s)
          (sum-of-words s)
          (escaped-fold + 0 s)))

    ;; Do words hold whole samples, at least two each, without gaps, in an order that plays no role?
    (define (word-wise? s)
      (let ((size (signal-size s))
            (w (word-size)))
        (and (= size (signal-stride s))
             (= (remainder w size) 0)
             (< size w)
             (even? size)
             (= (floor-remainder (+ (signal-from s) (signal-skip s)) size) 0)
             (or (= size 8) (eq? (signal-order s) 'little)))))

    ;; Samples up to the first whole word, whole words, and what is left.  `led` is 1 if the next
    ;; sample belongs to the lead before it.
    (define (sum-of-words s)
      (let ((lanes (make-lanes (signal-size s) (word-size)))
            (end (whole-words-end s)))
        (let samples ((s s) (led (lift 0)) (total (lift 0)))
          (cond ((signal-end? s)
                 (check "escaped-sum" (= led 0) cut-off)
                 total)
                ((and (at-word? s) (< (signal-address s) end))
                 (let next ((words (packed-signal (signal-buffer s) (signal-address s) end
                                                   (word-size)))
                             (led led) (total total))
                   (if (signal-end? words)
                       (samples (signal-with-range s (- end (signal-skip s)) (signal-to s)
                                                   (signal-stride s))
                                led total)
                       (let* ((word (signal-get words))
                              (leads (find-leads lanes (high-bits lanes word) led)))
                         (next (signal-next words) (last-lane lanes leads)
                                (+ total (sum-of-values lanes word leads)))))))
                (else
                 (let* ((x (signal-get s))
                        (size (signal-size s))
                        (lead (bitwise-and (arithmetic-shift x (- 1 size)) (- 1 led)))
                        (bits (- x (arithmetic-shift lead (- size 1)))))
                   (samples (signal-next s) lead
                            (+ total (arithmetic-shift bits (* size lead))))))))))

    (define (signal-address s)
      (+ (signal-from s) (signal-skip s)))

    ;; Is the current sample the first of a word?
    (define (at-word? s)
      (= (floor-remainder (signal-address s) (word-size)) 0))

    ;; The address at which the last word ends that lies before the end of `s`.
    (define (whole-words-end s)
      (let ((w (word-size)))
        (set-base (* w (floor-quotient (+ (signal-to s) (signal-skip s)) w)) w)))

    ;; Lanes: a word as parts of `size` bits.  ones has the lowest bit of each lane, odd that of
    ;; each second one, pairs all bits of each second lane, counting from 0.
    (define-record-type lanes
      (make-all-lanes size width ones odd pairs whole)
      lanes?
      (size lanes-size)
      (width lanes-width)
      (ones lanes-ones)
      (odd lanes-odd)
      (pairs lanes-pairs)
      (whole lanes-whole))

    (define (make-lanes size width)
      (let ((whole (word-shift-right -1 (- 64 width))))
        (make-all-lanes size width
                        (bitwise-and whole (repeated 1 size))
                        (bitwise-and whole (repeated (word-shift-left 1 size) (* 2 size)))
                        (bitwise-and whole (repeated (- (word-shift-left 1 size) 1) (* 2 size)))
                        whole)))

    ;; The pattern repeated each `step` bits.
    (define (repeated pattern step)
      (let repeat ((at step) (bits pattern))
        (if (< at 64)
            (repeat (+ at step) (bitwise-ior bits (word-shift-left pattern at)))
            bits)))

    ;; The highest bit of each lane of a word, as the lowest one.
    (define (high-bits lanes word)
      (bitwise-and (word-shift-right word (- (lanes-size lanes) 1)) (lanes-ones lanes)))

    ;; The lanes that are leads, by their lowest bits: in each row of lanes with high bits every
    ;; other one from its first on, or from its second if `led` says that a lead goes before it.
    ;; The subtraction carries along each row of lanes, as in Lemire and Langdale's search for
    ;; escaped characters, there with one bit for each.
    (define (find-leads lanes high led)
      (let* ((odd (lanes-odd lanes))
             (possible (bitwise-and high (bitwise-not led)))
             (after (word-shift-left possible (lanes-size lanes)))
             (codes (word-sub (bitwise-ior after odd) possible)))
        (bitwise-and (bitwise-xor codes odd) high)))

    (define (last-lane lanes leads)
      (bitwise-and (word-shift-right leads (- (lanes-width lanes) (lanes-size lanes))) 1))

    ;; What the lanes of a word add to the sum: leads without their highest bits count 2^size times.
    (define (sum-of-values lanes word leads)
      (let* ((size (lanes-size lanes))
             (all (word-sub (word-shift-left leads size) leads))
             (low (bitwise-and word (bitwise-not all)))
             (high (bitwise-and word (word-sub all (word-shift-left leads (- size 1))))))
        (sum-of-lanes (word-add (pair-sums lanes low)
                                (word-shift-left (pair-sums lanes high) size))
                      (* 2 size) (lanes-width lanes))))

    (define (pair-sums lanes x)
      (let ((pairs (lanes-pairs lanes)))
        (word-add (bitwise-and x pairs)
                  (bitwise-and (word-shift-right x (lanes-size lanes)) pairs))))

    ;; The sum of the lanes of `size` bits of a word.
    (define (sum-of-lanes x size width)
      (if (>= size width)
          (bitwise-and x (word-shift-right -1 (- 64 width)))
          (let ((mask (repeated-below (- (word-shift-left 1 size) 1) (* 2 size) width)))
            (sum-of-lanes (word-add (bitwise-and x mask)
                                    (bitwise-and (word-shift-right x size) mask))
                          (* 2 size) width))))

    (define (repeated-below pattern step width)
      (bitwise-and (repeated pattern step) (word-shift-right -1 (- 64 width))))

    ;; How many samples are tested at once.
    (define at-once 8)

    ;; Put the values of `s` at the beginning of `out`; the value is their number.
    (define (escape-decode! s out)
      (let ((escape (lead-bit s))
            (start (signal-from out)))
        (let decode ((s s) (out out))
          (cond ((signal-end? s)
                 (quotient (- (signal-from out) start) (signal-stride out)))
                ((and (word-wise? s)
                      (at-word? s)
                      (room? s at-once)
                      (room? out at-once)
                      (no-leads? s))
                 (put-plain! s out at-once)
                 (dcall decode (signal-drop s at-once) (signal-drop out at-once)))
                (else
                 (check "escape-decode!" (not (signal-end? out)) "the output is too short")
                 (let ((x (signal-get s)))
                   (if (< x escape)
                       (begin
                         (signal-put! out x)
                         (dcall decode (signal-next s) (signal-next out)))
                       (let ((rest (second-next "escape-decode!" s)))
                         (signal-put! out (escaped-value s x))
                         (dcall decode rest (signal-next out))))))))))

    ;; Are there `n` samples more?
    (define (room? s n)
      (<= (signal-from (signal-drop s n)) (signal-to s)))

    ;; Is none of the next samples a lead?  They are whole words.
    (define (no-leads? s)
      (let* ((size (signal-size s))
             (w (word-size))
             (leads (word-shift-left (lanes-ones (make-lanes size w)) (- size 1))))
        (let test ((words (packed-signal (signal-buffer s) (signal-address s) 0 w))
                   (left (quotient (* at-once size) w))
                   (bits 0))
          (if (> left 0)
              (test (signal-next words) (- left 1) (bitwise-ior bits (signal-get words)))
              (= 0 (bitwise-and bits leads))))))

    (define (put-plain! s out n)
      (if (> n 0)
          (begin
            (signal-put! out (signal-get s))
            (put-plain! (signal-next s) (signal-next out) (- n 1)))))

    ;; Put the values of `in` at the beginning of `out`, each in one or two samples; the value is
    ;; the number of samples.
    (define (escape-encode! in out)
      (let* ((size (signal-size out))
             (escape (lead-bit out))
             (limit (arithmetic-shift escape size))
             (start (signal-from out)))
        (let encode ((in in) (out out))
          (if (signal-end? in)
              (quotient (- (signal-from out) start) (signal-stride out))
              (let ((x (signal-get in)))
                (check "escape-encode!" (and (<= 0 x) (< x limit)) "a value is out of range")
                (check "escape-encode!" (not (signal-end? out)) "the output is too short")
                (if (< x escape)
                    (begin
                      (signal-put! out x)
                      (dcall encode (signal-next in) (signal-next out)))
                    (let ((rest (second-next "escape-encode!" out)))
                      (signal-put! out (bitwise-ior escape (arithmetic-shift x (- size))))
                      (signal-put! (signal-next out) x)
                      (dcall encode (signal-next in) rest))))))))))
