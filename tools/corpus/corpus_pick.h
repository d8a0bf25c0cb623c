/* Which records of a crawl become pages of a corpus: of each URL, the latest that says anything of its text. */
#pragma once

#include <crawl/base.h>
#include <jansson.h>

typedef struct cw_corpus_pick cw_corpus_pick;

/* use: the use that pages must allow, borrowed; NULL: any. NULL: out of memory. */
cw_corpus_pick *cw_corpus_pick_create(const char *use);
/* NULL is allowed. */
void cw_corpus_pick_free(cw_corpus_pick *pick);

/* Notes a record, in any order. *is_page: it has a text for the corpus, and no record so far replaces it; number, from
 * 1 on, then stands for it. CRAWL_ENOMEM. */
crawl_err cw_corpus_pick_note(cw_corpus_pick *pick, const json_t *row, uint64_t number, bool *is_page);

/* Returns true if no other record has replaced the page with this number. */
bool cw_corpus_pick_keeps(const cw_corpus_pick *pick, const json_t *row, uint64_t number);
