/* frontier/lease.c and the meaning of lease numbers for done. */
#define HOSTS_STAY
#include "tests/unit/frontier/help.h"

#include <stdlib.h>

/* There are no runs unless processes share the crawl. */
Test(lease, later_is_a_return)
{
    crawl_frontier_options options = test_options();
    crawl_frontier *f = create(&options);
    push_new(f, "http://a/1", 0, 0, 0);
    crawl_lease lease = pop(f, "http://a/1", 0);
    cr_assert_eq(crawl_frontier_done(f, lease.id, CRAWL_DONE_LATER, 0, 0), CRAWL_OK);
    lease = pop(f, "http://a/1", 0);
    cr_expect_eq(lease.attempt, 1, "it was not asked");
    finish(f, lease, 0);
    crawl_frontier_free(f);
}

Test(lease, a_number_is_good_once)
{
    crawl_frontier_options options = test_options();
    crawl_frontier *f = create(&options);
    push_new(f, "http://a/1", 0, 0, 0);
    push_new(f, "http://a/2", 0, 0, 0);
    crawl_lease first = pop(f, "http://a/1", 0);
    cr_assert_eq(crawl_frontier_done(f, first.id, (crawl_outcome)9, 0, 0), CRAWL_EINVAL);
    finish(f, first, 0);
    cr_assert_eq(crawl_frontier_done(f, first.id, CRAWL_DONE_FINISHED, 0, 0), CRAWL_ESTATE);
    crawl_lease second = pop(f, "http://a/2", 0);
    cr_assert_neq(first.id, second.id);
    cr_assert_eq(crawl_frontier_done(f, first.id, CRAWL_DONE_FINISHED, 0, 0), CRAWL_ESTATE, "the slot is in use again");
    cr_assert_eq(crawl_frontier_done(f, UINT64_MAX, CRAWL_DONE_FINISHED, 0, 0), CRAWL_ESTATE);
    cr_assert_eq(crawl_frontier_done(f, 0, CRAWL_DONE_FINISHED, 0, 0), CRAWL_ESTATE);
    finish(f, second, 0);
    crawl_frontier_free(f);
}

Test(lease, slices_stay_while_other_leases_come_and_go)
{
    enum { OUT = 200 };
    crawl_frontier_options options = test_options();
    options.per_host = OUT;
    crawl_frontier *f = create(&options);
    crawl_lease leases[OUT];
    char url[64];
    for (unsigned i = 0; i < OUT; i++) {
        snprintf(url, sizeof url, "http://a/%u", i);
        push_new(f, url, 0, 0, 0);
    }
    for (unsigned i = 0; i < OUT; i++)
        cr_assert_eq(crawl_frontier_pop(f, 0, &leases[i], NULL), CRAWL_OK);
    for (unsigned i = 0; i < OUT; i++) {
        snprintf(url, sizeof url, "http://a/%u", i);
        cr_assert(crawl_slice_equal(leases[i].url, crawl_slice_from(url)));
        finish(f, leases[i], 0);
    }
    crawl_frontier_free(f);
}

Test(lease, a_long_url_is_not_kept_in_its_slot)
{
    crawl_frontier_options options = test_options();
    crawl_frontier *f = create(&options);
    char *url = malloc(60001);
    memset(url, 'x', 60000);
    memcpy(url, "http://a/", 9);
    url[60000] = '\0';
    push_new(f, "http://a/", 0, 0, 0);
    visit(f, "http://a/", 0);
    uint64_t before = stats_of(f, 0).bytes;
    push_new(f, url, 0, 0, 0);
    crawl_lease lease = pop(f, url, 0);
    cr_assert_gt(stats_of(f, 0).bytes, before + 120000);
    finish(f, lease, 0);
    cr_assert_leq(stats_of(f, 0).bytes, before);
    free(url);
    crawl_frontier_free(f);
}

Test(lease, slots_are_used_again_under_new_numbers)
{
    crawl_request request = request_for("http://a/1", 0, 0);
    cw_frontier_memory memory = {0};
    cw_frontier_hosts hosts;
    cw_frontier_leases leases = {0};
    cr_assert_eq(cw_frontier_hosts_init(&hosts, &memory), CRAWL_OK);
    cw_frontier_host *host = NULL;
    cr_assert_eq(cw_frontier_hosts_get(&hosts, crawl_slice_from("http://a"), &host), CRAWL_OK);
    cw_frontier_item *item = cw_frontier_item_create(&request, crawl_slice_from("http://a"), 0);
    uint64_t last = 0;
    for (unsigned i = 0; i < 1000; i++) {
        cw_frontier_lease *lease = cw_frontier_leases_open(&leases, &memory, host, item);
        uint64_t id = cw_frontier_leases_id(&leases, lease);
        cr_assert_gt(id, last);
        cr_assert_null(cw_frontier_leases_find(&leases, last));
        cr_assert_eq(cw_frontier_leases_find(&leases, id), lease);
        cr_assert(crawl_slice_equal(crawl_buf_slice(&lease->url), request.url));
        cw_frontier_leases_close(&leases, &memory, lease);
        last = id;
    }
    cr_assert_eq(leases.count, 1);
    cr_assert_eq(leases.out, 0);
    free(item);
    cw_frontier_leases_free(&leases);
    cw_frontier_hosts_free(&hosts);
}
