/* Puts together the rules that all sections give an origin. */
#ifndef CW_HOST_MERGE_H
#define CW_HOST_MERGE_H

#include "crawler/engine/host/rules/host_rules.h"
#include "crawler/engine/host/rules/host_section.h"

/* A section that matches, and whether it means this very origin. */
typedef struct cw_host_match {
    const cw_host_section *section;
    bool personal;
} cw_host_match;

/* identity: by which requests are signed; NULL: none. chain: the most particular first. rules ({0} before) borrows from
 * config, the sections and headers. CRAWL_ENOMEM. */
crawl_err cw_host_merge(const crawl_config *config, const crawl_identity *identity, const cw_host_match *chain,
                        size_t count, bool without_proxy, cw_host_rules *rules, crawl_buf *headers);

#endif
