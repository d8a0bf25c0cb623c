/* Entries in notes: they are read back in order, whatever their sizes; and invalid ones are reported. */
#include "base/files/note_log.h"

#include <crawl/frontier.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

enum { NOTES_MAX = 16 };

/* Storage of the log. */
typedef struct notes {
    char names[NOTES_MAX][32];
    crawl_buf texts[NOTES_MAX];
    size_t count;
    crawl_err answer;
} notes;

static crawl_err set(void *user, crawl_slice name, crawl_slice note)
{
    notes *all = user;
    if (all->answer)
        return all->answer;
    cr_assert_lt(all->count, NOTES_MAX);
    cr_assert_leq(note.size, CRAWL_NOTE_MAX);
    snprintf(all->names[all->count], sizeof all->names[0], "%.*s", (int)name.size, name.data);
    return crawl_buf_append(&all->texts[all->count++], note.data, note.size);
}

static bool collect(crawl_slice entry, void *user)
{
    crawl_buf *out = user;
    return crawl_buf_printf(out, "%zu ", entry.size) == CRAWL_OK;
}

/* Appends the sizes of the entries of all notes, as another process reads them. */
static crawl_err read_all(cw_note_log *log, const notes *all, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < all->count && !err; i++)
        err = cw_note_log_read(log, crawl_slice_from(all->names[i]), crawl_buf_slice(&all->texts[i]), collect, out);
    return err;
}

static void free_notes(notes *all)
{
    for (size_t i = 0; i < NOTES_MAX; i++)
        crawl_buf_free(&all->texts[i]);
}

Test(note_log, entries_come_again_in_their_order)
{
    notes all = {.answer = CRAWL_OK};
    crawl_buf found = {0};
    cw_note_log log, later;
    cw_note_log_init(&log, "#x ", CRAWL_NOTE_MAX);
    cr_assert_eq(cw_note_log_add(&log, crawl_slice_from("lost"), (crawl_slice){0}), CRAWL_OK); /* not stored yet */
    cw_note_log_keep(&log, set, &all);
    cr_assert_eq(cw_note_log_flush(&log), CRAWL_OK);
    cr_assert_eq(all.count, 0, "nothing to write");
    cr_assert_eq(cw_note_log_add(&log, crawl_slice_from("ab"), crawl_slice_from("c")), CRAWL_OK);
    cr_assert_eq(cw_note_log_add(&log, (crawl_slice){0}, (crawl_slice){0}), CRAWL_OK);
    cr_assert_eq(cw_note_log_flush(&log), CRAWL_OK);
    cr_assert_eq(cw_note_log_add(&log, crawl_slice_from("abcde"), (crawl_slice){0}), CRAWL_OK);
    cr_assert_eq(cw_note_log_flush(&log), CRAWL_OK);
    cw_note_log_init(&later, "#x ", CRAWL_NOTE_MAX);
    cr_assert_eq(read_all(&later, &all, &found), CRAWL_OK);
    cr_assert_str_eq(found.data, "3 0 5 ");
    cw_note_log_keep(&later, set, &all);
    cr_assert_eq(cw_note_log_add(&later, crawl_slice_from("1234567"), (crawl_slice){0}), CRAWL_OK);
    cr_assert_eq(cw_note_log_flush(&later), CRAWL_OK);
    cr_assert_str_eq(all.names[0], "#x 00000000000000000000");
    cr_assert_str_eq(all.names[2], "#x 00000000000000000002", "behind those of the run before");
    cw_note_log_free(&log);
    cw_note_log_free(&later);
    crawl_buf_free(&found);
    free_notes(&all);
}

Test(note_log, many_fill_several_notes)
{
    enum { COUNT = 60 };
    notes all = {.answer = CRAWL_OK};
    crawl_buf found = {0};
    cw_note_log log;
    char *large = calloc(1, CW_NOTE_ENTRY_MAX + 1);
    cr_assert_not_null(large);
    cw_note_log_init(&log, "#x ", CRAWL_NOTE_MAX);
    cw_note_log_keep(&log, set, &all);
    for (int i = 0; i < COUNT; i++)
        cr_assert_eq(cw_note_log_add(&log, crawl_slice_of(large, CW_NOTE_ENTRY_MAX), (crawl_slice){0}), CRAWL_OK);
    cr_assert_eq(cw_note_log_add(&log, crawl_slice_of(large, CW_NOTE_ENTRY_MAX), crawl_slice_from("x")), CRAWL_OK,
                 "left out");
    cr_assert_eq(cw_note_log_flush(&log), CRAWL_OK);
    cr_assert_geq(all.count, 4);
    cr_assert_eq(read_all(&log, &all, &found), CRAWL_OK);
    cr_assert_eq(found.size, COUNT * strlen("65536 "));
    cw_note_log_free(&log);
    crawl_buf_free(&found);
    free_notes(&all);
    free(large);
}

Test(note_log, what_is_no_entry_is_told)
{
    crawl_buf found = {0};
    cw_note_log log;
    cw_note_log_init(&log, "#x ", CRAWL_NOTE_MAX);
    const crawl_slice name = crawl_slice_from("#x 00000000000000000007");
    cr_assert_eq(cw_note_log_read(&log, crawl_slice_from("#x 7"), (crawl_slice){0}, collect, &found), CRAWL_ECORRUPT);
    cr_assert_eq(cw_note_log_read(&log, name, crawl_slice_of("\3\0\0\0ab", 6), collect, &found), CRAWL_ECORRUPT);
    cr_assert_eq(cw_note_log_read(&log, name, crawl_slice_of("\3\0\0", 3), collect, &found), CRAWL_ECORRUPT);
    cr_assert_eq(cw_note_log_read(&log, name, crawl_slice_of("\3\0\0\0abc", 7), collect, &found), CRAWL_OK);
    cr_assert_eq(log.next, 8);
    cw_note_log_free(&log);
    crawl_buf_free(&found);
}

Test(note_log, a_note_that_cannot_be_set_is_told)
{
    notes all = {.answer = CRAWL_EIO};
    cw_note_log log;
    cw_note_log_init(&log, "#x ", CRAWL_NOTE_MAX);
    cw_note_log_keep(&log, set, &all);
    cr_assert_eq(cw_note_log_add(&log, crawl_slice_from("a"), (crawl_slice){0}), CRAWL_OK);
    cr_assert_eq(cw_note_log_flush(&log), CRAWL_EIO);
    cw_note_log_free(&log);
}

/* A frontier in memory returns its notes in any order. */
Test(note_log, no_note_takes_the_place_of_another)
{
    notes all = {.answer = CRAWL_OK};
    crawl_buf found = {0};
    cw_note_log log;
    cw_note_log_init(&log, "#x ", CRAWL_NOTE_MAX);
    cr_assert_eq(cw_note_log_read(&log, crawl_slice_from("#x 00000000000000000007"), (crawl_slice){0}, collect, &found),
                 CRAWL_OK);
    cr_assert_eq(cw_note_log_read(&log, crawl_slice_from("#x 00000000000000000002"), (crawl_slice){0}, collect, &found),
                 CRAWL_OK);
    cw_note_log_keep(&log, set, &all);
    cr_assert_eq(cw_note_log_add(&log, crawl_slice_from("new"), (crawl_slice){0}), CRAWL_OK);
    cr_assert_eq(cw_note_log_flush(&log), CRAWL_OK);
    cr_assert_eq(all.count, 1);
    cr_expect_str_eq(all.names[0], "#x 00000000000000000008");
    free_notes(&all);
    crawl_buf_free(&found);
    cw_note_log_free(&log);
}
