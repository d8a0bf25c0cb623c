/* Manual pages as roff with the man macros, made from the texts of --help and --print-config. Text in, text out. */
#pragma once

#include <crawl/base.h>

typedef struct cw_program_man_page {
    const char *name;    /* "crawl-url" */
    int section;         /* 1 or 5 */
    const char *summary; /* for NAME */
    const char *text;    /* as printed for people */
} cw_program_man_page;

/* Makes a page from a help text. Its "usage:" lines are the SYNOPSIS; "Exit status:" has a section of its own; lines at
 * the margin are paragraphs; "  WORD  words", with lines below the words, are items; other indented lines are literal.
 * CRAWL_ENOMEM. */
crawl_err cw_program_man_of_help(const cw_program_man_page *page, crawl_buf *out);

/* Makes crawler.conf(5) from a configuration as crawl_config_print writes it, with the defaults. CRAWL_ENOMEM. */
crawl_err cw_program_man_of_config(const cw_program_man_page *page, crawl_buf *out);

/* An item of an added section; items of one section are adjacent. */
typedef struct cw_program_man_item {
    const char *section; /* "FILES" */
    const char *tag;
    const char *words;
} cw_program_man_item;

/* Appends these items. CRAWL_ENOMEM. */
crawl_err cw_program_man_items(const cw_program_man_item *items, size_t count, crawl_buf *out);

/* Appends the last section, with the names of the other pages: "crawl(1), ...". CRAWL_ENOMEM. */
crawl_err cw_program_man_see_also(const cw_program_man_page *pages, size_t count, const cw_program_man_page *but,
                                  crawl_buf *out);
