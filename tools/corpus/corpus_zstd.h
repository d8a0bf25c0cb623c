/* A file that is compressed by zstd while it is written. */
#pragma once

#include <stdio.h>

/* Makes a file whose bytes go compressed into below, which is closed with it, or at once on failure. NULL: errno says
 * why; NULL if below is NULL too. */
FILE *cw_corpus_zstd_open(FILE *below);
