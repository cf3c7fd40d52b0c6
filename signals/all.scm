;;; The whole signal library.

(define-library (signals)
  (export make-signal make-constant-signal signal?
          signal-get signal-put! signal-next signal-end? signal-may-end?
          signal-buffer signal-from signal-to signal-skip signal-size signal-stride
          signal-kind signal-order
          signal-with-range signal-with-skip signal-with-kind signal-with-order
          signal-moved signal-begin signal-group?
          signal-constant? signal-float? signal-least signal-greatest signal-zero
          signal-clamper signal-length check-same-length
          packed-signal signed-signal float-signal big-endian-signal
          signal-channel signal-plane signal-reverse signal-align
          signal-take signal-drop signal-drop-last signal-shifted signal-loose-end signal-loose
          signal-ref signal-set! separately by-alignment
          signal-map! signal-fold
          signal-sum signal-min signal-max signal-peak signal-mean signal-energy signal-dot
          signal-histogram!
          signal-copy! signal-convert! signal-fill! signal-ramp!
          signal-gain! signal-offset! signal-adjust! signal-mix! signal-mix-all! signal-blend!
          signal-grey! signal-threshold!
          signal-fir! signal-fir-valid! signal-fir-decimate! decimated-length
          signal-delay! signal-echo! signal-box!
          signal-resample! resampled-length signal-wave!
          make-image image-row image-pitch image-next image-end? image-height image-rows
          for-each-row image-box! image-dither! image-diffuse! bayer-matrix
          base64-encode! base64-decode! base64-length
          rle-decode! rle-encode! rle-length
          escaped-fold escaped-sum escape-decode! escape-encode!
          delta-encode! delta-decode!
          sparse-scatter! sparse-gather! sparse-dot sparse-encode!
          fold-records
          signal-bits bits-left peek-bits skip-bits read-bits read-signed-bits
          read-unary read-exp-golomb read-signed-exp-golomb read-varint)
  (import (scheme base) (signals signal) (signals layouts) (signals access) (signals separate)
          (signals versions) (signals loops)
          (signals reduce) (signals pointwise) (signals filters) (signals resample)
          (signals synthesis) (signals images) (signals base64) (signals runs) (signals escapes)
          (signals deltas) (signals sparse) (signals records) (signals bits)))
