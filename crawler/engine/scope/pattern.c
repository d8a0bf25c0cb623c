#include "crawler/engine/scope/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

enum {
    /* The most steps of a match. Measured: usual patterns for URLs take at most 1,000 steps on a URL of 8,000 bytes, or
     * 10,000 without JIT. This limit is reached within 30 to 50 us, or 200 us without JIT; PCRE2's own limit of 10
     * million within 40 ms. */
    MATCH_LIMIT = 10000,
    /* The stack of JIT. It may grow: PCRE2's default of 32 KiB is too small for groups that repeat along a long URL. */
    STACK_BYTES = 32 * 1024,
    MAX_STACK_BYTES = 1024 * 1024
};

/* A cw_scope_pattern is PCRE2's compiled code under another name. */
static const pcre2_code *code_of(const cw_scope_pattern *pattern)
{
    return (const pcre2_code *)pattern;
}

crawl_err cw_scope_pattern_compile(const char *kind, const char *text, cw_scope_pattern **out, crawl_error *error)
{
    int why;
    PCRE2_SIZE at;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, 0, &why, &at, NULL);
    if (!code) {
        char words[160];
        pcre2_get_error_message(why, (PCRE2_UCHAR *)words, sizeof words);
        return crawl_error_set(error, CRAWL_EPARSE, "%s \"%s\": at character %zu: %s", kind, text, (size_t)at + 1,
                               words);
    }
    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE); /* without it the interpreter gives the same matches */
    *out = (cw_scope_pattern *)code;
    return CRAWL_OK;
}

void cw_scope_pattern_free(cw_scope_pattern *pattern)
{
    pcre2_code_free((pcre2_code *)pattern);
}

struct cw_scope_matcher {
    pcre2_match_data *match;
    pcre2_match_context *context;
    pcre2_jit_stack *stack;
};

cw_scope_matcher *cw_scope_matcher_create(void)
{
    cw_scope_matcher *matcher = calloc(1, sizeof *matcher);
    if (!matcher)
        return NULL;
    matcher->match = pcre2_match_data_create(1, NULL);
    matcher->context = pcre2_match_context_create(NULL);
    matcher->stack = pcre2_jit_stack_create(STACK_BYTES, MAX_STACK_BYTES, NULL);
    if (!matcher->match || !matcher->context || !matcher->stack) {
        cw_scope_matcher_free(matcher);
        return NULL;
    }
    pcre2_jit_stack_assign(matcher->context, NULL, matcher->stack);
    pcre2_set_match_limit(matcher->context, MATCH_LIMIT);
    return matcher;
}

void cw_scope_matcher_free(cw_scope_matcher *matcher)
{
    if (!matcher)
        return;
    pcre2_match_data_free(matcher->match);
    pcre2_match_context_free(matcher->context);
    pcre2_jit_stack_free(matcher->stack);
    free(matcher);
}

cw_scope_match cw_scope_pattern_match(const cw_scope_pattern *pattern, cw_scope_matcher *matcher, crawl_slice text)
{
    int found = pcre2_match(code_of(pattern), (PCRE2_SPTR)text.data, text.size, 0, 0, matcher->match, matcher->context);
    if (found == PCRE2_ERROR_NOMATCH)
        return CW_SCOPE_MATCH_NONE;
    return found >= 0 ? CW_SCOPE_MATCH_FOUND : CW_SCOPE_MATCH_STOPPED;
}
