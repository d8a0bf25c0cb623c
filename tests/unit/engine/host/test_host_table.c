/* The records of hosts: one for an origin, the same for all who ask, beyond the bound too; rules looked up anew only
 * when the book has changed. */
#include "crawler/engine/host/host_table.h"

#include <criterion/criterion.h>
#include <stdio.h>

static cw_host_record *get(cw_host_table *table, unsigned number)
{
    char name[64];
    snprintf(name, sizeof name, "http://host%u.example", number);
    return cw_host_table_get(table, crawl_slice_from(name));
}

Test(host_table, an_origin_has_one_record)
{
    enum { HOSTS = 5000 };
    static cw_host_record *records[HOSTS];
    cw_host_table *table = cw_host_table_create(0);
    for (unsigned i = 0; i < HOSTS; i++)
        records[i] = get(table, i);
    for (unsigned i = 0; i < HOSTS; i++) {
        cr_assert_eq(get(table, i), records[i]);
        cr_assert(!records[i]->is_beyond);
    }
    cr_expect_eq(cw_host_table_count(table), HOSTS);
    cr_expect(crawl_slice_equal(cw_host_record_origin(records[7]), crawl_slice_from("http://host7.example")));
    cw_host_table_free(table);
}

Test(host_table, hosts_beyond_the_bound_are_known_as_such)
{
    cw_host_table *table = cw_host_table_create(2);
    for (unsigned turn = 0; turn < 2; turn++)
        for (unsigned i = 0; i < 4; i++)
            cr_expect_eq(get(table, i)->is_beyond, i >= 2, "%u", i);
    cw_host_record *named;
    cr_expect_eq(cw_host_table_get_named(table, crawl_slice_from("http://host3.example"), &named), CRAWL_OK);
    cr_expect_eq(named, get(table, 3));
    cr_expect_eq(cw_host_table_get_named(table, crawl_slice_from("http://host4.example"), &named), CRAWL_FULL);
    cr_expect_eq(cw_host_table_count(table), 4);
    cw_host_table_free(table);
}

typedef struct asker {
    pthread_t thread;
    cw_host_table *table;
    cw_host_record *found[500];
} asker;

static void *ask_all(void *user)
{
    asker *one = user;
    for (unsigned i = 0; i < 500; i++) {
        one->found[i] = get(one->table, i);
        cw_host_record_lock(one->found[i]);
        one->found[i]->gate.asked++;
        cw_host_record_unlock(one->found[i]);
    }
    return NULL;
}

Test(host_table, threads_get_the_same_record)
{
    enum { THREADS = 4 };
    static asker askers[THREADS];
    cw_host_table *table = cw_host_table_create(0);
    for (unsigned i = 0; i < THREADS; i++) {
        askers[i].table = table;
        cr_assert_eq(pthread_create(&askers[i].thread, NULL, ask_all, &askers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(askers[i].thread, NULL);
    for (unsigned i = 0; i < 500; i++) {
        cr_assert_eq(askers[3].found[i], askers[0].found[i]);
        cr_assert_eq(askers[0].found[i]->gate.asked, THREADS);
    }
    cr_expect_eq(cw_host_table_count(table), 500);
    cw_host_table_free(table);
}

Test(host_table, rules_are_looked_up_again_when_a_seed_changes_them)
{
    crawl_config config;
    cr_assert_eq(crawl_config_init(&config), CRAWL_OK);
    cw_host_book *book;
    cr_assert_eq(cw_host_book_create(&config, &book, NULL), CRAWL_OK);
    cw_host_table *table = cw_host_table_create(0);
    cw_host_record *host = cw_host_table_get(table, crawl_slice_from("http://a.example"));
    crawl_url *url = crawl_url_create();
    cr_assert_eq(crawl_url_parse(url, crawl_slice_from("http://a.example/"), NULL, NULL), CRAWL_OK);
    bool first;
    const cw_host_rules *before = cw_host_record_rules(host, book, &first);
    cr_assert(before && first);
    cr_expect_null(before->access.headers);
    uint32_t age = cw_host_book_age(book);
    cr_assert_eq(cw_host_book_name(book, url), CRAWL_OK);
    cr_expect_eq(cw_host_book_age(book), age, "no section depends on it");
    cr_expect_eq(cw_host_record_rules(host, book, &first), before);
    cr_expect_not(first);
    cr_assert_eq(cw_host_book_add_user(book, url, crawl_slice_from("me"), crawl_slice_from("x")), CRAWL_OK);
    const cw_host_rules *after = cw_host_record_rules(host, book, &first);
    cr_assert_not_null(after);
    cr_expect_not(first);
    cr_expect(after->access.headers && strstr(after->access.headers, "Authorization: Basic bWU6eA=="));
    crawl_url_free(url);
    cw_host_table_free(table);
    cw_host_book_free(book);
    crawl_config_free(&config);
}
