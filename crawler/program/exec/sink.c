#include "crawler/program/exec/sink.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/files/file_read.h"
#include "base/files/replace.h"
#include "crawler/program/exec/talk.h"

#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How often in a row a process may end as soon as it has started, and without an acknowledgement. */
enum { AT_ONCE_MAX = 5, IN_VAIN_MAX = 20 };

crawl_err cw_exec_sink_start(cw_exec_output *output, crawl_error *error)
{
    crawl_err err = cw_exec_child_start(output->words, &output->child, error);
    if (err)
        return err;
    output->started_us = output->heard_us = cw_now_us();
    output->written = 0;
    output->end_is_told = false;
    output->complaint[0] = '\0';
    crawl_buf_clear(&output->to_write);
    crawl_buf_clear(&output->answers);
    crawl_buf_clear(&output->errors);
    return crawl_buf_printf(&output->to_write, "{\"hello\":1,\"crawl\":\"%s\",\"window\":%u}\n", crawl_version(),
                            CW_OUTPUTS_WINDOW_RECORDS);
}

static void sink_say(const cw_exec_output *output, const char *how, const char *then)
{
    char words[500];
    snprintf(words, sizeof words, "exec: %s %s%s", output->words[0], how, then);
    output->options.notice(output->options.of, words);
}

/* Ends the process, and reads its last output. Returns its status as waitpid does. */
static int sink_end(cw_exec_output *output, int grace_ms)
{
    char words[300];
    int how = cw_exec_child_end(&output->child, grace_ms);
    (void)cw_exec_talk_read(output, words);
    (void)cw_exec_talk_read_errors(output);
    cw_exec_child_close(&output->child);
    return how;
}

static void sink_describe(int how, char words[300])
{
    if (WIFEXITED(how))
        snprintf(words, 300, "ended with status %d", WEXITSTATUS(how));
    else
        snprintf(words, 300, "was ended by a signal: %s", strsignal(WTERMSIG(how)));
}

/* Judges a process that is not started again. If it failed without open lines, it may not have finished what it has
 * acknowledged; SIGTERM came from here. words: what it did. */
static void sink_judge_end(cw_exec_output *output, int how, const char *words)
{
    crawl_error failure;
    if (!how)
        return;
    if (output->open.count || (WIFSIGNALED(how) && WTERMSIG(how) == SIGTERM)) {
        sink_say(output, words, "");
        return;
    }
    crawl_error_set(&failure, CRAWL_EIO, "exec: %s %s%s%s", output->words[0], words, *output->complaint ? ": " : "",
                    output->complaint);
    cw_outputs_window_fail(&output->window, &failure);
}

/* Gives up the process: all open lines go to the next one, except those it acknowledged last. words: what it did; "":
 * it ended by itself. */
static void sink_lose(cw_exec_output *output, char words[300])
{
    enum { ENDS_BY_ITSELF_MS = 100, LONGEST = 60 };
    int64_t now_us = cw_now_us();
    bool is_over = output->end_is_told && !output->open.count && !output->waiting.first && !output->later.first;
    output->at_once = now_us - output->started_us < output->options.at_once_ms * 1000 ? output->at_once + 1 : 0;
    int how = sink_end(output, *words ? 0 : ENDS_BY_ITSELF_MS);
    if (!*words)
        sink_describe(how, words);
    if (is_over) {
        output->start_us = INT64_MAX;
        sink_judge_end(output, how, words);
        return;
    }
    cw_exec_lines open = cw_exec_open_take_all(&output->open);
    cw_exec_lines_join(&open, &output->waiting);
    output->waiting = open;
    int64_t pause = 1 << (output->pauses < 6 ? output->pauses : 6);
    output->pauses++;
    output->start_us = now_us + (pause < LONGEST ? pause : LONGEST) * output->options.pause_ms * 1000;
    bool is_at_once = output->at_once >= AT_ONCE_MAX;
    if (!is_at_once && output->pauses < IN_VAIN_MAX) {
        sink_say(output, words, "; restarting it");
        return;
    }
    crawl_error failure;
    crawl_error_set(&failure, CRAWL_EIO, "exec: %s ends %s: %d times in a row; the last time it %s%s%s",
                    output->words[0], is_at_once ? "as soon as it starts" : "without an acknowledgement",
                    is_at_once ? AT_ONCE_MAX : IN_VAIN_MAX, words, *output->complaint ? ": " : "", output->complaint);
    cw_outputs_window_fail(&output->window, &failure);
}

static void sink_start_again(cw_exec_output *output)
{
    crawl_error error = {0};
    if (cw_exec_sink_start(output, &error))
        cw_outputs_window_fail(&output->window, &error);
}

/* Takes over what other threads have queued. Returns false if this thread should end. */
static bool sink_take(cw_exec_output *output)
{
    eventfd_t times;
    eventfd_read(output->wake, &times);
    pthread_mutex_lock(&output->window.lock);
    cw_exec_lines_join(&output->waiting, &output->fresh);
    output->is_told_to_end = output->is_ending;
    bool goes_on = !output->is_closing;
    pthread_mutex_unlock(&output->window.lock);
    return goes_on;
}

/* Returns how long to wait; -1: until something happens. */
static int sink_rest_ms(const cw_exec_output *output, int64_t now_us, int64_t due_us)
{
    int64_t until_us = due_us;
    bool runs = output->child.pid != 0;
    int64_t other_us = runs ? output->heard_us + output->options.silence_ms * 1000 : output->start_us;
    if ((!runs || output->open.count) && other_us < until_us)
        until_us = other_us;
    if (until_us == INT64_MAX)
        return -1;
    int64_t ms = (until_us - now_us + 999) / 1000;
    return ms < 0 ? 0 : ms > 60000 ? 60000 : (int)ms;
}

/* Lets lines gather: waking this thread and the process costs more than both spend on a record. */
static void sink_gather(const cw_exec_output *output)
{
    static const struct timespec a_while = {.tv_nsec = 5000000};
    if (!output->is_told_to_end && !cw_exec_talk_has_more(output))
        nanosleep(&a_while, NULL);
}

/* Waits for something to do with the process, and does it. */
static void sink_wait(cw_exec_output *output, int rest_ms)
{
    cw_exec_child *child = &output->child;
    char words[300] = "";
    struct pollfd polled[] = {{.fd = output->wake, .events = POLLIN},
                              {.fd = child->output, .events = POLLIN},
                              {.fd = child->errors, .events = POLLIN},
                              {.fd = cw_exec_talk_has_more(output) ? child->input : -1, .events = POLLOUT}};
    if (poll(polled, child->pid ? 4 : 1, rest_ms) < 0 || !child->pid)
        return;
    if (polled[0].revents)
        sink_gather(output);
    if (polled[2].revents && !cw_exec_talk_read_errors(output)) {
        close(child->errors);
        child->errors = -1;
    }
    bool lives = !polled[1].revents || cw_exec_talk_read(output, words);
    lives = lives && (!polled[3].revents || cw_exec_talk_write(output));
    if (lives && output->open.count && cw_now_us() - output->heard_us >= output->options.silence_ms * 1000) {
        snprintf(words, sizeof words, "has not answered for %lld s", (long long)output->options.silence_ms / 1000);
        lives = false;
    }
    if (!lives)
        sink_lose(output, words);
}

static void sink_finish(cw_exec_output *output)
{
    (void)cw_exec_talk_write(output); /* the end message */
    char words[300];
    int how = sink_end(output, output->options.grace_ms);
    sink_describe(how, words);
    if (WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL)
        snprintf(words, sizeof words, "did not end when asked, and was killed");
    sink_judge_end(output, how, words);
}

void *cw_exec_sink_run(void *user)
{
    cw_exec_output *output = user;
    while (sink_take(output)) {
        int64_t now_us = cw_now_us();
        bool failed = cw_outputs_window_failed(&output->window);
        int64_t due_us = cw_exec_talk_repeat(output, now_us);
        if (!output->child.pid && !failed && now_us >= output->start_us)
            sink_start_again(output);
        if (output->child.pid)
            (void)cw_exec_talk_write(output); /* a process that takes nothing has ended; its output shows that */
        sink_wait(output, failed ? -1 : sink_rest_ms(output, now_us, due_us));
    }
    if (output->child.pid)
        sink_finish(output);
    return NULL;
}

enum { AHEAD = 10000 }; /* reserved at once: the file is written at most every ten seconds */

static crawl_err versions_read(cw_exec_versions *versions, crawl_error *error)
{
    enum { SIZE_MAX_BYTES = 64 };
    crawl_buf text = {0};
    char *end = NULL;
    if (access(versions->path.data, F_OK))
        return CRAWL_OK;
    crawl_err err = cw_read_file(versions->path.data, SIZE_MAX_BYTES, &text, error);
    if (!err)
        versions->last = strtoll(text.size ? text.data : "", &end, 10);
    bool is_number = end && *end == '\n' && versions->last > 0 && versions->last < INT64_MAX / 2;
    crawl_buf_free(&text);
    if (err == CRAWL_FULL || (!err && !is_number))
        return crawl_error_set(error, CRAWL_ECORRUPT,
                               "%s: damaged: expected a number greater than all versions given so far",
                               versions->path.data);
    return err;
}

crawl_err cw_exec_versions_open(const char *state, cw_exec_versions *out, crawl_error *error)
{
    *out = (cw_exec_versions){0};
    if (!state)
        return CRAWL_OK;
    if (crawl_buf_printf(&out->path, "%s/exec.version", state))
        return cw_error(error, CRAWL_ENOMEM);
    return versions_read(out, error);
}

void cw_exec_versions_free(cw_exec_versions *versions)
{
    crawl_buf_free(&versions->path);
}

crawl_err cw_exec_versions_next(cw_exec_versions *versions, int64_t now_ms, int64_t *out, crawl_error *error)
{
    int64_t next = now_ms > versions->last ? now_ms : versions->last + 1;
    if (versions->path.size && next >= versions->end) {
        char text[32];
        snprintf(text, sizeof text, "%" PRId64 "\n", next + AHEAD);
        crawl_err err = cw_replace_file(versions->path.data, crawl_slice_from(text), 0666, error);
        if (err)
            return err;
        versions->end = next + AHEAD;
    }
    *out = versions->last = next;
    return CRAWL_OK;
}
