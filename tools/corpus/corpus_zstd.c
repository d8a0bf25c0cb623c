#include "tools/corpus/corpus_zstd.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <zstd.h>

typedef struct corpus_zstd {
    ZSTD_CStream *stream;
    FILE *below;
    char out[64 << 10];
} corpus_zstd;

/* Returns false on failure; errno says why. */
static bool corpus_zstd_put(corpus_zstd *zstd, const char *bytes, size_t size, ZSTD_EndDirective how)
{
    size_t left;
    ZSTD_inBuffer in = {bytes, size, 0};
    do {
        ZSTD_outBuffer out = {zstd->out, sizeof zstd->out, 0};
        left = ZSTD_compressStream2(zstd->stream, &out, &in, how);
        if (ZSTD_isError(left)) {
            errno = ENOMEM; /* the only possible error */
            return false;
        }
        if (fwrite(zstd->out, 1, out.pos, zstd->below) != out.pos)
            return false;
    } while (in.pos < in.size || (how == ZSTD_e_end && left));
    return true;
}

static ssize_t corpus_zstd_write(void *cookie, const char *bytes, size_t size)
{
    return corpus_zstd_put(cookie, bytes, size, ZSTD_e_continue) ? (ssize_t)size : 0;
}

static int corpus_zstd_close(void *cookie)
{
    corpus_zstd *zstd = cookie;
    bool is_whole = corpus_zstd_put(zstd, NULL, 0, ZSTD_e_end);
    int why = errno;
    if (fclose(zstd->below) && is_whole) {
        is_whole = false;
        why = errno;
    }
    ZSTD_freeCStream(zstd->stream);
    free(zstd);
    errno = why;
    return is_whole ? 0 : EOF;
}

FILE *cw_corpus_zstd_open(FILE *below)
{
    static const cookie_io_functions_t calls = {.write = corpus_zstd_write, .close = corpus_zstd_close};
    if (!below)
        return NULL;
    corpus_zstd *zstd = calloc(1, sizeof *zstd);
    ZSTD_CStream *stream = ZSTD_createCStream();
    FILE *file = zstd && stream ? fopencookie(zstd, "w", calls) : NULL;
    if (!file) {
        fclose(below);
        ZSTD_freeCStream(stream);
        free(zstd);
        errno = ENOMEM;
        return NULL;
    }
    ZSTD_CCtx_setParameter(stream, ZSTD_c_checksumFlag, 1);
    zstd->stream = stream;
    zstd->below = below;
    return file;
}
