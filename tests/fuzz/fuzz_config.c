/* Any bytes as crawler.conf. If it loads, it is printed; the printed file must load and print the same again. */
#include "config/config.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int holds)
{
    if (!holds)
        abort();
}

static char *printed(const crawl_config *config)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    demand(out != NULL);
    demand(crawl_config_print(config, out) == CRAWL_OK);
    fclose(out);
    return text;
}

static void check_round_trip(const crawl_config *config)
{
    crawl_config again;
    crawl_error error;
    char *text = printed(config);
    demand(cw_config_init(&again) == CRAWL_OK);
    demand(cw_config_parse(&again, "printed", crawl_slice_from(text), &error) == CRAWL_OK);
    char *text_again = printed(&again);
    demand(strcmp(text, text_again) == 0);
    free(text);
    free(text_again);
    cw_config_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    crawl_config config;
    crawl_error error = {0};
    demand(cw_config_init(&config) == CRAWL_OK);
    crawl_err err = cw_config_parse(&config, "fuzz", crawl_slice_of(data, size), &error);
    demand(err == CRAWL_OK || (err == CRAWL_EPARSE && error.message[0] != '\0'));
    if (!err)
        check_round_trip(&config);
    cw_config_clear(&config);
    return 0;
}
