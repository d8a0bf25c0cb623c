/* A host's note, with the pace before the site. */
#include "crawler/engine/host/handover.h"

#include <criterion/criterion.h>

enum { SIZE = 43, FORMAT = 4 };

static void put_pace(crawl_buf *out)
{
    char pace[SIZE] = {FORMAT};
    cr_assert_eq(crawl_buf_append(out, pace, sizeof pace), CRAWL_OK);
}

Test(handover, a_site_is_read_behind_a_pace)
{
    crawl_buf site = {0};
    crawl_buf both = {0};
    cw_host_site_note read;
    const cw_host_site_note note = {.robots = CRAWL_HOST_ROBOTS_RULES,
                                    .expires_ms = 77,
                                    .hold_until_ms = 5,
                                    .no_tdmrep = true,
                                    .text = crawl_slice_from("Disallow: /x")};
    cr_assert_eq(cw_host_site_note_write(&note, &site), CRAWL_OK);
    put_pace(&both);
    cr_assert_eq(crawl_buf_append(&both, site.data, site.size), CRAWL_OK);
    cr_expect(crawl_slice_equal(cw_host_handover_skip(crawl_buf_slice(&both)), crawl_buf_slice(&site)));
    cr_expect(crawl_slice_equal(cw_host_handover_skip(crawl_buf_slice(&site)), crawl_buf_slice(&site)));
    cr_assert(cw_host_site_note_read(crawl_buf_slice(&both), &read));
    cr_expect_eq(read.expires_ms, 77);
    cr_expect_eq(read.hold_until_ms, 5);
    cr_expect(read.no_tdmrep);
    cr_expect_not(read.asked_sitemaps);
    cr_expect(crawl_slice_equal(read.text, note.text));
    crawl_buf_free(&site);
    crawl_buf_free(&both);
}

Test(handover, a_pace_alone_is_no_site)
{
    crawl_buf pace = {0};
    cw_host_site_note read;
    put_pace(&pace);
    cr_expect_eq(cw_host_handover_skip(crawl_buf_slice(&pace)).size, 0);
    cr_expect_not(cw_host_site_note_read(crawl_buf_slice(&pace), &read));
    cr_expect_not(cw_host_site_note_read(crawl_slice_of(pace.data, SIZE - 1), &read));
    cr_expect_not(cw_host_site_note_read((crawl_slice){0}, &read));
    crawl_buf_free(&pace);
}
