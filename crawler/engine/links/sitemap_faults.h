/* Sitemaps that were not read, or not completely: their number by kind of fault, and the URL of the first of each kind,
 * so that the summary can say which one to look at. Thread-safe. */
#pragma once

#include <crawl/engine.h>
#include <pthread.h>

typedef struct cw_links_faults {
    pthread_mutex_t lock;
    uint64_t count[CRAWL_SITEMAP_FAULT_COUNT];
    char first[CRAWL_SITEMAP_FAULT_COUNT][CRAWL_SITEMAP_FIRST];
} cw_links_faults;

void cw_links_faults_init(cw_links_faults *faults);
void cw_links_faults_free(cw_links_faults *faults);
void cw_links_faults_count(cw_links_faults *faults, crawl_sitemap_fault fault, crawl_slice url);
void cw_links_faults_read(cw_links_faults *faults, crawl_engine_stats *out);
