/* The records of hosts: one per origin, the same for all callers, even beyond the limit; rules are looked up again only
 * when the book has changed. */
#include "config/config_values.h"
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

/* ---- records that are removed ---- */

static atomic_uint gone;
static atomic_bool stays;

static bool may_go(const cw_host_record *)
{
    return !atomic_load(&stays);
}

static void on_gone(void *user, cw_host_record *)
{
    atomic_fetch_add((atomic_uint *)user, 1);
}

static cw_host_table *create_leaving(void)
{
    const cw_host_leaving leaving = {.may_go = may_go, .on_gone = on_gone, .user = &gone};
    cw_host_table *table = cw_host_table_create(0);
    cw_host_table_let_go(table, &leaving);
    return table;
}

static void leave(cw_host_table *table, unsigned number)
{
    char name[64];
    snprintf(name, sizeof name, "http://host%u.example", number);
    cw_host_table_leave(table, crawl_slice_from(name));
}

Test(host_table, hosts_that_have_left_are_forgotten)
{
    enum { HOSTS = 5000 };
    cw_host_table *table = create_leaving();
    for (unsigned i = 0; i < HOSTS; i++) {
        cw_host_record_release(get(table, i));
        cr_assert_eq(cw_host_table_count(table), i % 10 + 1, "it stays between two visits");
        for (unsigned back = 0; i % 10 == 9 && back < 10; back++)
            leave(table, i - back);
    }
    cr_expect_eq(cw_host_table_count(table), 0);
    cr_expect_eq(gone, HOSTS);
    leave(table, 7);
    cr_expect_null(cw_host_table_find(table, crawl_slice_from("http://host7.example")));
    cw_host_table_free(table);
}

Test(host_table, and_not_before_nobody_uses_them)
{
    cw_host_record *named;
    cw_host_table *table = create_leaving();
    cw_host_record *visit = get(table, 1);
    cr_assert_eq(cw_host_table_get_named(table, crawl_slice_from("http://host1.example"), &named), CRAWL_OK);
    leave(table, 1);
    cw_host_record_release(visit);
    cr_expect_eq(cw_host_table_count(table), 1);
    cw_host_record_release(named);
    cr_expect_eq(cw_host_table_count(table), 0);
    visit = get(table, 2);
    leave(table, 2);
    cr_expect_eq(get(table, 2), visit, "it comes back before it is forgotten");
    cw_host_record_release(visit);
    cw_host_record_release(visit);
    cr_expect_eq(cw_host_table_count(table), 1);
    stays = true;
    leave(table, 2);
    cr_expect_eq(cw_host_table_count(table), 1);
    stays = false;
    cw_host_record_release(cw_host_table_find(table, crawl_slice_from("http://host2.example")));
    cr_expect_eq(cw_host_table_count(table), 0);
    cw_host_table_free(table);
}

static void *come_and_go(void *user)
{
    asker *one = user;
    for (unsigned i = 0; i < 20000; i++) {
        cw_host_record *host = get(one->table, i % 5);
        cw_host_record_lock(host);
        host->gate.asked++;
        cw_host_record_unlock(host);
        leave(one->table, i % 7);
        cw_host_record_release(host);
    }
    return NULL;
}

Test(host_table, nobody_has_a_record_that_was_forgotten)
{
    enum { THREADS = 4 };
    static asker askers[THREADS];
    cw_host_table *table = create_leaving();
    for (unsigned i = 0; i < THREADS; i++) {
        askers[i].table = table;
        cr_assert_eq(pthread_create(&askers[i].thread, NULL, come_and_go, &askers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(askers[i].thread, NULL);
    for (unsigned i = 0; i < 5; i++)
        leave(table, i);
    cr_expect_eq(cw_host_table_count(table), 0);
    cw_host_table_free(table);
}

Test(host_table, rules_are_looked_up_again_when_a_seed_changes_them)
{
    crawl_config config;
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
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
    cw_config_clear(&config);
}
