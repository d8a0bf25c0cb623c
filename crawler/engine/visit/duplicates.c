/* Is the page at hand like one before? See dedupe.h. */
#include "crawler/engine/visit/duplicates.h"

#include "crawler/engine/counters.h"
#include "crawler/engine/engine.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/visit/dedupe.h"
#include "crawler/engine/visit/visit.h"

#include <crawl/simhash.h>

/* Of a page with too little text the hash is told, but not compared. */
static const uint64_t *hash_text(crawl_record *record, const crawl_page *page)
{
    size_t shingles = crawl_simhash_text(crawl_page_text(page), &record->simhash);
    record->has_simhash = shingles > 0;
    return shingles >= CW_DEDUPE_MIN_SHINGLES ? &record->simhash : NULL;
}

crawl_err cw_duplicates_settle(const cw_visit *visit, const crawl_record *record)
{
    const crawl_engine *engine = cw_engine_of(visit);
    if (!engine->dedupe || !record->has_digest || record->body.size == 0)
        return CRAWL_OK;
    return cw_dedupe_settle(engine->dedupe, record->url, &record->digest);
}

void cw_duplicates_look(cw_visit *visit, crawl_record *record, const crawl_page *page)
{
    crawl_engine *engine = cw_engine_of(visit);
    if (!engine->dedupe || !record->has_digest || record->body.size == 0)
        return;
    bool near = page && engine->config->dedupe == CRAWL_DEDUPE_NEAR;
    const uint64_t *simhash = near ? hash_text(record, page) : NULL;
    cw_dedupe_answer answer;
    crawl_err err = cw_dedupe_ask(engine->dedupe, record->url, &record->digest, simhash, &answer);
    if (err) {
        cw_engine_fail(engine, err, "no memory for what pages were like");
        return;
    }
    record->duplicate_of = answer.duplicate_of;
    record->near_duplicate_of = answer.near_duplicate_of;
    record->distance = answer.near_duplicate_of.size ? answer.distance : 0;
    cw_count(&engine->counters.duplicates, answer.duplicate_of.size != 0);
    cw_count(&engine->counters.near_duplicates, answer.near_duplicate_of.size != 0);
}
