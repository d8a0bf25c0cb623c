/* Notes of a frontier in memory: as those of a durable one, as long as it lives. */
#include "tests/unit/frontier/help.h"

static void expect(crawl_frontier *f, const char *origin, const char *text)
{
    crawl_buf note = {0};
    crawl_err err = crawl_frontier_note_get(f, crawl_slice_from(origin), &note);
    cr_assert_eq(err, text ? CRAWL_OK : CRAWL_ABSENT, "%s: %s", origin, crawl_strerror(err));
    cr_assert(!text || crawl_slice_equal(crawl_buf_slice(&note), crawl_slice_from(text)), "%s: %s", origin, note.data);
    crawl_buf_free(&note);
    check(f);
}

static void set(crawl_frontier *f, const char *origin, const char *text)
{
    cr_assert_eq(crawl_frontier_note_set(f, crawl_slice_from(origin), crawl_slice_from(text)), CRAWL_OK);
}

Test(notes, are_kept_replaced_and_taken_away)
{
    crawl_frontier_options options = test_options();
    crawl_frontier *f = create(&options);
    expect(f, "http://a", NULL);
    set(f, "http://a", "one");
    set(f, "http://b", "two");
    set(f, "", "all");
    expect(f, "http://a", "one");
    set(f, "http://a", "another");
    expect(f, "http://a", "another");
    expect(f, "http://b", "two");
    expect(f, "", "all");
    set(f, "http://b", "");
    expect(f, "http://b", NULL);
    set(f, "http://b", "");
    cr_assert_eq(stats_of(f, 0).hosts, 0, "a note makes no host known");
    crawl_frontier_free(f);
}

Test(notes, of_what_is_no_origin_or_too_long_are_refused)
{
    crawl_frontier_options options = test_options();
    crawl_buf note = {0};
    crawl_frontier *f = create(&options);
    cr_assert_eq(crawl_frontier_note_set(f, crawl_slice_from("a"), crawl_slice_from("x")), CRAWL_EINVAL);
    cr_assert_eq(crawl_frontier_note_set(f, crawl_slice_from("http://a/"), crawl_slice_from("x")), CRAWL_EINVAL);
    cr_assert_eq(crawl_frontier_note_get(f, crawl_slice_from("http://a/"), &note), CRAWL_EINVAL);
    cr_assert_eq(crawl_frontier_note_set(f, crawl_slice_from("http://a"), crawl_slice_of("", CRAWL_NOTE_MAX + 1)),
                 CRAWL_EINVAL);
    crawl_frontier_free(f);
}

typedef struct found {
    unsigned count;
    char names[100];
    char notes[100];
    unsigned most;
} found;

static bool take(crawl_slice name, crawl_slice note, void *user)
{
    found *f = user;
    strncat(f->names, name.data, name.size);
    strncat(f->notes, note.data, note.size);
    return ++f->count < f->most;
}

Test(notes, of_a_name_of_ones_own_are_found_by_its_beginning)
{
    crawl_frontier_options options = test_options();
    crawl_frontier *f = create(&options);
    found all = {.most = 9}, own = {.most = 9}, one = {.most = 1}, none = {.most = 9};
    set(f, "", "w");
    set(f, "http://a", "x");
    set(f, "#own a/b?c", "y");
    set(f, "#other", "z");
    expect(f, "#own a/b?c", "y");
    cr_assert_eq(crawl_frontier_notes(f, crawl_slice_from("#ow"), take, &own), CRAWL_OK);
    cr_assert_str_eq(own.names, "#own a/b?c");
    cr_assert_str_eq(own.notes, "y");
    cr_assert_eq(crawl_frontier_notes(f, (crawl_slice){0}, take, &all), CRAWL_OK);
    cr_assert_eq(all.count, 4);
    cr_assert_eq(crawl_frontier_notes(f, crawl_slice_from("#"), take, &one), CRAWL_OK);
    cr_assert_eq(one.count, 1, "false ends it");
    cr_assert_eq(crawl_frontier_notes(f, crawl_slice_from("o"), take, &none), CRAWL_OK);
    cr_assert_eq(none.count, 0);
    crawl_frontier_free(f);
}
