#include "crawler/engine/links/sitemap_faults.h"

const char *crawl_sitemap_fault_name(crawl_sitemap_fault fault)
{
    static const char *const names[] = {
        [CRAWL_SITEMAP_CUT] = "cut",         [CRAWL_SITEMAP_BROKEN] = "broken", [CRAWL_SITEMAP_NONE] = "none",
        [CRAWL_SITEMAP_REFUSED] = "refused", [CRAWL_SITEMAP_FAILED] = "failed", [CRAWL_SITEMAP_DATES] = "dates",
    };
    return (unsigned)fault < CRAWL_SITEMAP_FAULT_COUNT ? names[fault] : "";
}

void cw_links_faults_init(cw_links_faults *faults)
{
    pthread_mutex_init(&faults->lock, NULL);
}

void cw_links_faults_free(cw_links_faults *faults)
{
    pthread_mutex_destroy(&faults->lock);
}

void cw_links_faults_count(cw_links_faults *faults, crawl_sitemap_fault fault, crawl_slice url)
{
    pthread_mutex_lock(&faults->lock);
    char *first = faults->first[fault];
    size_t size = url.size < CRAWL_SITEMAP_FIRST ? url.size : CRAWL_SITEMAP_FIRST - 1;
    if (faults->count[fault]++ == 0)
        memcpy(first, url.data, size);
    pthread_mutex_unlock(&faults->lock);
}

void cw_links_faults_read(cw_links_faults *faults, crawl_engine_stats *out)
{
    pthread_mutex_lock(&faults->lock);
    memcpy(out->sitemap_faults, faults->count, sizeof faults->count);
    memcpy(out->sitemap_first, faults->first, sizeof faults->first);
    pthread_mutex_unlock(&faults->lock);
}
