/* The reading of an answer: the content of its document, and its links while they are followed. A maker has one
 * reading, with the memory for parsing pages, for its answers one after the other. An answer whose links take more than
 * a slice of the loop keeps its reading until it has been read (slices.h). */
#pragma once

#include "crawler/engine/links/sitemaps.h"
#include "crawler/engine/visit/maker.h"

#include <crawl/data.h>
#include <crawl/preferences.h>
#include <crawl/text.h>
#include <crawl/tree.h>

/* The lists of links that an answer may have: of its headers, of its page, and outside the page (rendered.c). */
#define CW_VISIT_LISTS 3

struct cw_visit_reading {
    cw_visit *visit;
    const crawl_response *response; /* owned by the fetcher, and kept there (crawl_fetch_keep) while it is read in
                                       slices */
    crawl_slice body; /* of the document being read: the answer's, or a page that was rendered or made from it */
    bool is_rendered;
    bool is_preprocessed;
    crawl_record record;
    crawl_record_render render; /* of the record */
    struct {
        crawl_link *links;
        size_t count, room;
        crawl_buf text;
    } rendered;                                /* links outside the rendered page */
    crawl_buf frame_texts;                     /* the record's text, for a rendered page whose frames have text */
    void (*finish)(cw_visit_reading *reading); /* ends the visit when everything is read */
    crawl_page *page;
    crawl_extraction *extraction;   /* NULL: no rules for values of pages */
    crawl_buf canonical_link;       /* the text of the record's */
    crawl_preferences *preferences; /* created for the first page that says something about its use */
    crawl_buf statements;           /* the text of the record's */
    char wall_words[256];           /* of the record: the kind of answer received instead of the page */
    char media_type[256];           /* of the record: two names of at most 127 bytes (RFC 6838, 4.2) */
    crawl_data *data;               /* NULL: pages' data about themselves is not wanted */
    crawl_tree *tree;               /* of the page, for extraction and data; NULL: neither is wanted */
    crawl_text_maker *texts;        /* NULL: the text of pages is not wanted */
    crawl_link *header_links;
    crawl_link *page_links; /* in another order than in the page; NULL: in that order */
    cw_links_list lists[CW_VISIT_LISTS];
    size_t next_list;          /* the list to begin next; CW_VISIT_LISTS: all are begun */
    crawl_edge_verdict closed; /* a verdict on all links of the answer */
    cw_links_follow follow;    /* follows the list begun last */
    cw_links_sitemap sitemap;
    cw_links_followed followed;
    TAILQ_ENTRY(cw_visit_reading) link; /* among the maker's readings in slices */
};

/* NULL: out of memory. */
cw_visit_reading *cw_visit_reading_create(cw_visit_maker *maker);
void cw_visit_reading_free(cw_visit_reading *reading);

/* Takes the maker's reading for this answer, without lists or a sitemap. The caller fills in its record. */
cw_visit_reading *cw_visit_reading_begin(cw_visit *visit, const crawl_response *response,
                                         void (*finish)(cw_visit_reading *reading));
