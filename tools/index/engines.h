/* The search engines, and how they take documents and answer. */
#pragma once

#include "tools/index/index_http.h"

#define CW_INDEX_ITEMS_MAX 500u /* in a batch */

typedef enum cw_index_fate {
    CW_INDEX_OPEN,   /* to be sent, perhaps again */
    CW_INDEX_KEPT,   /* the engine has it, or a later version */
    CW_INDEX_REFUSED /* it will never take it */
} cw_index_fate;

typedef struct cw_index_item {
    uint64_t number; /* of its line */
    int64_t version;
    bool is_delete;
    cw_index_fate fate;
    char reason[200];   /* of a refusal */
    char *line;         /* owned; the rest borrows from it */
    crawl_slice id;     /* letters, digits, "-" and "_" */
    crawl_slice record; /* an object with at least one member */
} cw_index_item;

typedef enum cw_index_outcome {
    CW_INDEX_JUDGED, /* each item has its fate */
    CW_INDEX_AGAIN,  /* nothing is known: retry the same later */
    CW_INDEX_HALVE,  /* too many, or one of them is bad */
    CW_INDEX_FAILED  /* the engine, or its settings, must be corrected; no item has a fate */
} cw_index_outcome;

typedef struct cw_index_target {
    const struct cw_index_engine *engine;
    cw_index_http *http;
    const char *index; /* name: letters, digits, "-", "_" and "." */
    crawl_buf body;
    uint64_t deleted; /* documents that existed, as far as the engine says */
    int64_t retry_ms; /* after AGAIN, as in cw_index_answer */
    char task[60];    /* path of a task that has the items and is not known to have ended; empty: none */
    char words[300];  /* for anything but JUDGED */
} cw_index_target;

typedef struct cw_index_engine {
    const char *name;
    const char *key_header; /* printf format of the header with the key */
    const char *count_path; /* printf format, with the index, of the path that returns the number of documents */
    const char *count_name; /* member of its answer */
    size_t deletes_max;     /* in a batch; fewer if each is a request, as the crawl waits for acknowledgements */
    cw_index_outcome (*send)(cw_index_target *target, cw_index_item **items, size_t count);
    /* Counts the documents whose crawl_version is less than before. old NULL: deletes all or some of them, as
     * target->deleted shows. */
    cw_index_outcome (*purge)(cw_index_target *target, int64_t before, int64_t *old);
} cw_index_engine;

/* For engines: judges an answer as a whole, without its items. JUDGED: it is 2xx. */
cw_index_outcome cw_index_judge_answer(cw_index_target *target, const cw_index_answer *answer);
/* Does the same, and gets the whole number of this name from the answer. Without one, returns FAILED, and leaves
 * *out. */
cw_index_outcome cw_index_answer_number(cw_index_target *target, const cw_index_answer *answer, const char *name,
                                        int64_t *out);
/* Returns FAILED, with words for it. */
cw_index_outcome cw_index_no_memory(cw_index_target *target);
void cw_index_refuse(cw_index_item *item, const char *reason);
/* Appends the document of an item as a line: its record, with "id" and "crawl_version" before the other members. */
crawl_err cw_index_put_document(const cw_index_item *item, crawl_buf *out);

extern const cw_index_engine cw_index_elasticsearch, cw_index_opensearch, cw_index_meilisearch, cw_index_typesense;
