#include "crawler/program/exec/command_words.h"

#include "base/bytes.h"
#include "base/error.h"

#include <stdlib.h>

/* Copies the word that begins at *at to `to`, and goes behind it. NULL: a quote has no end. */
static char *words_take(const char **at, char *to)
{
    char quote = '\0';
    const char *from = *at;
    for (; *from && (quote || !cw_is_space((unsigned char)*from)); from++) {
        bool opens = !quote && (*from == '\'' || *from == '"');
        if (opens || *from == quote)
            quote = opens ? *from : '\0';
        else
            *to++ = *from == '\\' && quote != '\'' && from[1] ? *++from : *from;
    }
    *at = from;
    *to++ = '\0';
    return quote ? NULL : to;
}

crawl_err cw_exec_words_split(const char *command, cw_exec_words *out, crawl_error *error)
{
    size_t size = strlen(command), count = 0;
    *out = (cw_exec_words){.argv = malloc((size / 2 + 2) * sizeof *out->argv), .bytes = malloc(size + 1)};
    char *to = out->bytes;
    if (!out->argv || !to) {
        cw_exec_words_free(out);
        return cw_error(error, CRAWL_ENOMEM);
    }
    for (const char *at = command; to;) {
        while (cw_is_space((unsigned char)*at))
            at++;
        if (!*at)
            break;
        out->argv[count++] = to;
        to = words_take(&at, to);
    }
    out->argv[count] = NULL;
    if (to && count)
        return CRAWL_OK;
    cw_exec_words_free(out);
    return crawl_error_set(error, CRAWL_EINVAL,
                           to ? "exec: names no command" : "exec: a quote in the command has no end");
}

void cw_exec_words_free(cw_exec_words *words)
{
    free(words->argv);
    free(words->bytes);
    *words = (cw_exec_words){0};
}
