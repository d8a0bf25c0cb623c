/* The pages of a site as llms.txt has them (llmstxt.org): a list of links in sections, a section for each folder. */
#pragma once

#include <crawl/base.h>

#include <stdint.h>
#include <stdio.h>

/* Bytes of the list of an llms.txt; pages beyond are left out. */
#define CW_CORPUS_LLMS_MAX 50000u

typedef struct cw_corpus_llms_page {
    char *url;
    char *title; /* "": none */
    char *note;
    size_t folder; /* bytes of the URL up to its first folder; the section */
    int64_t depth;
} cw_corpus_llms_page;

typedef struct cw_corpus_llms {
    cw_corpus_llms_page *pages;
    size_t count;
    size_t capacity;
} cw_corpus_llms;

/* Adds a page; texts are copied, NULL: none. CRAWL_ENOMEM. */
crawl_err cw_corpus_llms_add(cw_corpus_llms *llms, const char *url, const char *title, const char *note, int64_t depth);

/* Writes the list, by folder, depth and URL; *listed: how many pages it has. CRAWL_ENOMEM; out has its own failures. */
crawl_err cw_corpus_llms_write(cw_corpus_llms *llms, FILE *out, size_t *listed);

void cw_corpus_llms_free(cw_corpus_llms *llms);
