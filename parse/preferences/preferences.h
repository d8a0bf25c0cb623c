/* Statements on the use of a page while they are collected. Texts are copied into one buffer that may move, so
 * statements have offsets into it. */
#pragma once

#include <crawl/preferences.h>

typedef enum cw_preferences_source {
    CW_PREFERENCES_ROBOTS,
    CW_PREFERENCES_SIGNAL,
    CW_PREFERENCES_TDMREP, /* the places of TDMRep, of which a later one supersedes: this, HEADER, META */
    CW_PREFERENCES_HEADER,
    CW_PREFERENCES_META,
    CW_PREFERENCES_XRT,
    CW_PREFERENCES_RSL,
    CW_PREFERENCES_LINK,
    CW_PREFERENCES_SOURCES
} cw_preferences_source;

/* A statement as it is added; slices are borrowed for the call. */
typedef struct cw_preferences_said {
    cw_preferences_source source;
    crawl_slice label;
    crawl_slice value;
    unsigned line;
    crawl_slice pattern;
    crawl_slice agent;
    const char *ignored;
    bool ambiguous;
    unsigned refuses;
    unsigned grants;
} cw_preferences_said;

/* CRAWL_ENOMEM. */
crawl_err cw_preferences_add(crawl_preferences *preferences, const cw_preferences_said *said);

/* Returns true if agent, which a statement names, is the one these preferences are read for. */
bool cw_preferences_is_own(const crawl_preferences *preferences, crawl_slice agent);

/* Adds a line of the header Content-Usage, to be read with the others at the end. CRAWL_ENOMEM. */
crawl_err cw_preferences_join_usage(crawl_preferences *preferences, crawl_slice value);
crawl_slice cw_preferences_joined_usage(const crawl_preferences *preferences);
/* Forgets these lines, and keeps only the last place of TDMRep. */
void cw_preferences_settle(crawl_preferences *preferences);

/* Resolves a raw URL (base NULL: it must be absolute) and adds it as a licence. */
crawl_err cw_preferences_add_license(crawl_preferences *preferences, cw_preferences_said said, crawl_slice href,
                                     const crawl_url *base, const char *charset);

/* --- preferences_values.c: values, from a header or after the path of a line in robots.txt. said has all but label and
 * value. CRAWL_ENOMEM. --- */

/* A Dictionary of RFC 9651 with the labels of draft-ietf-aipref-vocab-08. */
crawl_err cw_preferences_add_usage(crawl_preferences *preferences, cw_preferences_said said, crawl_slice value);
/* contentsignals.org: NAME=yes|no, separated by commas. */
crawl_err cw_preferences_add_signal(crawl_preferences *preferences, cw_preferences_said said, crawl_slice value);
/* tdm-reservation, or tdm-policy. */
crawl_err cw_preferences_add_tdm(crawl_preferences *preferences, cw_preferences_said said, crawl_slice value);
/* Words of meta robots and of X-Robots-Tag: noai, noimageai. */
crawl_err cw_preferences_add_words(crawl_preferences *preferences, cw_preferences_said said, crawl_slice words);

/* Report what is wrong with such values on a line of robots.txt. */
typedef struct cw_preferences_faults {
    crawl_on_use_fault on_fault;
    void *user;
    unsigned line;
} cw_preferences_faults;
void cw_preferences_usage_faults(const cw_preferences_faults *faults, crawl_slice value);
void cw_preferences_signal_faults(const cw_preferences_faults *faults, crawl_slice value);

/* Returns true if this is the name of a TDMRep <meta> or header. */
bool cw_preferences_is_tdm(crawl_slice name);
