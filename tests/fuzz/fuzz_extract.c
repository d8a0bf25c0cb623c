/* The first line is the text of a rule, the rest a page of any bytes. Either the rule is refused, or it extracts JSON
 * from the page within its maxima. */
#include <crawl/extract.h>

#include "base/bytes.h"

#include <stdlib.h>

#define CHECK(condition)  \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

static void apply(const crawl_rules *rules, crawl_slice html)
{
    crawl_extraction *extraction = NULL;
    CHECK(crawl_extraction_create(rules, &extraction) == CRAWL_OK);
    for (int time = 0; time < 2; time++) {
        const crawl_extract_page page = {.size = sizeof page, .html = html};
        CHECK(crawl_extraction_run(extraction, &page) == CRAWL_OK);
        crawl_slice json = crawl_extraction_json(extraction);
        CHECK(!json.size || (json.data[0] == '{' && json.data[json.size - 1] == '}'));
        CHECK(crawl_extraction_value(extraction, 0).size <= json.size);
    }
    crawl_extraction_free(extraction);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    crawl_error error = {0};
    crawl_slice html = crawl_slice_of(data, size);
    crawl_slice rule = cw_cut_line(&html);
    crawl_rules *rules = crawl_rules_create();
    CHECK(rules);
    crawl_err err = crawl_rules_add(rules, crawl_slice_from("s"), crawl_slice_from("field.a"), rule, &error);
    if (err == CRAWL_OK)
        apply(rules, html);
    else
        CHECK(err == CRAWL_EPARSE && error.message[0]);
    crawl_rules_free(rules);
    return 0;
}
