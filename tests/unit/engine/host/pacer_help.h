/* Shared by the tests of the gate: a gate and a table of hosts, with the test's own clock. */
#pragma once

#include "config/config_values.h"
#include "crawler/engine/host/pacer.h"

#include <criterion/criterion.h>

#define MS 1000

static int64_t now_us = 1000000;
static cw_host_pacer *pacer;
static cw_host_table *table;

static inline int64_t clock_us(void)
{
    return now_us;
}

static inline void create_after(bool per_ip, bool resumed)
{
    crawl_config config;
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    cw_host_pacer_options options = {.rules = cw_host_pace_rules_of(&config),
                                     .per_ip = per_ip,
                                     .per_host = 2,
                                     .max_hosts = 1000,
                                     .resumed = resumed,
                                     .clock_us = clock_us};
    cw_config_clear(&config);
    table = cw_host_table_create(options.max_hosts);
    pacer = cw_host_pacer_create(&options);
    cr_assert_not_null(pacer);
}

static inline void create(bool per_ip)
{
    create_after(per_ip, false);
}

static inline void teardown(void)
{
    cw_host_pacer_free(pacer);
    cw_host_table_free(table);
}

static inline cw_host_record *host(const char *name)
{
    return cw_host_table_get(table, crawl_slice_from(name));
}

#define A host("http://a")
#define B host("http://b")
#define IP crawl_slice_from("192.0.2.1")

static inline cw_host_pacer_effect end(cw_host_record *one, int status, int64_t retry_after_ms, cw_host_pass *pass)
{
    crawl_response response = {.size = sizeof response, .status = status, .error_text = "", .ip = ""};
    if (!status)
        response.error = CRAWL_FETCH_CONNECT;
    return cw_host_pacer_done(pacer, one, &response, retry_after_ms * MS, &(cw_host_quota){0}, pass);
}
