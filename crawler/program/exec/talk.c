#include "crawler/program/exec/talk.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/json/json_read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum { ANSWER_MAX = 64 << 10, PIECE = 16 << 10, WRITE_AHEAD = 256 << 10 };

/* ---- writing ---- */

static void talk_put_later(cw_exec_output *output, cw_exec_line *line, int64_t after_ms)
{
    line->due_us = cw_now_us() + after_ms * 1000;
    cw_exec_lines_append(&output->later, line);
}

/* Numbers a line and queues its bytes. When out of memory, the line is tried again later. */
static void talk_number(cw_exec_output *output, cw_exec_line *line)
{
    enum { PREFIX_MAX = 32, AGAIN_MS = 1000 };
    uint64_t number;
    crawl_buf *out = &output->to_write;
    if (crawl_buf_reserve(out, PREFIX_MAX + line->size) || cw_exec_open_add(&output->open, line, &number)) {
        talk_put_later(output, line, AGAIN_MS);
        return;
    }
    if (output->open.count == 1)
        output->heard_us = cw_now_us(); /* an answer is expected from now on */
    (void)crawl_buf_printf(out, "{\"n\":%" PRIu64 ",", number);
    (void)crawl_buf_append(out, line->text, line->size);
}

/* Fills to_write from the waiting lines. */
static void talk_fill(cw_exec_output *output)
{
    if (output->written == output->to_write.size) {
        crawl_buf_clear(&output->to_write);
        output->written = 0;
    }
    while (output->to_write.size < WRITE_AHEAD && output->waiting.first)
        talk_number(output, cw_exec_lines_take(&output->waiting));
    bool is_all = !output->waiting.first && !output->later.first;
    if (output->is_told_to_end && is_all && !output->end_is_told)
        output->end_is_told = crawl_buf_append_text(&output->to_write, "{\"op\":\"end\"}\n") == CRAWL_OK;
}

bool cw_exec_talk_has_more(const cw_exec_output *output)
{
    return output->written < output->to_write.size || output->waiting.first;
}

bool cw_exec_talk_write(cw_exec_output *output)
{
    for (;;) {
        talk_fill(output);
        size_t left = output->to_write.size - output->written;
        if (!left)
            return true;
        ssize_t written = write(output->child.input, output->to_write.data + output->written, left);
        if (written < 0 && errno != EINTR)
            return errno == EAGAIN;
        output->written += written > 0 ? (size_t)written : 0;
    }
}

int64_t cw_exec_talk_repeat(cw_exec_output *output, int64_t now_us)
{
    int64_t next_us = INT64_MAX;
    cw_exec_lines all = output->later;
    output->later = (cw_exec_lines){0};
    for (cw_exec_line *line = cw_exec_lines_take(&all); line; line = cw_exec_lines_take(&all)) {
        bool is_due = line->due_us <= now_us;
        cw_exec_lines_append(is_due ? &output->waiting : &output->later, line);
        if (!is_due && line->due_us < next_us)
            next_us = line->due_us;
    }
    return next_us;
}

/* ---- answers ---- */

/* Returns false if the line was answered before. */
static bool talk_settle(cw_exec_output *output, uint64_t number)
{
    cw_exec_line *line = cw_exec_open_answer(&output->open, number);
    if (!line)
        return false;
    cw_outputs_window_leave(&output->window, line->size);
    if (line->receipt)
        crawl_engine_kept(output->options.engine, line->receipt);
    free(line);
    output->pauses = output->at_once = 0;
    return true;
}

static void talk_refuse(cw_exec_output *output, const cw_exec_answer *answer)
{
    if (!talk_settle(output, answer->nack))
        return;
    pthread_mutex_lock(&output->window.lock);
    if (!output->refused++)
        snprintf(output->reason, sizeof output->reason, "%s", answer->reason);
    pthread_mutex_unlock(&output->window.lock);
}

static bool talk_answer(cw_exec_output *output, crawl_slice line, char words[300])
{
    cw_exec_answer answer;
    const cw_exec_open *open = &output->open;
    bool is_answer = cw_exec_answer_read(line, &answer);
    if (!is_answer || !cw_exec_open_knows(open, answer.ack) || !cw_exec_open_knows(open, answer.ack_to) ||
        !cw_exec_open_knows(open, answer.nack)) {
        snprintf(words, 300, "%s: %.*s",
                 is_answer ? "answers for a line that was not sent" : "answers with something other than a JSON object",
                 (int)(line.size < 200 ? line.size : 200), line.data);
        return false;
    }
    output->heard_us = cw_now_us();
    for (uint64_t number = open->answered + 1; number <= answer.ack_to; number++)
        talk_settle(output, number);
    if (answer.ack)
        talk_settle(output, answer.ack);
    if (answer.nack && !answer.retry)
        talk_refuse(output, &answer);
    cw_exec_line *again = answer.nack && answer.retry ? cw_exec_open_answer(&output->open, answer.nack) : NULL;
    if (again)
        talk_put_later(output, again, answer.after_ms);
    return true;
}

typedef enum talk_found { TALK_BYTES, TALK_NOTHING_NOW, TALK_END } talk_found;

/* Reads a piece, and appends it to `to`. */
static talk_found talk_read_piece(int from, crawl_buf *to)
{
    if (crawl_buf_reserve(to, PIECE))
        return TALK_NOTHING_NOW;
    ssize_t got = read(from, to->data + to->size, PIECE - 1);
    if (got < 0)
        return errno == EAGAIN || errno == EINTR ? TALK_NOTHING_NOW : TALK_END;
    to->size += (size_t)got;
    return got ? TALK_BYTES : TALK_END;
}

/* Takes the first line without its end, if it is complete. */
static bool talk_next_line(const crawl_buf *from, size_t *at, crawl_slice *line)
{
    const char *begin = from->size > *at ? from->data + *at : NULL;
    const char *end = begin ? memchr(begin, '\n', from->size - *at) : NULL;
    if (!end)
        return false;
    *line = crawl_slice_of(begin, (size_t)(end - begin));
    *at += line->size + 1;
    return true;
}

static void talk_cut_front(crawl_buf *buf, size_t size)
{
    if (!size)
        return;
    memmove(buf->data, buf->data + size, buf->size - size);
    buf->size -= size;
}

bool cw_exec_talk_read(cw_exec_output *output, char words[300])
{
    crawl_buf *answers = &output->answers;
    talk_found found = talk_read_piece(output->child.output, answers);
    for (; found == TALK_BYTES; found = talk_read_piece(output->child.output, answers)) {
        crawl_slice line;
        size_t at = 0;
        while (talk_next_line(answers, &at, &line))
            if (cw_trim(line).size && !talk_answer(output, line, words))
                return false;
        talk_cut_front(answers, at);
        if (answers->size > ANSWER_MAX) {
            snprintf(words, 300, "answers with a line of more than 64 KiB");
            return false;
        }
    }
    return found != TALK_END;
}

static void talk_take_error(cw_exec_output *output, crawl_slice line)
{
    enum { LINE_MAX_BYTES = 4096 };
    char words[LINE_MAX_BYTES + 8];
    if (!cw_trim(line).size)
        return;
    snprintf(words, sizeof words, "exec: %.*s", (int)cw_least((int64_t)line.size, LINE_MAX_BYTES), line.data);
    output->options.notice(output->options.of, words);
    snprintf(output->complaint, sizeof output->complaint, "%.*s", (int)cw_least((int64_t)line.size, 200), line.data);
}

bool cw_exec_talk_read_errors(cw_exec_output *output)
{
    crawl_buf *errors = &output->errors;
    talk_found found = talk_read_piece(output->child.errors, errors);
    for (; found == TALK_BYTES; found = talk_read_piece(output->child.errors, errors)) {
        crawl_slice line;
        size_t at = 0;
        while (talk_next_line(errors, &at, &line))
            talk_take_error(output, line);
        talk_cut_front(errors, at);
        if (errors->size > ANSWER_MAX)
            crawl_buf_clear(errors); /* not a line that a person would read */
    }
    if (found == TALK_END) { /* the last line may have no end */
        talk_take_error(output, crawl_buf_slice(errors));
        crawl_buf_clear(errors);
    }
    return found != TALK_END;
}

static bool answer_number(const json_t *object, const char *name, uint64_t *out)
{
    const json_t *value = json_object_get(object, name);
    if (value && (!json_is_integer(value) || json_integer_value(value) < 1))
        return false;
    *out = value ? (uint64_t)json_integer_value(value) : 0;
    return true;
}

static void answer_detail(const json_t *object, cw_exec_answer *out)
{
    enum { USUAL_MS = 1000, LONGEST_MS = 3600000 };
    const json_t *after = json_object_get(object, "after_ms");
    const char *reason = json_string_value(json_object_get(object, "reason"));
    double after_ms = json_is_number(after) ? json_number_value(after) : USUAL_MS;
    out->retry = !json_is_false(json_object_get(object, "retry"));
    out->after_ms = after_ms < 0 ? 0 : after_ms > LONGEST_MS ? LONGEST_MS : (int64_t)after_ms;
    if (reason)
        snprintf(out->reason, sizeof out->reason, "%s", reason);
}

bool cw_exec_answer_read(crawl_slice line, cw_exec_answer *out)
{
    *out = (cw_exec_answer){0};
    json_t *object = cw_json_read(line, NULL);
    bool is_answer = json_is_object(object) && answer_number(object, "ack", &out->ack) &&
                     answer_number(object, "ack_to", &out->ack_to) && answer_number(object, "nack", &out->nack);
    if (is_answer)
        answer_detail(object, out);
    json_decref(object);
    return is_answer;
}
