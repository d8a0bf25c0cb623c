/* The search engines, and how each takes documents and gives answers. */
#pragma once

#include "tools/index/index_http.h"

typedef enum cw_index_fate {
    CW_INDEX_OPEN,   /* to be sent, or to be sent again */
    CW_INDEX_KEPT,   /* the engine has it, or a later version */
    CW_INDEX_REFUSED /* it never takes it */
} cw_index_fate;

typedef struct cw_index_item {
    uint64_t number; /* of its line */
    int64_t version;
    bool is_delete;
    cw_index_fate fate;
    char reason[200];   /* of a refusal */
    char *line;         /* owned; what follows is borrowed from it */
    crawl_slice id;     /* letters, digits, "-" and "_" */
    crawl_slice record; /* an object with a member at least */
} cw_index_item;

typedef enum cw_index_outcome {
    CW_INDEX_JUDGED, /* each item has its fate */
    CW_INDEX_AGAIN,  /* nothing is known: the same again, after a while */
    CW_INDEX_HALVE,  /* they are too many, or one of them is bad */
    CW_INDEX_FAILED  /* the engine, or how it is asked, must be mended; no item has a fate */
} cw_index_outcome;

typedef struct cw_index_target {
    const struct cw_index_engine *engine;
    cw_index_http *http;
    const char *index; /* its name: of letters, digits, "-", "_" and "." */
    crawl_buf body;
    uint64_t deleted; /* documents that were there, as far as the engine says */
    int64_t retry_ms; /* after AGAIN, as cw_index_answer has it */
    char words[300];  /* of what is not JUDGED */
} cw_index_target;

typedef struct cw_index_engine {
    const char *name;
    const char *key_header; /* printf's format for the header with the key */
    const char *count_path; /* printf's format for the path, with the index, that tells how many documents there are, */
    const char *count_name; /* in this member of its answer */
    cw_index_outcome (*send)(cw_index_target *target, cw_index_item **items, size_t count);
    /* Counts the documents whose crawl_version is less than before; old NULL: deletes all or some of them, as
     * target->deleted tells. */
    cw_index_outcome (*purge)(cw_index_target *target, int64_t before, int64_t *old);
} cw_index_engine;

/* For engines: what an answer as a whole means that has no news of items; JUDGED: it is 2xx. */
cw_index_outcome cw_index_judge_answer(cw_index_target *target, const cw_index_answer *answer);
/* The same, and the whole number that the answer has by this name; where it has none, FAILED, and *out stays. */
cw_index_outcome cw_index_answer_number(cw_index_target *target, const cw_index_answer *answer, const char *name,
                                        int64_t *out);
/* FAILED, with words for it. */
cw_index_outcome cw_index_no_memory(cw_index_target *target);
void cw_index_refuse(cw_index_item *item, const char *reason);
/* Appends the document of an item as a line: its record, with members "id" and "crawl_version" before the others. */
crawl_err cw_index_put_document(const cw_index_item *item, crawl_buf *out);

extern const cw_index_engine cw_index_elasticsearch, cw_index_opensearch, cw_index_meilisearch, cw_index_typesense;
