#include "tools/common/io.h"

#include "base/bytes.h"
#include "base/files/file_read.h"
#include "base/utf8.h"
#include "tools/common/compressed.h"
#include "tools/common/refused_memory.h"
#include "tools/common/say.h"
#include "tools/common/status.h"

#include <crawl/robots.h>
#include <errno.h>
#include <sys/stat.h>

static bool is_standard_input(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

const char *cw_tool_name(const char *path)
{
    return is_standard_input(path) ? "standard input" : path;
}

/* Returns true for a directory, which can be opened but not read; a failed read would not know its name. */
static bool is_directory(FILE *file)
{
    struct stat status;
    if (fstat(fileno(file), &status) || !S_ISDIR(status.st_mode))
        return false;
    errno = EISDIR;
    return true;
}

bool cw_tool_is_url(crawl_slice text)
{
    return cw_starts_nocase(text, "http://") || cw_starts_nocase(text, "https://");
}

/* Says how a tool gets what is at a URL. */
static void io_refuse_url(const char *tool, const char *path)
{
    static const char *const of_crawls[] = {"report", "query", "audit", NULL};
    const char *const *of = of_crawls;
    while (*of && strcmp(*of, tool) != 0)
        of++;
    if (*of)
        cw_tool_say(tool, "%s: no such file, and URLs are not fetched here: crawl --%s FILE URL", path,
                    strcmp(tool, "audit") == 0 ? "requests" : "output");
    else
        cw_tool_say(tool, "%s: no such file, and URLs are not fetched here: %s | crawl %s", path,
                    strcmp(tool, "url") == 0 ? "echo URL" : "curl -s URL", tool);
}

FILE *cw_tool_open(const char *tool, const char *path)
{
    FILE *file = is_standard_input(path) ? stdin : fopen(path, "rbe");
    if (file && !is_directory(file))
        return file;
    if (!file && cw_tool_is_url(crawl_slice_from(path)))
        io_refuse_url(tool, path);
    else
        cw_tool_say(tool, "%s: %s", cw_tool_name(path), strerror(errno));
    cw_tool_close(file);
    return NULL;
}

FILE *cw_tool_open_text(const char *tool, const char *path)
{
    FILE *file = cw_tool_open(tool, path);
    FILE *text = cw_tool_compressed(file);
    if (file && !text)
        cw_tool_say(tool, "%s: %s", cw_tool_name(path), strerror(errno));
    return text;
}

void cw_tool_close(FILE *file)
{
    if (file && file != stdin)
        fclose(file);
}

crawl_err cw_tool_read(const char *tool, const char *path, size_t most, crawl_buf *out)
{
    FILE *file = cw_tool_open_text(tool, path);
    if (!file)
        return CRAWL_EIO;
    crawl_err err = cw_read_rest(file, most, out);
    if (err && err != CRAWL_FULL)
        cw_tool_say(tool, "%s: %s", cw_tool_name(path),
                    err == CRAWL_EIO ? cw_tool_compressed_error(errno) : crawl_strerror(err));
    cw_tool_close(file);
    return err;
}

/* The standard's "binary data byte". */
static bool is_binary_byte(unsigned char byte)
{
    enum { TAB = 0x09, LF = 0x0a, FF = 0x0c, CR = 0x0d, ESC = 0x1b };
    return byte < ' ' && byte != TAB && byte != LF && byte != FF && byte != CR && byte != ESC;
}

/* Returns true if the bytes begin with a tag, after white space and at most one stray control character. */
static bool begins_with_tag(crawl_slice bytes)
{
    bytes = cw_trim_start(bytes);
    if (bytes.size && is_binary_byte((unsigned char)bytes.data[0]))
        bytes = cw_trim_start(cw_drop(bytes, 1));
    return cw_starts_with(bytes, "<");
}

bool cw_tool_is_binary(const char *tool, const char *path, crawl_slice bytes)
{
    enum { HEADER = 1445, BYTES_PER_STRAY = 64 };
    if (cw_starts_with(bytes, "\xfe\xff") || cw_starts_with(bytes, "\xff\xfe") || begins_with_tag(bytes))
        return false;
    size_t end = bytes.size < HEADER ? bytes.size : HEADER;
    size_t strays = 0;
    for (size_t i = 0; i < end; i++)
        strays += is_binary_byte((unsigned char)bytes.data[i]);
    bool is_binary = strays > 1 + end / BYTES_PER_STRAY;
    if (is_binary)
        cw_tool_say(tool, "%s: not a page: it contains bytes that are not text", cw_tool_name(path));
    return is_binary;
}

bool cw_tool_is_other_file(const char *tool, const char *option, const char *path, const char *begin)
{
    struct stat found;
    char head[8] = "";
    bool is_regular = !is_standard_input(path) && stat(path, &found) == 0 && S_ISREG(found.st_mode);
    FILE *file = is_regular ? fopen(path, "rb") : NULL;
    size_t size = file ? fread(head, 1, sizeof head, file) : 0;
    cw_tool_close(file);
    if (!size || strncmp(head, begin, strlen(begin)) == 0)
        return false;
    cw_tool_say(tool, "%s: %s already exists and is not a file of this kind: move it away", option, path);
    return true;
}

crawl_err cw_tool_read_robots(const char *tool, const char *path, crawl_buf *out)
{
    crawl_err err = cw_tool_read(tool, path, CRAWL_ROBOTS_MAX_SIZE, out);
    if (err == CRAWL_FULL)
        cw_tool_say(tool, "%s: longer than %u bytes (RFC 9309, 2.5): the rest is ignored", cw_tool_name(path),
                    CRAWL_ROBOTS_MAX_SIZE);
    return err == CRAWL_FULL ? CRAWL_OK : err;
}

static int io_refuse_line(const cw_tool_input *input, unsigned long number, FILE *out)
{
    cw_tool_say(input->tool, "line %lu: too long: more than %zu bytes", number, input->longest);
    fputs(input->instead ? input->instead : "", out);
    return CW_EXIT_NOTHING;
}

int cw_tool_end_of_lines(const char *tool, const char *name, cw_tool_line how)
{
    if (how != CW_LINES_FAILED && how != CW_LINES_NO_MEMORY)
        return CW_EXIT_OK;
    cw_tool_say(tool, "%s: %s", name,
                how == CW_LINES_FAILED ? cw_tool_compressed_error(errno) : crawl_strerror(CRAWL_ENOMEM));
    return CW_EXIT_LOCAL;
}

static int io_read_lines(const cw_tool_input *input, cw_tool_line_reader *lines, FILE *out)
{
    crawl_slice line;
    int status = CW_EXIT_OK;
    cw_tool_line how = cw_tool_line_next(lines, &line);
    for (; how == CW_LINE_READ || how == CW_LINE_TOO_LONG; how = cw_tool_line_next(lines, &line)) {
        int answer = how == CW_LINE_READ ? input->line(input->user, line, lines->number, out)
                                         : io_refuse_line(input, lines->number, out);
        status = answer > status ? answer : status;
        if (answer == CW_EXIT_LOCAL || fflush(out) || ferror(out))
            break;
    }
    int end = cw_tool_end_of_lines(input->tool, cw_tool_name(input->path), how);
    return end ? end : status;
}

int cw_tool_lines(const cw_tool_input *input, FILE *out)
{
    cw_tool_line_reader lines = {.in = cw_tool_open_text(input->tool, input->path), .longest = input->longest};
    if (!lines.in)
        return CW_EXIT_LOCAL;
    int status = io_read_lines(input, &lines, out);
    cw_tool_close(lines.in);
    cw_tool_line_free(&lines);
    return status;
}

typedef struct jsonl_run {
    const char *tool;
    cw_tool_row_handler answer;
    void *user;
} jsonl_run;

/* Makes the answer to a line that is not an object. */
static json_t *refuse_row(const json_t *row, const json_error_t *error)
{
    return json_pack("{s:s}", "error", row ? "not an object" : error->text);
}

static json_t *io_answer_row(const jsonl_run *run, crawl_slice line, const char **note)
{
    json_error_t error;
    json_t *row = json_loadb(line.data, line.size, JSON_ALLOW_NUL, &error);
    json_t *answer = json_is_object(row) ? run->answer(run->user, row, note) : refuse_row(row, &error);
    json_decref(row);
    return answer;
}

static int jsonl_line(void *user, crawl_slice line, unsigned long number, FILE *out)
{
    const jsonl_run *run = user;
    const char *note = NULL;
    json_t *answer = io_answer_row(run, line, &note);
    const char *refused = cw_tool_json_field(answer, "error");
    if (refused || note)
        cw_tool_say(run->tool, "line %lu: %s", number, refused ? refused : note);
    int status = refused ? CW_EXIT_NOTHING : CW_EXIT_OK;
    cw_tool_json_write(answer, out);
    json_decref(answer);
    return status;
}

int cw_tool_jsonl(const char *tool, const char *path, FILE *out, cw_tool_row_handler answer, void *user)
{
    jsonl_run run = {tool, answer, user};
    const cw_tool_input input = {.tool = tool,
                                 .path = path,
                                 .longest = CW_TOOL_LINE_ROW_MAX,
                                 .instead = "{\"error\":\"too long\"}\n",
                                 .line = jsonl_line,
                                 .user = &run};
    return cw_tool_lines(&input, out);
}

crawl_slice cw_tool_json_bytes(const json_t *row, const char *field, crawl_buf *storage)
{
    const json_t *value = json_object_get(row, field);
    if (json_is_string(value))
        return crawl_slice_of(json_string_value(value), json_string_length(value));
    char name[64];
    snprintf(name, sizeof name, "%s_hex", field);
    const char *digits = cw_tool_json_field(row, name);
    crawl_buf_clear(storage);
    if (!digits || crawl_buf_reserve(storage, 1) || cw_hex_decode(crawl_slice_from(digits), storage))
        return (crawl_slice){0};
    return crawl_buf_slice(storage);
}

const char *cw_tool_json_field(const json_t *row, const char *field)
{
    return json_string_value(json_object_get(row, field));
}

json_t *cw_tool_json_text(crawl_slice text)
{
    if (!text.data)
        return json_null();
    json_t *string = json_stringn(text.data, text.size);
    if (string)
        return string;
    crawl_buf clean = {0};
    cw_tool_memory_must(cw_utf8_repair_bytes(text, &clean));
    string = json_stringn(clean.data, clean.size);
    crawl_buf_free(&clean);
    return string;
}

crawl_err cw_tool_json_write(const json_t *object, FILE *out)
{
    if (json_dumpf(object, out, JSON_COMPACT | JSON_REAL_PRECISION(15)) || putc('\n', out) == EOF)
        return CRAWL_EIO;
    return CRAWL_OK;
}

crawl_err cw_tool_json_print(json_t *object)
{
    crawl_err err = cw_tool_json_write(object, stdout);
    json_decref(object);
    return err;
}
