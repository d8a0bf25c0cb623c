/* The answers of hosts for pages that cannot be there (crawl.soft_404): one page for each of the first three levels of
 * folders, with a name of random letters. A page that is like that answer is not there either. Where the home page or
 * a seed is, the host answers everything so, and its answers say nothing. Thread-safe. */
#pragma once

#include <crawl/base.h>

/* The levels of folders that are told apart: those of "/a", of "/a/b", and of all below. */
#define CW_HOST_PROBES_LEVELS 3u

/* The text of a page. */
typedef struct cw_host_probe_text {
    uint64_t simhash;
    uint32_t title;   /* a hash */
    bool is_compared; /* by its SimHash; else there is too little text, and it must be the same */
} cw_host_probe_text;

typedef struct cw_host_probes cw_host_probes;

/* NULL: no memory. */
cw_host_probes *cw_host_probes_create(void);
void cw_host_probes_free(cw_host_probes *probes);

/* The level of a URL with this path. */
unsigned cw_host_probes_level(crawl_slice path);

/* A page was read; is_home: it is the host's first, or a seed. Is it like what its level answers for a page that cannot
 * be there? *ask: nobody has asked its level so far, and the caller is to. */
bool cw_host_probes_judge(cw_host_probes *probes, crawl_slice origin, unsigned level, const cw_host_probe_text *text,
                          bool is_home, bool *ask);

/* Does a page redirect where its level sends pages that cannot be there, and did another do so before? target: a hash
 * of where to. */
bool cw_host_probes_redirects(cw_host_probes *probes, crawl_slice origin, unsigned level, uint32_t target);

/* The answer for a page that cannot be there: a page, or with text NULL a redirect. */
void cw_host_probes_answered(cw_host_probes *probes, crawl_slice origin, unsigned level, const cw_host_probe_text *text,
                             uint32_t target);
