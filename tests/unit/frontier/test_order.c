/* The order in which requests are popped, within a host and among hosts. */
#include "tests/unit/frontier/help.h"

static crawl_frontier *create_ordered(crawl_order order)
{
    crawl_frontier_options options = test_options();
    options.order = order;
    return create(&options);
}

static void push_batch(crawl_frontier *frontier, const char *const *urls, size_t count, uint32_t depth)
{
    crawl_request requests[16];
    size_t accepted = 0;
    for (size_t i = 0; i < count; i++)
        requests[i] = request_for(urls[i], depth, 0);
    cr_assert_eq(crawl_frontier_push(frontier, requests, count, (crawl_slice){0}, NULL, &accepted, 0), CRAWL_OK);
    cr_assert_eq(accepted, count);
    check(frontier);
}

Test(order, breadth_first_is_by_depth_then_first_come)
{
    crawl_frontier *f = create_ordered(CRAWL_ORDER_BFS);
    push_new(f, "http://a/2", 2, 0, 0);
    push_new(f, "http://a/1", 1, 0, 0);
    push_new(f, "http://a/0", 0, 0, 0);
    push_new(f, "http://a/1b", 1, 0, 0);
    visit(f, "http://a/0", 0);
    visit(f, "http://a/1", 0);
    visit(f, "http://a/1b", 0);
    visit(f, "http://a/2", 0);
    pop_drained(f, 0);
    crawl_frontier_free(f);
}

Test(order, breadth_first_goes_by_depth_over_all_hosts)
{
    crawl_frontier *f = create_ordered(CRAWL_ORDER_BFS);
    push_new(f, "http://a/1", 1, 0, 0);
    push_new(f, "http://a/1b", 1, 0, 0);
    push_new(f, "http://b/2", 2, 0, 0);
    push_new(f, "http://b/0", 0, 0, 0);
    visit(f, "http://b/0", 0);
    visit(f, "http://a/1", 0);
    visit(f, "http://a/1b", 0);
    visit(f, "http://b/2", 0);
    crawl_frontier_free(f);
}

Test(order, depth_first_follows_the_youngest_batch_in_its_order)
{
    crawl_frontier *f = create_ordered(CRAWL_ORDER_DFS);
    const char *const root[] = {"http://a/1", "http://a/2"};
    const char *const first[] = {"http://a/1/1", "http://a/1/2"};
    const char *const second[] = {"http://a/1/1/1", "http://a/1/1/2", "http://a/1/1/3"};
    push_batch(f, root, 2, 0);
    visit(f, "http://a/1", 0);
    push_batch(f, first, 2, 1);
    visit(f, "http://a/1/1", 0);
    push_batch(f, second, 3, 2);
    visit(f, "http://a/1/1/1", 0);
    visit(f, "http://a/1/1/2", 0);
    visit(f, "http://a/1/1/3", 0);
    visit(f, "http://a/1/2", 0);
    visit(f, "http://a/2", 0);
    pop_drained(f, 0);
    crawl_frontier_free(f);
}

Test(order, depth_first_among_hosts_asks_the_one_with_the_youngest_head)
{
    crawl_frontier *f = create_ordered(CRAWL_ORDER_DFS);
    push_new(f, "http://a/old", 0, 0, 0);
    push_new(f, "http://b/younger", 0, 0, 0);
    push_new(f, "http://a/youngest", 0, 0, 0);
    visit(f, "http://a/youngest", 0);
    visit(f, "http://b/younger", 0);
    visit(f, "http://a/old", 0);
    crawl_frontier_free(f);
}

Test(order, best_is_by_priority_then_first_come_whatever_the_depth)
{
    crawl_frontier *f = create_ordered(CRAWL_ORDER_BEST);
    push_new(f, "http://a/1", 9, 5, 0);
    push_new(f, "http://b/2", 0, 5, 0);
    push_new(f, "http://b/3", 7, 6, 0);
    push_new(f, "http://a/4", 1, INT32_MAX, 0);
    push_new(f, "http://a/5", 0, INT32_MIN, 0);
    push_new(f, "http://b/6", 0, 5, 0);
    visit(f, "http://a/4", 0);
    visit(f, "http://b/3", 0);
    visit(f, "http://a/1", 0);
    visit(f, "http://b/2", 0);
    visit(f, "http://b/6", 0);
    visit(f, "http://a/5", 0);
    crawl_frontier_free(f);
}

Test(order, priority_goes_before_depth_and_before_youth)
{
    for (crawl_order order = CRAWL_ORDER_BFS; order <= CRAWL_ORDER_BEST; order++) {
        crawl_frontier *f = create_ordered(order);
        push_new(f, "http://a/high", 9, 1, 0);
        push_new(f, "http://a/low", 0, -1, 0);
        push_new(f, "http://b/middle", 3, 0, 0);
        visit(f, "http://a/high", 0);
        visit(f, "http://b/middle", 0);
        visit(f, "http://a/low", 0);
        crawl_frontier_free(f);
    }
}

Test(order, hosts_take_turns_least_recently_served_first)
{
    crawl_frontier *f = create_ordered(CRAWL_ORDER_BFS);
    push_new(f, "http://a/1", 0, 0, 0);
    push_new(f, "http://a/2", 0, 0, 0);
    push_new(f, "http://a/3", 0, 0, 0);
    push_new(f, "http://b/1", 0, 0, 0);
    push_new(f, "http://b/2", 0, 0, 0);
    visit(f, "http://a/1", 0);
    visit(f, "http://b/1", 0);
    visit(f, "http://a/2", 0);
    push_new(f, "http://c/1", 0, 0, 0); /* never served: before b */
    visit(f, "http://c/1", 0);
    visit(f, "http://b/2", 0);
    visit(f, "http://a/3", 0);
    crawl_frontier_free(f);
}

Test(order, hosts_take_turns_whatever_their_requests_are_where_that_is_asked_for)
{
    crawl_frontier_options options = test_options();
    options.host_turns = true;
    crawl_frontier *f = create(&options);
    push_new(f, "http://a/deep", 5, 0, 0);
    push_new(f, "http://a/first", 9, 1, 0);
    push_new(f, "http://a/near", 1, 0, 0);
    push_new(f, "http://b/last", 9, -1, 0);
    push_new(f, "http://b/next", 7, -1, 0);
    visit(f, "http://a/first", 0);
    visit(f, "http://b/next", 0);
    visit(f, "http://a/near", 0);
    visit(f, "http://b/last", 0);
    visit(f, "http://a/deep", 0);
    pop_drained(f, 0);
    crawl_frontier_free(f);
}

Test(order, one_host_never_goes_back_in_depth_while_links_come_in)
{
    crawl_frontier *f = create_ordered(CRAWL_ORDER_BFS);
    uint32_t depth = 0;
    unsigned made = 1;
    push_new(f, "http://a/0", 0, 0, 0);
    for (;;) {
        crawl_lease lease;
        if (crawl_frontier_pop(f, 0, &lease, NULL) != CRAWL_OK)
            break;
        cr_assert_geq(lease.depth, depth);
        depth = lease.depth;
        for (unsigned i = 0; i < 3 && made < 400; i++) {
            char url[64];
            snprintf(url, sizeof url, "http://%c/%u", "abc"[made % 3], made);
            made++;
            push_new(f, url, lease.depth + 1, 0, 0);
        }
        finish(f, lease, 0);
    }
    cr_assert_eq(stats_of(f, 0).finished, 400);
    cr_assert_geq(depth, 5);
    crawl_frontier_free(f);
}

enum { HOSTS = 100 };

static unsigned size_of(unsigned host)
{
    return 1 + host * host / 20; /* 1 to 491 */
}

static void push_hosts(crawl_frontier *f)
{
    for (unsigned host = 0; host < HOSTS; host++)
        for (unsigned i = 0; i < size_of(host); i++) {
            char url[64];
            snprintf(url, sizeof url, "http://host%u/%u", host, i);
            crawl_request request = request_for(url, 1, 0);
            size_t accepted = 0;
            crawl_frontier_push(f, &request, 1, (crawl_slice){0}, NULL, &accepted, 0);
            cr_assert_eq(accepted, 1);
        }
}

/* Hosts of very different sizes: while two have work, neither is served twice more than the other. */
Test(order, hosts_of_any_size_are_served_alike_while_they_have_work)
{
    crawl_frontier *f = create_ordered(CRAWL_ORDER_BFS);
    unsigned served[HOSTS] = {0};
    push_hosts(f);
    check(f);
    for (;;) {
        crawl_lease lease;
        if (crawl_frontier_pop(f, 0, &lease, NULL) != CRAWL_OK)
            break;
        unsigned host = 0;
        cr_assert_eq(sscanf(lease.url.data, "http://host%u/", &host), 1);
        unsigned before = served[host]++;
        for (unsigned other = 0; other < HOSTS; other++)
            cr_assert(served[other] == size_of(other) || served[other] >= before, "host %u has %u, host %u %u", host,
                      before + 1, other, served[other]);
        crawl_frontier_done(f, lease.id, CRAWL_DONE_FINISHED, 0, 0);
    }
    for (unsigned host = 0; host < HOSTS; host++)
        cr_assert_eq(served[host], size_of(host));
    check(f);
    crawl_frontier_free(f);
}

Test(order, a_returned_request_goes_back_to_its_place)
{
    for (crawl_order order = CRAWL_ORDER_BFS; order <= CRAWL_ORDER_BEST; order++) {
        crawl_frontier *f = create_ordered(order);
        const char *const urls[] = {"http://a/1", "http://a/2", "http://a/3"};
        push_batch(f, urls, 3, 0);
        crawl_lease lease = pop(f, "http://a/1", 0);
        done(f, lease, CRAWL_DONE_RETURN, 0, 0);
        lease = pop(f, "http://a/1", 0);
        done(f, lease, CRAWL_DONE_RETRY, 10, 0);
        visit(f, "http://a/2", 5);
        lease = pop(f, "http://a/1", 10);
        cr_assert_eq(lease.attempt, 2);
        finish(f, lease, 10);
        visit(f, "http://a/3", 10);
        crawl_frontier_free(f);
    }
}

Test(order, urgent_requests_go_before_all_in_the_order_they_came)
{
    for (crawl_order order = CRAWL_ORDER_BFS; order <= CRAWL_ORDER_BEST; order++) {
        crawl_frontier *f = create_ordered(order);
        push_new(f, "http://a/best", 0, INT32_MAX, 0);
        push_urgent(f, "http://b/urgent", 0);
        push_urgent(f, "http://a/urgent", 0);
        push_urgent(f, "http://b/last", 0);
        crawl_lease lease = pop(f, "http://b/urgent", 0);
        cr_assert(lease.urgent);
        finish(f, lease, 0);
        visit(f, "http://a/urgent", 0);
        visit(f, "http://b/last", 0);
        lease = pop(f, "http://a/best", 0);
        cr_assert(!lease.urgent);
        finish(f, lease, 0);
        crawl_frontier_free(f);
    }
}
