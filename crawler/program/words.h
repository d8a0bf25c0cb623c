/* Text that is put together piece by piece. The first piece for which there is no memory is remembered in err, and all
 * behind it are left out, so that one look at the end tells whether the text is whole. */
#ifndef CW_WORDS_H
#define CW_WORDS_H

#include <crawl/base.h>

/* `{0}` is an empty one. */
typedef struct cw_words {
    crawl_buf text;
    crawl_err err; /* CRAWL_OK; CRAWL_ENOMEM; or what whoever adds to it has set */
} cw_words;

void cw_words_add(cw_words *words, const char *format, ...) CRAWL_PRINTF(2, 3);
void cw_words_bytes(cw_words *words, crawl_slice bytes);

/* An empty text again, which keeps its memory; and none, which has given it back. */
void cw_words_clear(cw_words *words);
void cw_words_free(cw_words *words);

#endif
