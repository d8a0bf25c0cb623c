/* `crawl corpus`: the texts of a crawl as files for language models and search. */
#include "base/bytes.h"
#include "base/files/replace.h"
#include "base/json/json_read.h"
#include "base/utf8.h"
#include "tools/common/io.h"
#include "tools/common/say.h"
#include "tools/common/status.h"
#include "tools/common/tool_options.h"
#include "tools/common/tool_output.h"
#include "tools/corpus/corpus_llms.h"
#include "tools/corpus/corpus_pick.h"
#include "tools/corpus/corpus_zstd.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static const char tool[] = "corpus";

static const char picked_name[] = "records"; /* beside the files of the corpus, until it is whole */

typedef struct corpus_job {
    const char *use;  /* use that pages must allow; NULL: any */
    bool is_packed;   /* compress the lines by zstd */
    crawl_buf folder; /* being filled, beside DIR */
    bool is_made;     /* it exists */
    cw_corpus_pick *pick;
    FILE *picked; /* lines of records that may become pages */
    unsigned long picked_count;
    FILE *lines;
    FILE *full;
    json_t *texts; /* digests of the texts so far */
    cw_corpus_llms llms;
    char host[256]; /* of the first page */
    char *about;    /* its description; NULL: none */
    unsigned long pages;
    unsigned long records;
    const char *path;        /* being read */
    unsigned long bad_lines; /* in it */
    bool has_no_memory;      /* for something that everything needs */
} corpus_job;

static bool take_use(void *user, const char *name, const char *value)
{
    static const char *const uses[] = {"train", "input", "search"};
    corpus_job *j = user;
    j->use = value;
    if (cw_is_among(crawl_slice_from(value), uses, sizeof uses / sizeof *uses))
        return true;
    cw_tool_say(tool, "--%s %s: expected train, input or search", name, value);
    return false;
}

static int corpus_lacks_memory(void)
{
    cw_tool_say(tool, "%s", crawl_strerror(CRAWL_ENOMEM));
    return CW_EXIT_LOCAL;
}

/* --- files --- */

static int corpus_fail(const corpus_job *j, const char *name)
{
    cw_tool_say(tool, "%s/%s: %s", j->folder.data, name, strerror(errno));
    return CW_EXIT_LOCAL;
}

static FILE *corpus_open(const corpus_job *j, const char *name)
{
    crawl_buf path = {0};
    FILE *file = NULL;
    if (!crawl_buf_printf(&path, "%s/%s", j->folder.data, name))
        file = fopen(path.data, "wxe");
    if (!file)
        corpus_fail(j, name);
    crawl_buf_free(&path);
    return file;
}

static const char *corpus_lines_name(const corpus_job *j)
{
    return j->is_packed ? "corpus.jsonl.zst" : "corpus.jsonl";
}

static FILE *corpus_open_lines(const corpus_job *j)
{
    FILE *file = corpus_open(j, corpus_lines_name(j));
    FILE *packed = file && j->is_packed ? cw_corpus_zstd_open(file) : file;
    if (file && !packed)
        corpus_fail(j, corpus_lines_name(j));
    return packed;
}

static int corpus_close(const corpus_job *j, FILE *file, const char *name)
{
    if (!file)
        return CW_EXIT_LOCAL;
    bool failed = ferror(file);
    return fclose(file) || failed ? corpus_fail(j, name) : CW_EXIT_OK;
}

/* Notes the text. Returns false if an earlier page has the same. */
static bool is_new_text(corpus_job *j, crawl_slice text)
{
    char key[33];
    XXH128_hash_t hash = XXH3_128bits(text.data, text.size);
    snprintf(key, sizeof key, "%016llx%016llx", (unsigned long long)hash.high64, (unsigned long long)hash.low64);
    if (json_object_get(j->texts, key))
        return false;
    j->has_no_memory = j->has_no_memory || json_object_set_new(j->texts, key, json_true());
    return true;
}

/* --- a page --- */

/* Appends JSON as YAML: escapes characters that YAML has only as an escape (1.2, 5.1), and those that end a line. */
static crawl_err corpus_put_yaml(crawl_buf *out, const char *json)
{
    crawl_err err = CRAWL_OK;
    for (const char *at = json, *end = json + strlen(json); at < end && !err;) {
        cw_utf8 next = cw_utf8_next(at, end);
        bool is_escaped = (next.code >= 0x7f && next.code < 0xa0) || next.code == 0x2028 || next.code == 0x2029 ||
                          next.code == 0xfeff || next.code == 0xfffe || next.code == 0xffff;
        err = is_escaped ? crawl_buf_printf(out, "\\u%04x", next.code) : crawl_buf_append(out, at, next.size);
        at += next.size;
    }
    return err;
}

/* Appends a field of the front matter. */
static crawl_err put_front(crawl_buf *out, const char *key, const json_t *value)
{
    if (!value || json_is_null(value))
        return CRAWL_OK;
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    crawl_err err = text ? crawl_buf_printf(out, "%s: ", key) : CRAWL_ENOMEM;
    if (!err)
        err = corpus_put_yaml(out, text);
    free(text);
    return err ? err : crawl_buf_append_char(out, '\n');
}

/* Returns the license that an item of JSON-LD, or of a list, declares for its work: a URL, or an object with one. NULL:
 * none. A picture's license is not the page's. */
static const json_t *corpus_license_of(const json_t *item, int depth)
{
    enum { DEPTH_MAX = 3 }; /* a list, an object with @graph, and its list */
    size_t i;
    const json_t *each, *found = NULL;
    const char *type = cw_tool_json_field(item, "@type");
    if (json_is_object(item) && !(type && strcmp(type, "ImageObject") == 0)) {
        found = json_object_get(item, "license");
        found = json_is_object(found) ? json_object_get(found, json_object_get(found, "@id") ? "@id" : "url") : found;
        found = json_is_string(found) ? found : NULL;
    }
    if (!found && json_is_object(item) && depth < DEPTH_MAX)
        found = corpus_license_of(json_object_get(item, "@graph"), depth + 1);
    json_array_foreach(item, i, each)
    {
        if (!found && depth < DEPTH_MAX)
            found = corpus_license_of(each, depth + 1);
    }
    return found;
}

/* Makes the page to write from its record. NULL: out of memory. */
static json_t *corpus_make_page(const json_t *row, const char *file)
{
    const json_t *data = json_object_get(row, "data");
    const json_t *canonical = json_object_get(data, "canonical");
    const json_t *license = json_object_get(data, "license");
    const char *url = cw_tool_json_field(row, "url");
    const char *host = strstr(url, "://");
    license = license ? license : corpus_license_of(json_object_get(data, "json_ld"), 0);
    host = host ? host + 3 : url;
    return json_pack("{sO? sO sO sO? sO? sO? ss% sO? sO? sO? sO? sO? ss}", "id", json_object_get(row, "fingerprint"),
                     "text", json_object_get(row, "text"), "url", json_object_get(row, "url"), "title",
                     json_object_get(row, "title"), "date", json_object_get(row, "fetched_at"), "language",
                     json_object_get(data, "lang"), "source", host, strcspn(host, "/?#"), "canonical",
                     canonical ? canonical : json_object_get(row, "canonical"), "depth", json_object_get(row, "depth"),
                     "may", json_object_get(row, "may"), "license", license, "digest", json_object_get(row, "digest"),
                     "file", file);
}

static crawl_err corpus_write_page(const json_t *page, FILE *out)
{
    static const char *const keys[][2] = {
        {"title", "title"},         {"url", "url"},     {"date", "date"}, {"lang", "language"},
        {"canonical", "canonical"}, {"depth", "depth"}, {"may", "may"},   {"license", "license"}};
    crawl_buf front = {0};
    crawl_err err = crawl_buf_append_text(&front, "---\n");
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !err; i++)
        err = put_front(&front, keys[i][0], json_object_get(page, keys[i][1]));
    if (!err)
        fprintf(out, "%s---\n\n%s", front.data, cw_tool_json_field(page, "text"));
    crawl_buf_free(&front);
    return err;
}

/* Writes the page with one first-level heading: the text's, otherwise the title. */
static void write_full(const json_t *page, FILE *out)
{
    const char *title = cw_tool_json_field(page, "title");
    const char *url = cw_tool_json_field(page, "url");
    crawl_slice text = crawl_slice_from(cw_tool_json_field(page, "text"));
    crawl_slice heading = {0};
    if (cw_starts_with(text, "# "))
        heading = cw_drop(cw_cut_line(&text), 2);
    else
        heading = crawl_slice_from(title ? title : url);
    text = cw_trim_start(text);
    fprintf(out, "# %.*s\n\nSource: %s\n\n%.*s\n", (int)heading.size, heading.data, url, (int)text.size,
            text.size ? text.data : "");
}

static int corpus_add_page(corpus_job *j, const json_t *row)
{
    char name[32];
    snprintf(name, sizeof name, "pages/%06lu.md", j->pages + 1);
    json_t *page = corpus_make_page(row, name);
    const char *note = cw_tool_json_field(json_object_get(row, "data"), "description");
    crawl_err err = page ? CRAWL_OK : CRAWL_ENOMEM;
    FILE *file = err ? NULL : corpus_open(j, name);
    int status = file ? CW_EXIT_OK : CW_EXIT_LOCAL;
    if (file && !j->pages++) {
        snprintf(j->host, sizeof j->host, "%s", cw_tool_json_field(page, "source"));
        j->about = note ? strdup(note) : NULL;
        j->has_no_memory = j->has_no_memory || (note && !j->about);
    }
    if (file)
        err = corpus_write_page(page, file);
    if (file)
        status = corpus_close(j, file, name);
    if (!err && !status) {
        write_full(page, j->full);
        (void)cw_tool_json_write(page, j->lines); /* its failure is that of the file */
        err = cw_corpus_llms_add(&j->llms, cw_tool_json_field(page, "url"), cw_tool_json_field(page, "title"), note,
                                 json_integer_value(json_object_get(page, "depth")));
    }
    json_decref(page);
    if (err)
        cw_tool_say(tool, "%s", crawl_strerror(err));
    return err ? CW_EXIT_LOCAL : status;
}

/* --- records --- */

static int corpus_pick_row(corpus_job *j, const json_t *row, crawl_slice line)
{
    bool is_page = false;
    j->records++;
    if (cw_corpus_pick_note(j->pick, row, j->picked_count + 1, &is_page))
        return corpus_lacks_memory();
    if (!is_page)
        return CW_EXIT_OK;
    j->picked_count++;
    fwrite(line.data, 1, line.size, j->picked); /* its failure is that of the file */
    putc('\n', j->picked);
    return CW_EXIT_OK;
}

static int corpus_take_line(void *user, crawl_slice line, unsigned long number, FILE *)
{
    corpus_job *j = user;
    json_error_t why;
    if (!cw_trim(line).size)
        return CW_EXIT_OK;
    json_t *row = cw_json_read(line, &why);
    int status = CW_EXIT_OK;
    if (!row && json_error_code(&why) == json_error_out_of_memory) {
        status = corpus_lacks_memory();
    } else if (!json_is_object(row)) {
        if (j->bad_lines++ < CW_TOOL_BAD_LINES_NAMED)
            cw_tool_say(tool, "%s: line %lu is not a record", cw_tool_name(j->path), number);
        status = CW_EXIT_NOTHING;
    } else {
        status = corpus_pick_row(j, row, line);
    }
    json_decref(row);
    return status;
}

static int corpus_take_picked(void *user, crawl_slice line, unsigned long number, FILE *)
{
    corpus_job *j = user;
    json_error_t why;
    int status = CW_EXIT_OK;
    json_t *row = cw_json_read(line, &why);
    if (!row) /* it could be read before */
        return corpus_lacks_memory();
    if (cw_corpus_pick_keeps(j->pick, row, number) && is_new_text(j, crawl_slice_from(cw_tool_json_field(row, "text"))))
        status = corpus_add_page(j, row);
    json_decref(row);
    return status;
}

/* --- the whole --- */

static int write_llms(corpus_job *j)
{
    size_t listed = 0;
    FILE *out = corpus_open(j, "llms.txt");
    if (!out)
        return CW_EXIT_LOCAL;
    fprintf(out, "# %s\n", j->host);
    if (j->about && *j->about) {
        crawl_slice about = crawl_slice_from(j->about);
        fputs("\n>", out);
        for (crawl_slice word; (word = cw_take_word(&about, false)).size;)
            fprintf(out, " %.*s", (int)word.size, word.data);
        fputc('\n', out);
    }
    crawl_err err = cw_corpus_llms_write(&j->llms, out, &listed);
    if (listed < j->llms.count)
        cw_tool_say(tool, "llms.txt has %zu of %zu pages, since more than 50 KB is not read; llms-full.txt has all",
                    listed, j->llms.count);
    if (err)
        cw_tool_say(tool, "%s", crawl_strerror(err));
    int status = corpus_close(j, out, "llms.txt");
    return err ? CW_EXIT_LOCAL : status;
}

static int corpus_begin(corpus_job *j, const char *folder)
{
    struct stat there;
    if (lstat(folder, &there) == 0) {
        cw_tool_say(tool, "%s already exists", folder);
        return CW_EXIT_USAGE;
    }
    crawl_buf pages = {0};
    crawl_err err = crawl_buf_printf(&j->folder, "%s.XXXXXX", folder);
    j->texts = json_object();
    j->pick = cw_corpus_pick_create(j->use);
    if (err || !j->texts || !j->pick)
        return corpus_lacks_memory();
    j->is_made = mkdtemp(j->folder.data);
    bool made = j->is_made && chmod(j->folder.data, 0755) == 0 &&
                !crawl_buf_printf(&pages, "%s/pages", j->folder.data) && mkdir(pages.data, 0755) == 0;
    crawl_buf_free(&pages);
    if (!made)
        return corpus_fail(j, "pages");
    j->picked = corpus_open(j, picked_name);
    j->lines = corpus_open_lines(j);
    j->full = corpus_open(j, "llms-full.txt");
    return j->picked && j->lines && j->full ? CW_EXIT_OK : CW_EXIT_LOCAL;
}

static int corpus_end(corpus_job *j, const char *folder)
{
    int status = j->has_no_memory ? CW_EXIT_LOCAL : write_llms(j);
    if (j->has_no_memory)
        cw_tool_say(tool, "%s", crawl_strerror(CRAWL_ENOMEM));
    int lines = corpus_close(j, j->lines, corpus_lines_name(j));
    int full = corpus_close(j, j->full, "llms-full.txt");
    j->lines = j->full = NULL;
    status = status ? status : lines ? lines : full;
    if (status)
        return status;
    if (rename(j->folder.data, folder)) {
        cw_tool_say(tool, "%s: %s", folder, strerror(errno));
        return CW_EXIT_LOCAL;
    }
    cw_tool_say(tool, "%lu pages in %s; %lu records left out", j->pages, folder, j->records - j->pages);
    return CW_EXIT_OK;
}

/* Makes pages of the picked records, which are then removed. */
static int corpus_add_pages(corpus_job *j)
{
    crawl_buf path = {0};
    int status = corpus_close(j, j->picked, picked_name);
    j->picked = NULL;
    if (!status && crawl_buf_printf(&path, "%s/%s", j->folder.data, picked_name))
        status = corpus_lacks_memory();
    const cw_tool_input lines = {
        .tool = tool, .path = path.data, .longest = CW_TOOL_LINE_ROW_MAX, .line = corpus_take_picked, .user = j};
    if (!status)
        status = cw_tool_lines(&lines, stdout);
    if (!status && unlink(path.data))
        status = corpus_fail(j, picked_name);
    crawl_buf_free(&path);
    return status;
}

/* Cuts trailing slashes off: a folder is made beside the path, not in it. */
static void corpus_cut_slashes(char *path)
{
    for (size_t size = strlen(path); size > 1 && path[size - 1] == '/'; size--)
        path[size - 1] = '\0';
}

static int corpus_run(corpus_job *j, int count, char **words)
{
    static const char *const input[] = {NULL};
    const char *const *paths = count > 1 ? (const char *const *)words + 1 : input;
    int wrong = CW_EXIT_OK;
    corpus_cut_slashes(words[0]);
    int status = corpus_begin(j, words[0]);
    for (int i = 0; !status && i < (count > 1 ? count - 1 : 1); i++) {
        const cw_tool_input lines = {
            .tool = tool, .path = paths[i], .longest = CW_TOOL_LINE_ROW_MAX, .line = corpus_take_line, .user = j};
        j->path = paths[i];
        j->bad_lines = 0;
        int own = cw_tool_lines(&lines, stdout);
        if (j->bad_lines > CW_TOOL_BAD_LINES_NAMED)
            cw_tool_say(tool, "%s: %lu lines are not records", cw_tool_name(paths[i]), j->bad_lines);
        status = own == CW_EXIT_NOTHING ? CW_EXIT_OK : own;
        wrong = wrong ? wrong : own;
    }
    if (!status)
        status = corpus_add_pages(j);
    if (!status && !j->pages) {
        cw_tool_say(tool, "no page is left: records only have texts if the crawl had --text");
        status = CW_EXIT_NOTHING;
    }
    if (!status)
        status = corpus_end(j, words[0]);
    if (status && j->is_made)
        cw_remove_folder(j->folder.data);
    return status ? status : wrong;
}

static int corpus_main(int argc, char **argv)
{
    corpus_job j = {0};
    const cw_tool_option known[] = {
        {"for", .takes_value = true, .take = take_use}, {"zstd", .flag = &j.is_packed}, {0}};
    const cw_tool_syntax syntax = {.tool = tool, .options = known, .user = &j, .help = cw_tool_help};
    int status;
    if (cw_tool_options(&syntax, argc, argv, &status))
        status =
            optind == argc ? cw_tool_refuse(&syntax, "DIR is missing") : corpus_run(&j, argc - optind, argv + optind);
    if (j.picked)
        (void)fclose(j.picked);
    if (j.lines)
        (void)fclose(j.lines);
    if (j.full)
        (void)fclose(j.full);
    cw_corpus_llms_free(&j.llms);
    cw_corpus_pick_free(j.pick);
    json_decref(j.texts);
    crawl_buf_free(&j.folder);
    free(j.about);
    return status;
}

int main(int argc, char **argv)
{
    return cw_tool_main(argc, argv, corpus_main);
}
