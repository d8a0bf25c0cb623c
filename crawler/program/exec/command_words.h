/* A command as a person writes it, in words. No shell takes part: blanks separate words, quotes keep them together, and
 * nothing else means anything. */
#ifndef CW_EXEC_WORDS_H
#define CW_EXEC_WORDS_H

#include <crawl/base.h>

typedef struct cw_exec_words {
    char **argv; /* ends in NULL */
    char *bytes; /* of them */
} cw_exec_words;

/* '...' is taken as it stands; in "..." and outside, a backslash makes the next character one of the word.
 * CRAWL_EINVAL: there is no word, or a quote has no end; error says so. CRAWL_ENOMEM. To be freed by
 * cw_exec_words_free. */
crawl_err cw_exec_words_split(const char *command, cw_exec_words *out, crawl_error *error);
void cw_exec_words_free(cw_exec_words *words);

#endif
