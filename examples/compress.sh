#!/bin/sh
# Any command that prints one line of JSON can be tuned: here the settings of a compressor, by size and time.
#
# usage: autotune tune --command 'sh examples/compress.sh {level} README.md' --space examples/compress.yaml --max-trials 9
set -e
bytes=$(gzip "-$1" --stdout "$2" | wc -c)
echo "{\"bytes\": $bytes}"
