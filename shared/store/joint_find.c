/* Looks up one request and its host, the crawl's notes and its cookies, for users: see <crawl/sys/shared.h>. */
#include "base/bytes.h"
#include "base/error.h"
#include "shared/store/joint_bytes.h"
#include "shared/store/joint_notes.h"

#include <crawl/sys/shared.h>
#include <stdio.h>
#include <stdlib.h>

static crawl_err fault_of(crawl_redis_fault fault, const char *words, crawl_error *error)
{
    bool is_foreign = fault == CRAWL_REDIS_WRONGTYPE || fault == CRAWL_REDIS_PROTOCOL;
    return crawl_error_set(error, is_foreign ? CRAWL_ECORRUPT : CRAWL_ENET, "%s",
                           *words ? words : crawl_redis_fault_words(fault));
}

/* ---- a request ---- */

typedef struct finder {
    cw_shared *shared;
    crawl_shared_on_found *done;
    void *user;
    crawl_buf origin, url;
    cw_frontier_item *item; /* NULL: not found */
} finder;

static void free_finder(finder *f)
{
    cw_shared_free(f->shared);
    crawl_buf_free(&f->origin);
    crawl_buf_free(&f->url);
    if (f->item)
        free(cw_frontier_item_leave_parent(f->item));
    free(f->item);
    free(f);
}

static crawl_err joint_find_describe(finder *f, crawl_slice bytes, crawl_lease *out)
{
    crawl_err err = cw_joint_request_read(bytes, &f->item);
    if (err)
        return err;
    cw_frontier_item_describe(f->item, out);
    crawl_slice url = cw_frontier_item_url(f->item);
    out->origin = crawl_buf_slice(&f->origin);
    if (!(f->item->flags & CW_ITEM_WHOLE))
        err = crawl_buf_append(&f->url, f->origin.data, f->origin.size);
    if (!err)
        err = crawl_buf_append(&f->url, url.data, url.size);
    out->url = crawl_buf_slice(&f->url);
    return err;
}

static crawl_err take_found(finder *f, const cw_shared_found *said, crawl_shared_found *out)
{
    cw_joint_record record;
    if (!cw_joint_record_read(said->record, &record))
        return CRAWL_ECORRUPT;
    *out = (crawl_shared_found){
        .now_ms = said->now_ms,
        .is_seen = said->is_seen,
        .held = {.filter = said->link, .filters = said->links, .fpr = said->rate},
        .where = (crawl_shared_where)said->where,
        .is_whole = said->is_whole,
        .before = said->before,
        .due_ms = said->at_ms,
        .has_host = said->is_known,
        .host = {.origin = crawl_buf_slice(&f->origin),
                 .pause_ms = record.pause_ms,
                 .blocked_ms = record.block_ms ? record.block_ms : INT64_MIN,
                 .started_ms = INT64_MIN,
                 .share = record.share},
        .open_ms = said->open_ms,
        .process = said->worker,
        .until_ms = said->until_ms,
        .note = record.note,
    };
    return said->where == CW_SHARED_NOWHERE ? CRAWL_OK : joint_find_describe(f, said->bytes, &out->request);
}

static void joint_find_on_found(void *user, const cw_shared_found *said)
{
    finder *f = user;
    crawl_error error = {0};
    crawl_shared_found found;
    crawl_err err = said->fault ? fault_of(said->fault, said->words, &error) : take_found(f, said, &found);
    if (err == CRAWL_ENOMEM)
        (void)cw_error(&error, err);
    else if (err && !said->fault)
        crawl_error_set(&error, err, "what is kept of the request or of its host cannot be read");
    f->done(f->user, err, &error, err ? NULL : &found);
    free_finder(f);
}

crawl_err crawl_shared_find(crawl_redis *redis, const char *name, const crawl_shared_filter *filter, crawl_slice origin,
                            const crawl_fingerprint *fingerprint, crawl_shared_on_found *done, void *user,
                            crawl_error *error)
{
    const cw_shared_options options = {.redis = redis,
                                       .name = name,
                                       .worker = "a look",
                                       .seen = filter->is_dupefilter ? CW_SHARED_DUPEFILTER
                                               : filter->is_exact    ? CW_SHARED_EXACT
                                                                     : CW_SHARED_SCALABLE,
                                       .rate = filter->rate,
                                       .capacity = filter->planned,
                                       .lease_ms = 1000};
    crawl_slice begins = crawl_slice_of((const char *)fingerprint->bytes, CRAWL_FINGERPRINT_SIZE);
    finder *f = calloc(1, sizeof *f);
    if (!f)
        return cw_error(error, CRAWL_ENOMEM);
    *f = (finder){.done = done, .user = user};
    crawl_err err = cw_shared_create(&options, &f->shared, error);
    if (!err) {
        err = crawl_buf_append(&f->origin, origin.data, origin.size);
        if (!err)
            err = cw_shared_find(f->shared, origin, fingerprint->bytes, begins, joint_find_on_found, f);
        if (err)
            (void)cw_error(error, err);
    }
    if (err)
        free_finder(f);
    return err;
}

/* ---- notes ---- */

typedef struct note_reader {
    crawl_redis *redis;
    crawl_shared_on_note *each;
    crawl_shared_on_end *done;
    void *user;
    char name[];
} note_reader;

static void joint_find_on_notes(void *user, const crawl_redis_answer *said)
{
    note_reader *r = user;
    crawl_slice next = {0};
    crawl_error error = {0};
    crawl_err err = said->fault ? fault_of(said->fault, said->words, &error) : CRAWL_OK;
    const crawl_redis_reply *part = err ? NULL : cw_joint_notes_scanned(said->reply, &next);
    if (!err && !part)
        err = fault_of(CRAWL_REDIS_PROTOCOL, "", &error);
    for (size_t i = 0; part && i < part->count; i += 2)
        r->each(r->user, part->items[i].text, part->items[i + 1].text);
    if (!err && !cw_is(next, "0")) {
        err = cw_joint_notes_scan(r->redis, r->name, next.data, joint_find_on_notes, r);
        if (!err)
            return;
        (void)cw_error(&error, err);
    }
    r->done(r->user, err, &error);
    free(r);
}

crawl_err crawl_shared_notes(crawl_redis *redis, const char *name, crawl_shared_on_note *each,
                             crawl_shared_on_end *done, void *user, crawl_error *error)
{
    note_reader *r = malloc(sizeof *r + strlen(name) + 1);
    if (!r)
        return cw_error(error, CRAWL_ENOMEM);
    *r = (note_reader){.redis = redis, .each = each, .done = done, .user = user};
    strcpy(r->name, name);
    crawl_err err = cw_joint_notes_scan(redis, name, "0", joint_find_on_notes, r);
    if (err) {
        free(r);
        (void)cw_error(error, err);
    }
    return err;
}

/* ---- cookies ---- */

typedef struct cookie_reader {
    cw_shared *shared;
    crawl_shared_on_cookie *each;
    crawl_shared_on_end *done;
    void *user;
    size_t owed; /* answers, plus one for the call itself */
    crawl_err err;
    crawl_error error; /* the first */
} cookie_reader;

static void joint_find_end_one(cookie_reader *r)
{
    if (--r->owed)
        return;
    r->done(r->user, r->err, &r->error);
    cw_shared_free(r->shared);
    free(r);
}

static void tell_all(const cookie_reader *r, const cw_shared_jar *jar)
{
    for (size_t i = 0; i < jar->count; i++)
        if (!(jar->cookies[i].flags & CRAWL_SHARED_COOKIE_DELETED))
            r->each(r->user, &jar->cookies[i]);
}

static void on_jars(void *user, const cw_shared_jars *said)
{
    cookie_reader *r = user;
    if (said->fault && !r->err)
        r->err = fault_of(said->fault, said->words, &r->error);
    for (size_t i = 0; i < said->count && !r->err; i++)
        tell_all(r, &said->jars[i]);
    joint_find_end_one(r);
}

crawl_err crawl_shared_cookies(crawl_redis *redis, const char *name, crawl_shared_on_cookie *each,
                               crawl_shared_on_end *done, void *user, crawl_error *error)
{
    const cw_shared_options options = {
        .redis = redis, .name = name, .worker = "a look", .seen = CW_SHARED_EXACT, .lease_ms = 1000};
    cookie_reader *r = calloc(1, sizeof *r);
    if (!r)
        return cw_error(error, CRAWL_ENOMEM);
    *r = (cookie_reader){.each = each, .done = done, .user = user, .owed = 1};
    crawl_err err = cw_shared_create(&options, &r->shared, error);
    if (err) {
        free(r);
        return err;
    }
    for (unsigned i = 0; i < CW_SHARED_PARTITIONS && !err; i++) {
        err = cw_shared_all_cookies(r->shared, i, on_jars, r);
        r->owed += !err;
    }
    if (err && r->owed == 1) {
        cw_shared_free(r->shared);
        free(r);
        return cw_error(error, err);
    }
    if (err)
        r->err = cw_error(&r->error, err);
    joint_find_end_one(r);
    return CRAWL_OK;
}
