#include "tools/index/feed.h"

#include "base/bytes.h"
#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "tools/common/say.h"
#include "tools/common/status.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char tool[] = "index";

void cw_index_item_free(cw_index_item *item)
{
    if (item)
        free(item->line);
    free(item);
}

void cw_index_feed_pass(uint64_t number)
{
    printf("{\"ack\":%" PRIu64 "}\n", number);
    fflush(stdout);
}

/* Writes a permanently refused document where a person finds it, before the crawl counts it as done. */
static bool feed_keep_refused(cw_index_feed *feed, const cw_index_item *item)
{
    crawl_buf bytes = {0};
    cw_writer line = {&bytes, CRAWL_OK};
    cw_json_text(&line, "{\"id\":", item->id);
    cw_json_int(&line, ",\"version\":", item->version);
    cw_json_words(&line, ",\"reason\":", item->reason);
    cw_json_text(&line, ",\"op\":", crawl_slice_from(item->is_delete ? "delete" : "index"));
    cw_put_text(&line, ",\"record\":");
    cw_put(&line, item->record);
    cw_put_text(&line, "}\n");
    if (!feed->refused)
        feed->refused = fopen(feed->refused_path, "ae");
    bool kept = !line.err && feed->refused && fwrite(bytes.data, 1, bytes.size, feed->refused) == bytes.size &&
                fflush(feed->refused) == 0;
    if (!kept)
        cw_tool_say(tool, "%s: %s", feed->refused_path, line.err ? crawl_strerror(line.err) : strerror(errno));
    crawl_buf_free(&bytes);
    return kept;
}

static bool feed_tell_refused(cw_index_feed *feed, const cw_index_item *item)
{
    crawl_buf bytes = {0};
    cw_writer line = {&bytes, CRAWL_OK};
    cw_json_int(&line, "{\"nack\":", (int64_t)item->number);
    cw_json_text(&line, ",\"retry\":false,\"reason\":", crawl_slice_from(item->reason));
    cw_put_text(&line, "}\n");
    bool told = feed_keep_refused(feed, item) && !line.err;
    if (told)
        fwrite(bytes.data, 1, bytes.size, stdout);
    crawl_buf_free(&bytes);
    return told;
}

/* Reports the items that have a fate, and frees them. The others move to the front; *left is their number. */
static bool feed_settle(cw_index_feed *feed, cw_index_item **items, size_t count, size_t *left)
{
    bool told = true;
    *left = 0;
    for (size_t i = 0; i < count; i++) {
        cw_index_item *item = items[i];
        if (item->fate == CW_INDEX_OPEN || !told) {
            items[(*left)++] = item;
            continue;
        }
        feed->written += item->fate == CW_INDEX_KEPT && !item->is_delete;
        if (item->fate == CW_INDEX_KEPT)
            printf("{\"ack\":%" PRIu64 "}\n", item->number);
        else
            told = feed_tell_refused(feed, item);
        cw_index_item_free(item);
    }
    memset(items + *left, 0, (count - *left) * sizeof *items);
    fflush(stdout);
    return told;
}

/* Waits before the next try. Returns false if the crawl has gone. Its next run requests the pages again, and this retry
 * must not overtake what it sends. */
static bool feed_pause(const cw_index_target *target, unsigned tries)
{
    enum { FIRST_MS = 100, LONGEST_MS = 30000, DOUBLINGS = 9 };
    int64_t ms = cw_most(FIRST_MS << (tries < DOUBLINGS ? tries : DOUBLINGS), target->retry_ms);
    struct pollfd crawl = {.fd = STDIN_FILENO};
    if (tries == 0 && *target->words)
        cw_tool_say(tool, "%s: %s; retrying", target->engine->name, target->words);
    puts("{}"); /* shows that this process lives */
    fflush(stdout);
    return poll(&crawl, 1, (int)cw_least(ms, LONGEST_MS)) <= 0 || !(crawl.revents & POLLHUP);
}

bool cw_index_feed_send(cw_index_feed *feed, cw_index_item **items, size_t count)
{
    cw_index_target *target = &feed->target;
    for (unsigned tries = 0; count; tries++) {
        size_t before = count;
        target->words[0] = '\0';
        target->retry_ms = -1;
        cw_index_outcome outcome = target->engine->send(target, items, count);
        if (outcome == CW_INDEX_HALVE && count == 1)
            cw_index_refuse(items[0], target->words);
        if (!feed_settle(feed, items, before, &count))
            return false;
        if (outcome == CW_INDEX_FAILED) {
            cw_tool_say(tool, "%s: %s", target->engine->name, target->words);
            return false;
        }
        if (outcome == CW_INDEX_HALVE && count > 1) {
            size_t half = count / 2;
            return cw_index_feed_send(feed, items, half) && cw_index_feed_send(feed, items + half, count - half);
        }
        tries = count < before ? 0 : tries;
        if (count && !feed_pause(target, tries))
            return false;
    }
    return true;
}

bool cw_index_feed_refuse(cw_index_feed *feed, cw_index_item *item, const char *reason)
{
    cw_index_refuse(item, reason);
    bool told = feed_tell_refused(feed, item);
    cw_index_item_free(item);
    fflush(stdout);
    return told;
}

/* Counts the documents. A missing index has none. */
static cw_index_outcome feed_count(cw_index_feed *feed)
{
    char path[300];
    cw_index_target *target = &feed->target;
    target->words[0] = '\0';
    snprintf(path, sizeof path, target->engine->count_path, target->index);
    cw_index_answer answer = cw_index_http_ask(target->http, "GET", path, NULL, (crawl_slice){0});
    cw_index_outcome outcome = cw_index_answer_number(target, &answer, target->engine->count_name, &feed->had);
    if (answer.status == 404) {
        feed->had = 0;
        outcome = CW_INDEX_JUDGED;
    }
    return outcome == CW_INDEX_HALVE ? CW_INDEX_FAILED : outcome;
}

/* Returns how many documents a run may delete. */
static uint64_t feed_most_deletes(const cw_index_feed *feed)
{
    enum { ALWAYS = 20, PERCENT = 100 }; /* so few do not show that a site is down */
    uint64_t most = ((uint64_t)feed->had + feed->written) * feed->max_deletes / PERCENT;
    return feed->max_deletes == PERCENT ? UINT64_MAX : most < ALWAYS ? ALWAYS : most;
}

bool cw_index_feed_deletes_left(cw_index_feed *feed, uint64_t *left)
{
    enum { ALL = 100 };
    cw_index_outcome outcome = feed->max_deletes == ALL || feed->had >= 0 ? CW_INDEX_JUDGED : feed_count(feed);
    for (unsigned tries = 0; outcome == CW_INDEX_AGAIN && feed_pause(&feed->target, tries); tries++)
        outcome = feed_count(feed);
    if (outcome == CW_INDEX_FAILED)
        cw_tool_say(tool, "%s: %s", feed->target.engine->name, feed->target.words);
    uint64_t most = feed_most_deletes(feed);
    *left = most > feed->target.deleted ? most - feed->target.deleted : 0;
    return outcome == CW_INDEX_JUDGED;
}

static bool feed_is_done(const cw_index_feed *feed, cw_index_outcome outcome)
{
    if (outcome != CW_INDEX_JUDGED)
        cw_tool_say(tool, "%s: %s", feed->target.engine->name, feed->target.words);
    return outcome == CW_INDEX_JUDGED;
}

int cw_index_feed_purge(cw_index_feed *feed, int64_t before)
{
    int64_t old = 0;
    cw_index_target *target = &feed->target;
    const cw_index_engine *engine = target->engine;
    if (!feed_is_done(feed, feed_count(feed)) || !feed_is_done(feed, engine->purge(target, before, &old)))
        return CW_EXIT_LOCAL;
    if ((uint64_t)old > feed_most_deletes(feed)) {
        cw_tool_say(tool,
                    "%" PRId64 " of %" PRId64 " documents are older, and none was deleted: check that the crawl saw "
                    "the whole site, or raise --max-deletes",
                    old, feed->had);
        return CW_EXIT_NOTHING;
    }
    for (uint64_t was = UINT64_MAX; target->deleted != was && target->deleted < (uint64_t)old;) {
        was = target->deleted;
        if (!feed_is_done(feed, engine->purge(target, before, NULL)))
            return CW_EXIT_LOCAL;
    }
    printf("%" PRIu64 " of %" PRId64 " documents were deleted\n", target->deleted, feed->had);
    return CW_EXIT_OK;
}

bool cw_index_feed_close(cw_index_feed *feed)
{
    return !feed->refused || fclose(feed->refused) == 0;
}
