/* The answers of hosts for pages that cannot exist (crawl.soft_404): one page for each of the first three levels of
 * folders, with a name of random letters. A page like that answer does not exist either. If the home page or a seed is
 * like it, the host answers everything that way, and its answers say nothing. Thread-safe. */
#pragma once

#include <crawl/base.h>

/* The levels of folders that are told apart: that of "/a", that of "/a/b", and everything below. */
#define CW_HOST_PROBES_LEVELS 3u

typedef struct cw_host_probe_text {
    uint64_t simhash;
    uint32_t title;   /* a hash */
    bool is_compared; /* compared by its SimHash; otherwise the text is too short for that, and must be equal */
} cw_host_probe_text;

typedef struct cw_host_probes cw_host_probes;

/* NULL: out of memory. */
cw_host_probes *cw_host_probes_create(void);
void cw_host_probes_free(cw_host_probes *probes);

/* Returns the level of a URL with this path. */
unsigned cw_host_probes_level(crawl_slice path);

/* Returns true if a page is like the answer of its level for a page that cannot exist. is_home: the page is the host's
 * first, or a seed. *ask: in, the page may cause a request for a page that cannot exist; out, the caller must make it,
 * since nobody has asked at this level. */
bool cw_host_probes_judge(cw_host_probes *probes, crawl_slice origin, unsigned level, const cw_host_probe_text *text,
                          bool is_home, bool *ask);

/* Returns true if a page redirects where its level sends pages that cannot exist, and another page did so before.
 * target: a hash of the redirect's target. */
bool cw_host_probes_redirects(cw_host_probes *probes, crawl_slice origin, unsigned level, uint32_t target);

/* Stores the answer for a page that cannot exist: a page, or a redirect if text is NULL. */
void cw_host_probes_answered(cw_host_probes *probes, crawl_slice origin, unsigned level, const cw_host_probe_text *text,
                             uint32_t target);
