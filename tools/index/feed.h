/* Sends items to an engine until each has its fate, and reports it to the crawl on standard output. Only one request is
 * under way at a time, so that none overtakes another. */
#pragma once

#include "tools/index/engines.h"

#include <stdio.h>

typedef struct cw_index_feed {
    cw_index_target target;
    const char *refused_path; /* path of the file of permanently refused documents */
    FILE *refused;            /* NULL: none so far */
    unsigned max_deletes;     /* percent of the documents that the index had and received */
    int64_t had;              /* documents; -1: not yet asked */
    uint64_t written;
} cw_index_feed;

/* Frees each item when it gets its fate, and puts NULL in its place; all have one when this returns. Returns false if
 * the engine or the file must be corrected, as the user was told, or if the crawl has gone; items left are not
 * acknowledged. */
bool cw_index_feed_send(cw_index_feed *feed, cw_index_item **items, size_t count);

/* Gets how many documents may be deleted now. The first call asks the engine how many it has. Returns false as
 * above. */
bool cw_index_feed_deletes_left(cw_index_feed *feed, uint64_t *left);

/* Reports that an item is refused, and frees it. Returns false if the file could not be written; the user was told. */
bool cw_index_feed_refuse(cw_index_feed *feed, cw_index_item *item, const char *reason);

/* Acknowledges a line that needs no action. */
void cw_index_feed_pass(uint64_t number);

void cw_index_item_free(cw_index_item *item);

/* Deletes documents of earlier versions than this, unless they are more than max_deletes allows. Returns an exit
 * status; the user was told. */
int cw_index_feed_purge(cw_index_feed *feed, int64_t before);

/* Returns false if the file of refused documents could not be written; the user was told. */
bool cw_index_feed_close(cw_index_feed *feed);
