/* Hands items to an engine until each has its fate, and tells the crawl of it on standard output. One request is under
 * way at a time, so that nothing overtakes anything. */
#pragma once

#include "tools/index/engines.h"

#include <stdio.h>

typedef struct cw_index_feed {
    cw_index_target target;
    const char *refused_path; /* of the file of documents that are refused for good */
    FILE *refused;            /* NULL: none was, so far */
    unsigned max_deletes;     /* percent of the documents that the index had and got */
    int64_t had;              /* documents; -1: nobody asked yet */
    uint64_t written;
} cw_index_feed;

/* Frees each item as it gets its fate, and puts NULL in its place; all have theirs when this returns. False: the engine
 * or the file must be mended, as the user was told, or the crawl has gone away; items that are left are not
 * acknowledged. */
bool cw_index_feed_send(cw_index_feed *feed, cw_index_item **items, size_t count);

/* How many documents may be deleted now. Asks the engine at the first call how many it has. False: as above. */
bool cw_index_feed_deletes_left(cw_index_feed *feed, uint64_t *left);

/* Tells that an item is refused, and frees it. False: the file could not be written, as the user was told. */
bool cw_index_feed_refuse(cw_index_feed *feed, cw_index_item *item, const char *reason);

/* Acknowledges a line that asks for nothing. */
void cw_index_feed_pass(uint64_t number);

void cw_index_item_free(cw_index_item *item);

/* Deletes the documents of versions before this one, unless these are more than max_deletes allows. An exit status; the
 * user was told. */
int cw_index_feed_purge(cw_index_feed *feed, int64_t before);

/* False: the file of refused documents could not be written; the user was told. */
bool cw_index_feed_close(cw_index_feed *feed);
