#include "base/convert.h"

#include "base/bytes.h"
#include "base/fence_parts.h"
#include "base/text/escape.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the command ---- */

/* Takes the next word out of *rest, and writes it to *to with a NUL. False: there is none, or a quote is open. */
static bool convert_take_word(crawl_slice *rest, char **to, bool *is_open)
{
    char quote = '\0';
    size_t i = 0;
    while (i < rest->size && (rest->data[i] == ' ' || rest->data[i] == '\t'))
        i++;
    bool is_there = i < rest->size;
    for (; i < rest->size && (quote || (rest->data[i] != ' ' && rest->data[i] != '\t')); i++) {
        char c = rest->data[i];
        if (quote ? c == quote : c == '\'' || c == '"')
            quote = quote ? '\0' : c;
        else
            *(*to)++ = c;
    }
    *rest = cw_drop(*rest, i);
    *(*to)++ = '\0';
    *is_open = quote != '\0';
    return is_there && !quote;
}

crawl_err cw_convert_split(crawl_slice command, char ***words)
{
    size_t most = command.size / 2 + 2, count = 0; /* words, and the NULL */
    char **all = malloc(most * sizeof *all + command.size + 2);
    if (!all)
        return CRAWL_ENOMEM;
    char *to = (char *)(all + most), *word = to;
    bool is_open = false;
    while (convert_take_word(&command, &to, &is_open)) {
        all[count++] = word;
        word = to;
    }
    all[count] = NULL;
    if (count && !is_open) {
        *words = all;
        return CRAWL_OK;
    }
    free(all);
    return CRAWL_EPARSE;
}

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

/* ---- its beginning ---- */

static void convert_close(const int descriptors[3])
{
    for (int i = 0; i < 3; i++)
        if (descriptors[i] >= 0)
            close(descriptors[i]);
}

static bool convert_write(int file, crawl_slice bytes)
{
    while (bytes.size) {
        ssize_t written = write(file, bytes.data, bytes.size);
        if (written < 0 && errno != EINTR)
            return false;
        bytes = cw_drop(bytes, written > 0 ? (size_t)written : 0);
    }
    return lseek(file, 0, SEEK_SET) == 0;
}

/* Returns 0, or an errno. It has a group of its own, the usual signals, and no descriptors but these. */
static int convert_spawn(char *const *words, const int streams[3], pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int why = posix_spawn_file_actions_init(&actions);
    if (why)
        return why;
    why = posix_spawnattr_init(&attributes);
    if (!why) {
        for (int i = 0; i < 3 && !why; i++)
            why = posix_spawn_file_actions_adddup2(&actions, streams[i], i);
        if (!why)
            why = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &all);
        why = why ? why : posix_spawnp(pid, words[0], &actions, &attributes, words, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return why;
}

/* Set from outside, a moment after it began: so it can be spawned, which a crawl of much memory does faster than it
 * forks. */
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
    if (!why && !convert_write(streams[0], document))
        why = errno;
    *convert = (cw_convert){.ended = -1, .out = streams[1], .errors = streams[2]};
    if (!why)
        why = convert_spawn(words, streams, &convert->pid);
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

/* ---- its end ---- */

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

/* The first line that it has left on its standard error, in a form that may be shown. */
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

/* Text becomes paragraphs, apart by empty lines. */
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

/* A text that begins with no tag is plain. */
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
    int status = 0;
    siginfo_t info = {0};
    bool has_ended = !waitid(P_PID, (id_t)convert->pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid;
    kill(-convert->pid, SIGKILL); /* what it has started too; its number stays its own until it is waited for */
    while (waitpid(convert->pid, &status, 0) < 0 && errno == EINTR)
        ;
    *result = (cw_converted){.outcome = has_ended ? convert_outcome(status) : why};
    convert_read_words(convert->errors, result);
    if (!*result->words && has_ended && WIFSIGNALED(status))
        snprintf(result->words, sizeof result->words, "%s", strsignal(WTERMSIG(status)));
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
