#include "shared/store/joint_notes.h"

#include "base/bytes.h"
#include "frontier/memory/memory_notes.h"
#include "shared/store/hold.h"

#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>

enum { NOTES_AT_ONCE = 256, TRIES_MAX = 3 };

/* Begins the name of a note that says that the crawl has the cookies of a file: a server without the note lacks the
 * cookies too, and they can be given again. */
#define COOKIES "#cookies "

/* A note to write. */
typedef struct cw_joint_note {
    struct cw_joint_note *next;
    crawl_slice name, note;
    char texts[];
} cw_joint_note;

/* ---- under the lock ---- */

static bool is_of_crawl(crawl_slice name)
{
    return !name.size || name.data[0] == '#';
}

/* Sets the note of an origin. If this process no longer has the host, the news is left to the process that has it. */
static crawl_err set_of_origin(crawl_frontier *frontier, crawl_slice origin, crawl_slice note)
{
    cw_joint_hold *hold = cw_joint_hold_of_origin(cw_joint_of(frontier), origin);
    if (!hold)
        return CRAWL_OK;
    crawl_err err = crawl_buf_reserve(&hold->note, note.size);
    if (err)
        return err;
    crawl_buf_clear(&hold->note);
    (void)crawl_buf_append(&hold->note, note.data, note.size); /* room is reserved */
    hold->is_changed = true;
    return CRAWL_OK;
}

static cw_joint_note *joint_make_note(crawl_slice name, crawl_slice note)
{
    cw_joint_note *made = malloc(sizeof *made + name.size + note.size);
    if (!made)
        return NULL;
    if (name.size)
        memcpy(made->texts, name.data, name.size);
    if (note.size)
        memcpy(made->texts + name.size, note.data, note.size);
    made->next = NULL;
    made->name = crawl_slice_of(made->texts, name.size);
    made->note = crawl_slice_of(made->texts + name.size, note.size);
    return made;
}

static void joint_notes_append(cw_joint_notes *notes, cw_joint_note *made)
{
    *(notes->unsent_last ? &notes->unsent_last->next : &notes->unsent) = made;
    notes->unsent_last = made;
}

static crawl_err joint_notes_set_one(crawl_frontier *frontier, crawl_slice name, crawl_slice note)
{
    cw_joint *joint = cw_joint_of(frontier);
    if (!is_of_crawl(name))
        return set_of_origin(frontier, name, note);
    cw_joint_note *made = joint_make_note(name, note);
    crawl_err err = made ? cw_frontier_notes_set(&joint->notes->map, &frontier->memory, name, note) : CRAWL_ENOMEM;
    if (err) {
        free(made);
        return err;
    }
    joint_notes_append(joint->notes, made);
    return CRAWL_OK;
}

crawl_err cw_joint_notes_set(crawl_frontier *frontier, const crawl_note *notes, size_t count)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < count && !err; i++)
        err = joint_notes_set_one(frontier, notes[i].name, notes[i].note);
    return err;
}

crawl_err cw_joint_notes_get(crawl_frontier *frontier, crawl_slice name, crawl_buf *note)
{
    if (is_of_crawl(name))
        return cw_frontier_notes_get(cw_joint_of(frontier)->notes->map, name, note);
    const cw_joint_hold *hold = cw_joint_hold_of_origin(cw_joint_of(frontier), name);
    return hold && hold->note.size ? crawl_buf_append(note, hold->note.data, hold->note.size) : CRAWL_ABSENT;
}

crawl_err cw_joint_notes_walk(crawl_frontier *frontier, crawl_slice prefix, crawl_slice after, cw_each_note *each,
                              void *user)
{
    if (after.size)
        return CRAWL_ESTATE;
    pthread_mutex_lock(&frontier->lock);
    cw_frontier_notes_walk(cw_joint_of(frontier)->notes->map, prefix, each, user);
    pthread_mutex_unlock(&frontier->lock);
    return CRAWL_OK;
}

/* Sends a note again if it was not read. */
static bool joint_notes_bring_one(crawl_slice name, crawl_slice note, void *user)
{
    cw_joint *joint = user;
    if (cw_starts_with(name, COOKIES) || (joint->notes->read && cw_map_get(joint->notes->read, name)))
        return true;
    cw_joint_note *made = joint_make_note(name, note);
    if (made)
        joint_notes_append(joint->notes, made);
    else
        cw_joint_fail(joint, CRAWL_ENOMEM, crawl_strerror(CRAWL_ENOMEM));
    return made;
}

void cw_joint_notes_bring(cw_joint *joint)
{
    joint->notes->brings = true;
    joint->notes->compares = false;
    joint->notes->reads_again = true;
}

/* ---- writing, on the thread ---- */

static void joint_free_notes(cw_joint_note *note)
{
    while (note) {
        cw_joint_note *next = note->next;
        free(note);
        note = next;
    }
}

/* Drops the first note that was sent. If the notes are being read, it may be missing from what was read before. */
static void joint_notes_drop_first(cw_joint *joint)
{
    cw_joint_notes *notes = joint->notes;
    cw_joint_note *first = notes->sending;
    if (notes->is_reading && cw_frontier_notes_set(&notes->read, &joint->frontier->memory, first->name, first->note))
        cw_joint_fail(joint, CRAWL_ENOMEM, crawl_strerror(CRAWL_ENOMEM));
    notes->sending = first->next;
    free(first);
}

/* If the number rose by more than one, somebody else has written as well. */
static void joint_notes_on_written(void *user, const crawl_redis_answer *said)
{
    cw_joint *joint = user;
    joint->notes->is_writing = false;
    if (said->fault) {
        cw_joint_fault(joint, said->fault, said->words);
        return;
    }
    pthread_mutex_lock(&joint->frontier->lock);
    for (int i = 0; i < NOTES_AT_ONCE && joint->notes->sending; i++)
        joint_notes_drop_first(joint);
    pthread_mutex_unlock(&joint->frontier->lock);
    uint64_t version = said->reply->type == CRAWL_REDIS_NUMBER ? (uint64_t)said->reply->number : 0;
    if (version == joint->notes->version + 1)
        joint->notes->version = version;
    else
        cw_joint_notes_read(joint);
}

void cw_joint_notes_send(cw_joint *joint)
{
    crawl_slice texts[2 * NOTES_AT_ONCE];
    size_t count = 0;
    if (joint->notes->is_writing)
        return;
    if (!joint->notes->sending) {
        pthread_mutex_lock(&joint->frontier->lock);
        joint->notes->sending = joint->notes->unsent;
        joint->notes->unsent = joint->notes->unsent_last = NULL;
        pthread_mutex_unlock(&joint->frontier->lock);
    }
    if (!joint->notes->sending)
        return;
    for (const cw_joint_note *note = joint->notes->sending; note && count < 2 * NOTES_AT_ONCE; note = note->next) {
        texts[count++] = note->name;
        texts[count++] = note->note;
    }
    joint->notes->is_writing =
        cw_shared_write_notes(joint->shared, texts, count, joint_notes_on_written, joint) == CRAWL_OK;
}

bool cw_joint_notes_are_sent(cw_joint *joint)
{
    pthread_mutex_lock(&joint->frontier->lock);
    bool has_some = joint->notes->unsent != NULL;
    pthread_mutex_unlock(&joint->frontier->lock);
    return !has_some && !joint->notes->sending && !joint->notes->is_writing && !joint->notes->brings;
}

/* ---- reading, on the thread ---- */

crawl_err cw_joint_notes_scan(crawl_redis *redis, const char *name, const char *cursor, crawl_redis_done done,
                              void *user)
{
    char key[CW_SHARED_NAME_MAX + 16];
    snprintf(key, sizeof key, "{%.200s}:notes", name);
    return crawl_redis_send_texts(redis, done, user, "HSCAN", key, cursor, "COUNT", "1000", NULL);
}

const crawl_redis_reply *cw_joint_notes_scanned(const crawl_redis_reply *reply, crawl_slice *next)
{
    bool is_scan = reply->type == CRAWL_REDIS_ARRAY && reply->count == 2 && reply->items[0].type == CRAWL_REDIS_TEXT &&
                   reply->items[1].type == CRAWL_REDIS_ARRAY;
    const crawl_redis_reply *part = is_scan ? &reply->items[1] : NULL;
    bool is_sound = part && part->count % 2 == 0;
    for (size_t i = 0; is_sound && i < part->count; i++)
        is_sound = part->items[i].type == CRAWL_REDIS_TEXT;
    if (is_sound)
        *next = reply->items[0].text;
    return is_sound ? part : NULL;
}

static void joint_notes_on_again(evutil_socket_t, short, void *user)
{
    cw_joint *joint = user;
    if (!joint->thread.has_begun && joint->is_up)
        cw_joint_notes_ask(joint);
}

/* Reads the notes at the next turn; while the crawl is joined there are no turns, so in a moment. */
static void read_later(cw_joint *joint)
{
    const struct timeval moment = {.tv_usec = 100000};
    joint->notes->reads_again = true;
    if (!joint->thread.has_begun && atomic_load(&joint->faults.failed))
        event_base_loopbreak(joint->thread.base);
    else if (!joint->thread.has_begun)
        event_base_once(joint->thread.base, -1, EV_TIMEOUT, joint_notes_on_again, joint, &moment);
}

/* Ends the wait of hosts for notes. */
static void let_hosts_go(cw_joint *joint)
{
    int64_t now = cw_frontier_enter(joint->frontier, INT64_MIN);
    for (size_t i = 0; i < joint->holds->count; i++) {
        cw_joint_hold *hold = joint->holds->list[i];
        if (!hold->awaits_notes)
            continue;
        hold->awaits_notes = false;
        cw_joint_hold_place(hold, now);
    }
    cw_frontier_leave(joint->frontier);
}

/* Keeps notes that were set here and are not in Redis yet. */
static crawl_err keep_unsent(cw_joint *joint, const cw_joint_note *note)
{
    crawl_err err = CRAWL_OK;
    for (; note && !err; note = note->next)
        err = cw_frontier_notes_set(&joint->notes->map, &joint->frontier->memory, note->name, note->note);
    return err;
}

static void joint_notes_forget_read(cw_joint *joint)
{
    cw_frontier_notes_clear(joint->notes->read, &joint->frontier->memory);
    cw_frontier_notes_free(joint->notes->read);
    joint->notes->read = NULL;
}

/* Puts what was read in the place of what was known, and brings what the server has lost. */
static crawl_err exchange_notes(cw_joint *joint)
{
    cw_map *before = joint->notes->map;
    if (joint->notes->compares)
        cw_frontier_notes_walk(before, (crawl_slice){0}, joint_notes_bring_one, joint);
    joint->notes->brings = joint->notes->compares = false;
    joint->notes->map = joint->notes->read;
    joint->notes->read = before;
    joint_notes_forget_read(joint);
    crawl_err err = keep_unsent(joint, joint->notes->sending);
    return err ? err : keep_unsent(joint, joint->notes->unsent);
}

/* Returns true if what was read may take the place of what was known. A cursor counts only for the server that gave it:
 * if the hash moves to another one meanwhile, notes are missing. A note may have been deleted, too, so that there are
 * truly fewer. */
static bool joint_notes_are_whole(cw_joint_notes *notes)
{
    uint64_t count = notes->read ? cw_map_count(notes->read) : 0;
    bool is_short = count < notes->least && notes->tries < TRIES_MAX;
    notes->tries = is_short ? notes->tries + 1 : 0;
    return !is_short && notes->compares == notes->brings;
}

/* Takes a part of the notes. *next: the cursor of the next part; "0": there is none. */
static crawl_err take_notes(cw_joint *joint, const crawl_redis_reply *reply, crawl_slice *next)
{
    const crawl_redis_reply *part = cw_joint_notes_scanned(reply, next);
    crawl_err err = part ? CRAWL_OK : CRAWL_ECORRUPT;
    pthread_mutex_lock(&joint->frontier->lock);
    for (size_t i = 0; !err && i < part->count; i += 2)
        err = cw_frontier_notes_set(&joint->notes->read, &joint->frontier->memory, part->items[i].text,
                                    part->items[i + 1].text);
    if (!err && cw_is(*next, "0")) {
        if (joint_notes_are_whole(joint->notes))
            err = exchange_notes(joint);
        else
            joint->notes->reads_again = true;
    }
    pthread_mutex_unlock(&joint->frontier->lock);
    return err;
}

static void joint_notes_scan(cw_joint *joint, const char *cursor);

static void joint_on_notes(void *user, const crawl_redis_answer *said)
{
    cw_joint *joint = user;
    crawl_slice next = {0};
    joint->notes->is_reading = false;
    crawl_err err = said->fault ? CRAWL_OK : take_notes(joint, said->reply, &next);
    if (!err && !said->fault && !cw_is(next, "0")) {
        joint_notes_scan(joint, next.data);
        return;
    }
    if (err)
        cw_joint_fail(joint, err, "the notes of the crawl cannot be read");
    if (said->fault)
        cw_joint_fault(joint, said->fault, said->words);
    if (said->fault || joint->notes->reads_again) {
        read_later(joint);
        return;
    }
    if (!joint->thread.has_begun) { /* the crawl is just joined, and waited only for the notes */
        joint->notes->are_read = true;
        event_base_loopbreak(joint->thread.base);
    } else if (joint->options.on_notes) {
        joint->options.on_notes(joint->options.user);
    }
    if (!joint->notes->questions) /* otherwise a host may have come since, and its question decides */
        let_hosts_go(joint);
}

/* Reads a part of the notes. */
static void joint_notes_scan(cw_joint *joint, const char *cursor)
{
    joint->notes->is_reading =
        cw_joint_notes_scan(joint->redis, joint->name, cursor, joint_on_notes, joint) == CRAWL_OK;
    joint->notes->reads_again = joint->notes->reads_again || !joint->notes->is_reading;
}

/* Reads the notes after their count. */
static void on_count(void *user, const crawl_redis_answer *said)
{
    cw_joint *joint = user;
    joint->notes->is_reading = false;
    if (said->fault) {
        cw_joint_fault(joint, said->fault, said->words);
        read_later(joint);
        return;
    }
    joint->notes->least = said->reply->type == CRAWL_REDIS_NUMBER ? (uint64_t)said->reply->number : 0;
    joint_notes_scan(joint, "0");
}

static void joint_notes_count(cw_joint *joint)
{
    char key[CW_SHARED_NAME_MAX + 16];
    snprintf(key, sizeof key, "{%s}:notes", joint->name);
    joint->notes->is_reading = crawl_redis_send_texts(joint->redis, on_count, joint, "HLEN", key, NULL) == CRAWL_OK;
    joint->notes->reads_again = joint->notes->reads_again || !joint->notes->is_reading;
}

/* Reads the notes after their number: a note written in between is read twice, and never missed. */
static void on_version(void *user, const crawl_redis_answer *said)
{
    cw_joint *joint = user;
    uint64_t version = 0;
    joint->notes->questions--;
    if (!said->fault && said->reply->type == CRAWL_REDIS_TEXT)
        version = strtoull(said->reply->text.data, NULL, 10);
    if (said->fault) {
        cw_joint_fault(joint, said->fault, said->words);
        read_later(joint);
    } else if (version == joint->notes->version && !joint->notes->is_reading && !joint->notes->reads_again) {
        let_hosts_go(joint);
    } else if (joint->notes->is_reading) {
        joint->notes->reads_again = true;
    } else {
        joint->notes->version = version;
        joint->notes->reads_again = false;
        joint->notes->compares = joint->notes->brings;
        pthread_mutex_lock(&joint->frontier->lock);
        joint_notes_forget_read(joint); /* of a reading that a fault ended */
        pthread_mutex_unlock(&joint->frontier->lock);
        joint_notes_count(joint);
    }
}

/* Asks for the number of the notes, after the answer of a take. */
void cw_joint_notes_ask(cw_joint *joint)
{
    char key[CW_SHARED_NAME_MAX + 16];
    snprintf(key, sizeof key, "{%s}:noted", joint->name);
    if (crawl_redis_send_texts(joint->redis, on_version, joint, "GET", key, NULL))
        joint->notes->reads_again = true;
    else
        joint->notes->questions++;
}

void cw_joint_notes_ask_again(cw_joint *joint)
{
    if (joint->notes->reads_again && joint->is_up && !joint->notes->is_reading && !joint->notes->questions)
        cw_joint_notes_ask(joint);
}

void cw_joint_notes_read(cw_joint *joint)
{
    joint->notes->reads_again = true;
    cw_joint_notes_ask(joint);
}

void cw_joint_notes_free(cw_joint_notes *notes)
{
    joint_free_notes(notes->sending);
    joint_free_notes(notes->unsent);
    cw_frontier_notes_free(notes->map);
    cw_frontier_notes_free(notes->read);
}
