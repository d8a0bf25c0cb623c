/* frontier/hosts/item.c: items return their contents. */
#include "tests/unit/frontier/help.h"

#define ASSERT_TEXT(slice, text) \
    cr_assert(crawl_slice_equal(slice, crawl_slice_from(text)), "%.*s", (int)(slice).size, (slice).data)

Test(item, keeps_a_url_without_its_origin)
{
    crawl_request request = request_for("https://example.org/a/b?c=d", 3, -7);
    request.tag = 42;
    cw_frontier_item *item = cw_frontier_item_create(&request, crawl_slice_from("https://example.org"), 0);
    crawl_lease lease;
    cw_frontier_item_describe(item, &lease);
    ASSERT_TEXT(cw_frontier_item_url(item), "/a/b?c=d");
    ASSERT_TEXT(lease.method, "GET");
    cr_assert_eq(lease.headers.size, 0);
    cr_assert_eq(lease.body.size, 0);
    cr_assert_eq(lease.parent.size, 0);
    cr_assert_eq(lease.priority, -7);
    cr_assert_eq(lease.depth, 3);
    cr_assert_eq(lease.tag, 42);
    cr_assert_eq(lease.attempt, 1);
    cr_assert(!lease.urgent);
    cr_assert_eq(memcmp(&lease.fingerprint, &request.fingerprint, sizeof request.fingerprint), 0);
    free(item);
}

Test(item, keeps_the_whole_url_where_the_origin_is_no_prefix)
{
    crawl_request request = request_for("http://user:word@example.org/", 0, 0);
    cw_frontier_item *item = cw_frontier_item_create(&request, crawl_slice_from("http://example.org"), 0);
    cr_assert(item->flags & CW_ITEM_WHOLE);
    ASSERT_TEXT(cw_frontier_item_url(item), "http://user:word@example.org/");
    free(item);
}

Test(item, keeps_method_headers_and_body)
{
    crawl_request request = request_for("http://example.org/", 0, 0);
    request.method = crawl_slice_from("POST");
    request.headers = crawl_slice_from("A: b\n");
    request.body = crawl_slice_of("\0x\0", 3);
    cw_frontier_item *item = cw_frontier_item_create(&request, crawl_slice_from("http://example.org"), CW_ITEM_URGENT);
    crawl_lease lease;
    cw_frontier_item_describe(item, &lease);
    ASSERT_TEXT(lease.method, "POST");
    ASSERT_TEXT(lease.headers, "A: b\n");
    cr_assert(crawl_slice_equal(lease.body, request.body));
    cr_assert(lease.urgent);
    free(item);
}

/* The form on disk, on any machine. */
Test(item, sizes_have_the_lowest_byte_first)
{
    crawl_request request = request_for("http://example.org/", 0, 0);
    request.method = crawl_slice_from("POST");
    request.headers = crawl_slice_from("A: b\n");
    request.body = crawl_slice_from("body");
    request.memo = crawl_slice_from("memo 17");
    cw_frontier_item *item = cw_frontier_item_create(&request, crawl_slice_from("http://example.org"), 0);
    cw_frontier_item *again = cw_frontier_item_again(item, request.memo);
    static const char expected[] = "/\4\0\0\0\5\0\0\0\4\0\0\0\7\0\0\0\1\0\0\0POSTA: b\nbodymemo 17";
    cr_assert_eq(cw_frontier_item_tail_size(again), sizeof expected - 1);
    cr_assert_arr_eq(again->tail, expected, sizeof expected - 1);
    cr_assert(cw_frontier_item_tail_valid(again, crawl_slice_of(expected, sizeof expected - 1)));
    cr_assert_not(cw_frontier_item_tail_valid(again, crawl_slice_of(expected, sizeof expected - 2)));
    free(item);
    free(again);
}

Test(item, get_with_headers_is_still_get)
{
    crawl_request request = request_for("http://example.org/", 0, 0);
    request.method = crawl_slice_from("GET");
    request.headers = crawl_slice_from("A: b\n");
    cw_frontier_item *item = cw_frontier_item_create(&request, crawl_slice_from("http://example.org"), 0);
    crawl_lease lease;
    cw_frontier_item_describe(item, &lease);
    ASSERT_TEXT(lease.method, "GET");
    ASSERT_TEXT(lease.headers, "A: b\n");
    free(item);
}

Test(item, refuses_sizes_that_do_not_fit)
{
    crawl_request request = request_for("http://example.org/", 0, 0);
    cr_assert(cw_frontier_item_fits(&request));
    request.body = crawl_slice_of("", CW_FRONTIER_ITEM_MAX); /* not read */
    cr_assert(!cw_frontier_item_fits(&request));
    request.body = crawl_slice_of("", SIZE_MAX);
    cr_assert(!cw_frontier_item_fits(&request));
}

Test(item, parent_goes_with_its_last_user)
{
    crawl_request request = request_for("http://example.org/", 0, 0);
    cw_frontier_parent *parent = cw_frontier_parent_create(crawl_slice_from("http://example.org/from"));
    cw_frontier_item *items[3];
    for (size_t i = 0; i < 3; i++) {
        items[i] = cw_frontier_item_create(&request, crawl_slice_from("http://example.org"), 0);
        cw_frontier_item_set_parent(items[i], parent);
    }
    crawl_lease lease;
    cw_frontier_item_describe(items[1], &lease);
    ASSERT_TEXT(lease.parent, "http://example.org/from");
    cr_assert_null(cw_frontier_item_leave_parent(items[1]));
    cr_assert_null(cw_frontier_item_leave_parent(items[1]), "left already");
    cr_assert_null(cw_frontier_item_leave_parent(items[0]));
    cr_assert_eq(cw_frontier_item_leave_parent(items[2]), parent);
    free(parent);
    for (size_t i = 0; i < 3; i++)
        free(items[i]);
}

Test(order, key_ranks_urgency_priority_depth_and_sequence_in_this_order)
{
    crawl_request request = request_for("http://example.org/", 5, 0);
    cw_frontier_item *item = cw_frontier_item_create(&request, crawl_slice_from("http://example.org"), 0);
    cw_heap_key plain = cw_frontier_order_key(CRAWL_ORDER_BFS, item, 10);
    cr_assert(cw_heap_key_less(cw_frontier_order_key(CRAWL_ORDER_BFS, item, 9), plain), "sequence");
    item->depth = 4;
    cr_assert(cw_heap_key_less(cw_frontier_order_key(CRAWL_ORDER_BFS, item, 11), plain), "depth");
    item->depth = UINT32_MAX;
    cr_assert(cw_heap_key_less(plain, cw_frontier_order_key(CRAWL_ORDER_BFS, item, 0)),
              "depth beyond what a key holds");
    item->priority = 1;
    cr_assert(cw_heap_key_less(cw_frontier_order_key(CRAWL_ORDER_BFS, item, 11), plain), "priority");
    item->priority = INT32_MIN;
    cr_assert(cw_heap_key_less(plain, cw_frontier_order_key(CRAWL_ORDER_BFS, item, 0)), "least priority");
    item->flags |= CW_ITEM_URGENT;
    cr_assert(cw_heap_key_less(cw_frontier_order_key(CRAWL_ORDER_BFS, item, 11), plain), "urgency");
    free(item);
}

Test(order, depth_counts_in_breadth_first_alone)
{
    crawl_request request = request_for("http://example.org/", 5, 0);
    cw_frontier_item *item = cw_frontier_item_create(&request, crawl_slice_from("http://example.org"), 0);
    cr_assert_eq(cw_frontier_order_key(CRAWL_ORDER_DFS, item, 0).high,
                 cw_frontier_order_key(CRAWL_ORDER_BEST, item, 0).high);
    item->depth = 1;
    cr_assert_eq(cw_frontier_order_key(CRAWL_ORDER_BFS, item, 0).high & CW_FRONTIER_KEY_DEPTH_MAX, 1);
    cr_assert_eq(cw_frontier_order_key(CRAWL_ORDER_BEST, item, 0).high & CW_FRONTIER_KEY_DEPTH_MAX, 0);
    free(item);
}

Test(order, sequences_of_batches)
{
    cw_frontier_sequence sequence = cw_frontier_sequence_start();
    uint64_t first = cw_frontier_sequence_batch(&sequence, CRAWL_ORDER_BFS, 3);
    cr_assert_eq(cw_frontier_sequence_batch(&sequence, CRAWL_ORDER_BFS, 1), first + 3);
    first = cw_frontier_sequence_batch(&sequence, CRAWL_ORDER_DFS, 3);
    cr_assert_eq(cw_frontier_sequence_batch(&sequence, CRAWL_ORDER_DFS, 5) + 5, first, "the younger batch goes first");
}
