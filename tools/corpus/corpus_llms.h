/* The pages of a site for llms.txt (llmstxt.org): a list of links, with a section for each folder. */
#pragma once

#include <crawl/base.h>

#include <stdint.h>
#include <stdio.h>

/* Maximum bytes of the list of an llms.txt; further pages are left out. */
#define CW_CORPUS_LLMS_MAX 50000u

typedef struct cw_corpus_llms_page {
    char *url;
    char *title; /* "": none */
    char *note;
    size_t folder; /* bytes of the URL up to its first folder, which is the section */
    int64_t depth;
} cw_corpus_llms_page;

typedef struct cw_corpus_llms {
    cw_corpus_llms_page *pages;
    size_t count;
    size_t capacity;
} cw_corpus_llms;

/* Adds a page, and copies the texts; NULL: none. CRAWL_ENOMEM. */
crawl_err cw_corpus_llms_add(cw_corpus_llms *llms, const char *url, const char *title, const char *note, int64_t depth);

/* Writes the list, sorted by folder, depth and URL; *listed: number of pages in it. CRAWL_ENOMEM; failures of out stay
 * in out. */
crawl_err cw_corpus_llms_write(cw_corpus_llms *llms, FILE *out, size_t *listed);

void cw_corpus_llms_free(cw_corpus_llms *llms);
