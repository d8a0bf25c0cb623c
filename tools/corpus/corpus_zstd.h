/* A file that is compressed by zstd as it is written. */
#pragma once

#include <stdio.h>

/* Makes a file whose bytes go compressed into below, which is closed with it, or at once where this fails. NULL: errno
 * says why; NULL for below too. */
FILE *cw_corpus_zstd_open(FILE *below);
