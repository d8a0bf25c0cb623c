#include "base/convert.h"

#include "base/bytes.h"
#include "base/fence_parts.h"
#include "base/files/replace.h"
#include "base/process.h"
#include "base/text/escape.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int cw_convert_find(const char *program)
{
    const char *path = getenv("PATH");
    crawl_slice rest = crawl_slice_from(path ? path : "/usr/bin:/bin");
    if (strchr(program, '/'))
        return access(program, X_OK) ? errno : 0;
    while (rest.size) {
        char file[4096];
        crawl_slice folder = cw_cut(&rest, ':');
        int size = snprintf(file, sizeof file, "%.*s/%s", (int)folder.size, folder.data, program);
        if (size < (int)sizeof file && !access(file, X_OK))
            return 0;
    }
    return ENOENT;
}

/* ---- start ---- */

static void convert_close(const int descriptors[3])
{
    for (int i = 0; i < 3; i++)
        if (descriptors[i] >= 0)
            close(descriptors[i]);
}

/* Sets limits from outside, shortly after the start, so that the program can be spawned, which is faster than fork in a
 * crawl with much memory. */
static void convert_limit(pid_t pid)
{
    static const struct {
        int what;
        rlim_t most;
    } limits[] = {{RLIMIT_CPU, CW_CONVERT_MAX_MS / 1000},
                  {RLIMIT_DATA, CW_CONVERT_MAX_MEMORY},
                  {RLIMIT_FSIZE, CW_CONVERT_MAX_PAGE},
                  {RLIMIT_CORE, 0}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct rlimit limit;
        bool is_left_out = CW_FENCE_IS_SANITIZED && limits[i].what == RLIMIT_DATA;
        if (is_left_out || prlimit(pid, limits[i].what, NULL, &limit))
            continue;
        limit = cw_fence_lower(limits[i].what, limit, limits[i].most);
        (void)prlimit(pid, limits[i].what, &limit, NULL);
    }
}

static bool convert_fail(cw_converted *result, const char *program, int why)
{
    result->outcome = "failed";
    snprintf(result->words, sizeof result->words, "%.100s: %s", program, strerror(why));
    return false;
}

bool cw_convert_begin(char *const *words, crawl_slice document, cw_convert *convert, cw_converted *result)
{
    static const char *const names[3] = {"document", "page", "errors"};
    int streams[3] = {-1, -1, -1};
    int why = 0;
    *result = (cw_converted){0};
    for (int i = 0; i < 3 && !why; i++)
        why = (streams[i] = memfd_create(names[i], MFD_CLOEXEC)) < 0 ? errno : 0;
    if (!why && (cw_write_all(streams[0], document).size || lseek(streams[0], 0, SEEK_SET)))
        why = errno;
    *convert = (cw_convert){.ended = -1, .out = streams[1], .errors = streams[2]};
    const cw_process_plan plan = {.program = words[0],
                                  .argv = words,
                                  .streams = {streams[0], streams[1], streams[2]},
                                  .is_apart = true,
                                  .is_bare = true};
    if (!why)
        why = cw_process_start(&plan, &convert->pid);
    if (why) {
        convert_close(streams);
        return convert_fail(result, words[0], why);
    }
    convert_limit(convert->pid);
    close(streams[0]);
    convert->ended = (int)syscall(SYS_pidfd_open, convert->pid, 0);
    if (convert->ended >= 0)
        return true;
    why = errno;
    cw_convert_end(convert, "failed", result);
    return convert_fail(result, words[0], why);
}

/* ---- end ---- */

static crawl_err convert_read(int file, size_t most, crawl_buf *out)
{
    struct stat status;
    if (fstat(file, &status))
        return CRAWL_EIO;
    size_t size = (size_t)status.st_size < most ? (size_t)status.st_size : most;
    if (crawl_buf_reserve(out, size + 1))
        return CRAWL_ENOMEM;
    while (out->size < size) {
        ssize_t got = pread(file, out->data + out->size, size - out->size, (off_t)out->size);
        if (got <= 0 && errno != EINTR)
            return CRAWL_EIO;
        out->size += got > 0 ? (size_t)got : 0;
    }
    out->data[out->size] = '\0';
    return CRAWL_OK;
}

/* Reads the first line of its standard error, escaped for display. */
static void convert_read_words(int file, cw_converted *result)
{
    crawl_buf text = {0}, shown = {0};
    crawl_slice rest;
    if (!convert_read(file, sizeof result->words - 1, &text)) {
        rest = crawl_buf_slice(&text);
        if (!cw_escape(cw_trim(cw_cut_line(&rest)), &shown) && shown.size)
            snprintf(result->words, sizeof result->words, "%s", shown.data);
    }
    crawl_buf_free(&text);
    crawl_buf_free(&shown);
}

/* Converts text to paragraphs, separated by empty lines. */
static crawl_err convert_append_text(crawl_slice text, crawl_buf *page)
{
    cw_writer out = {.out = page};
    cw_put_text(&out, "<p>");
    while (text.size) {
        crawl_slice line = cw_cut_line(&text);
        cw_escape_html(&out, line);
        cw_put_text(&out, cw_trim(line).size ? "\n" : "<p>\n");
    }
    return out.err;
}

/* Reads the output; one that does not begin with a tag is plain text. */
static crawl_err convert_read_page(int file, crawl_buf *page)
{
    crawl_buf text = {0};
    crawl_err err = convert_read(file, CW_CONVERT_MAX_PAGE, &text);
    crawl_slice rest = crawl_buf_slice(&text);
    (void)cw_take_text(&rest, "\xef\xbb\xbf");
    rest = cw_trim(rest);
    bool is_html = rest.size && rest.data[0] == '<';
    if (!err)
        err = is_html ? crawl_buf_append(page, rest.data, rest.size) : convert_append_text(rest, page);
    crawl_buf_free(&text);
    return err;
}

static const char *convert_outcome(int status)
{
    if (WIFEXITED(status))
        return WEXITSTATUS(status) ? "failed" : "whole";
    return WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGALRM ? "timeout" : "crashed";
}

void cw_convert_end(cw_convert *convert, const char *why, cw_converted *result)
{
    siginfo_t info = {0};
    bool has_ended = !waitid(P_PID, (id_t)convert->pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid;
    int status = cw_process_kill(convert->pid); /* its pid is not reused until it is waited for */
    *result = (cw_converted){.outcome = has_ended ? convert_outcome(status) : why};
    convert_read_words(convert->errors, result);
    if (!*result->words && has_ended && WIFSIGNALED(status))
        snprintf(result->words, sizeof result->words, "%s", strsignal(WTERMSIG(status)));
    if (!*result->words && has_ended && WIFEXITED(status) && WEXITSTATUS(status))
        snprintf(result->words, sizeof result->words, "exit status %d", WEXITSTATUS(status));
    if (strcmp(result->outcome, "whole") == 0 && convert_read_page(convert->out, &result->page)) {
        crawl_buf_free(&result->page);
        result->outcome = "failed";
        snprintf(result->words, sizeof result->words, "no memory for its page");
    }
    const int descriptors[3] = {convert->ended, convert->out, convert->errors};
    convert_close(descriptors);
}

void cw_convert_run(char *const *words, crawl_slice document, cw_converted *result)
{
    cw_convert convert;
    if (!cw_convert_begin(words, document, &convert, result))
        return;
    struct pollfd ended = {.fd = convert.ended, .events = POLLIN};
    while (poll(&ended, 1, CW_CONVERT_MAX_MS) < 0 && errno == EINTR)
        ;
    cw_convert_end(&convert, "timeout", result);
}
