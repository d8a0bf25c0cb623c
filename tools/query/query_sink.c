#include "tools/query/query_sink.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/json/pick.h"
#include "results/results.h"
#include "tools/common/say.h"
#include "tools/common/status.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

static const char tool[] = "query";

typedef struct query_sink {
    cw_results *results;
    crawl_buf in;             /* read, but not yet taken */
    size_t looked;            /* bytes searched for a line end */
    uint64_t taken, answered; /* line numbers */
    int64_t since_ms;         /* when the first taken, unanswered line came */
    bool is_over;             /* "end" was read */
} query_sink;

/* Commits, and acknowledges the committed lines. */
static crawl_err query_sink_commit(query_sink *sink, crawl_error *error)
{
    crawl_err err = sink->taken > sink->answered ? cw_results_commit(sink->results, error) : CRAWL_OK;
    if (err || sink->taken == sink->answered)
        return err;
    sink->answered = sink->taken;
    printf("{\"ack_to\":%" PRIu64 "}\n", sink->taken);
    return fflush(stdout) ? crawl_error_set(error, CRAWL_EIO, "%s", strerror(errno)) : CRAWL_OK;
}

/* Takes the record, if the page is kept, the links of the page, and requests. */
static crawl_err query_sink_take_line(query_sink *sink, crawl_slice line, crawl_error *error)
{
    enum { NUMBER, OP, RECORD, LINKS, REQUESTS, FIELDS };
    static const crawl_slice names[FIELDS] = {CW_JSON_NAME("n"), CW_JSON_NAME("op"), CW_JSON_NAME("record"),
                                              CW_JSON_NAME("links"), CW_JSON_NAME("requests")};
    cw_json_value of[FIELDS];
    if (!cw_json_pick(line, names, FIELDS, of))
        return crawl_error_set(error, CRAWL_EPARSE, "a line is not a JSON object");
    sink->is_over = sink->is_over || (of[OP].kind == CW_JSON_STRING && cw_is(of[OP].bytes, "end"));
    if (of[NUMBER].kind != CW_JSON_NUMBER)
        return CRAWL_OK;
    crawl_err err = CRAWL_OK;
    if (of[LINKS].kind == CW_JSON_ARRAY)
        err = cw_results_links(sink->results, of[LINKS].bytes, error);
    if (!err && of[REQUESTS].kind == CW_JSON_ARRAY)
        err = cw_results_requests(sink->results, of[REQUESTS].bytes, error);
    if (!err && of[RECORD].kind)
        err = cw_results_line(sink->results, of[RECORD].bytes, error);
    if (sink->taken == sink->answered)
        sink->since_ms = cw_now_us() / 1000;
    sink->taken = (uint64_t)cw_json_number(&of[NUMBER]);
    return err;
}

/* Takes all whole lines. */
static crawl_err query_sink_take(query_sink *sink, crawl_error *error)
{
    enum { LINES_MOST = 1000 }; /* per transaction */
    crawl_err err = CRAWL_OK;
    crawl_slice rest = crawl_buf_slice(&sink->in);
    size_t end = sink->looked + cw_find_char(cw_drop(rest, sink->looked), '\n');
    sink->looked = rest.size;
    if (end == rest.size) /* a line of megabytes comes in many pieces */
        return CRAWL_OK;
    for (; end < rest.size && !err; end = cw_find_char(rest, '\n')) {
        err = query_sink_take_line(sink, cw_cut(&rest, '\n'), error);
        if (!err && sink->taken - sink->answered >= LINES_MOST)
            err = query_sink_commit(sink, error);
    }
    memmove(sink->in.data, rest.data, rest.size);
    sink->in.size = sink->looked = rest.size;
    return err;
}

/* Returns how long taken lines may wait for more before a commit, which costs as much as some records; -1: nothing
 * waits. */
static int query_sink_rest_ms(const query_sink *sink)
{
    enum { WHILE_MS = 100 };
    return sink->taken == sink->answered ? -1 : (int)cw_most(sink->since_ms + WHILE_MS - cw_now_us() / 1000, 0);
}

/* Reads more input. *at_end: end of input. */
static crawl_err query_sink_read(query_sink *sink, bool *at_end, crawl_error *error)
{
    enum { PIECE = 256 << 10 };
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    int rest_ms = query_sink_rest_ms(sink);
    crawl_err err = !rest_ms || !poll(&input, 1, rest_ms) ? query_sink_commit(sink, error) : CRAWL_OK;
    if (!err)
        err = crawl_buf_reserve(&sink->in, PIECE);
    if (err)
        return err;
    ssize_t got = read(STDIN_FILENO, sink->in.data + sink->in.size, PIECE);
    if (got < 0 && errno != EINTR)
        return crawl_error_set(error, CRAWL_EIO, "%s", strerror(errno));
    sink->in.size += got > 0 ? (size_t)got : 0;
    *at_end = got == 0;
    return CRAWL_OK;
}

int cw_query_sink(const char *path)
{
    query_sink sink = {0};
    crawl_error error = {0};
    bool at_end = false;
    crawl_err err = cw_results_open(path, &sink.results, &error);
    if (!err)
        cw_results_order_links(sink.results);
    while (!err && !at_end && !sink.is_over) {
        err = query_sink_read(&sink, &at_end, &error);
        if (!err)
            err = query_sink_take(&sink, &error);
    }
    if (!err)
        err = query_sink_commit(&sink, &error);
    if (!err && sink.is_over)
        err = cw_results_finish(sink.results, &error);
    crawl_err close_err = cw_results_close(sink.results, err ? NULL : &error);
    err = err ? err : close_err;
    crawl_buf_free(&sink.in);
    if (err)
        cw_tool_say(tool, "%s: %s", path, *error.message ? error.message : crawl_strerror(err));
    return err ? CW_EXIT_LOCAL : CW_EXIT_OK;
}
