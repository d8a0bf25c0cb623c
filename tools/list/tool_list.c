/* `crawl list`: chosen lines of records, links, or anything else that is JSON Lines, and chosen fields of them. */
#include "tools/list/condition.h"

#include "base/bytes.h"
#include "base/text/escape.h"
#include "tools/common/io.h"
#include "tools/common/say.h"
#include "tools/common/status.h"
#include "tools/common/tool_options.h"
#include "tools/common/tool_output.h"

#include <stdlib.h>
#include <unistd.h>

static const char help[] = "usage: crawl list [--where CONDITION]... [--show FIELD,FIELD...] [--jsonl]\n"
                           "             [FILE...]\n"
                           "\n"
                           "Prints a line for each record of FILE (or standard input) that meets all\n"
                           "conditions, with the fields to show between tabs. It reads whatever a crawl or a\n"
                           "tool writes as a JSON object a line: --output, --links, --requests, `crawl\n"
                           "links`, `crawl sitemap`.\n"
                           "\n"
                           "  --where CONDITION  one of these; of an array, one of its elements meets it:\n"
                           "                       FIELD           is there, and is not null, false, 0 or\n"
                           "                                       empty\n"
                           "                       !FIELD          is not\n"
                           "                       FIELD=VALUE     also != < <= > >=; numbers as numbers,\n"
                           "                                       everything else as text\n"
                           "                       FIELD~TEXT      has TEXT in it, a for A as well; !~ has\n"
                           "                                       not\n"
                           "  --show FIELDS      the fields to print, between commas; default: url. One of\n"
                           "                     an object within a line is called by both names with a\n"
                           "                     point between them: headers.server\n"
                           "  --jsonl            print each line as it stands, with all its fields\n"
                           "  --help             this text\n"
                           "\n"
                           "Of an array all elements are printed, with spaces between them, and of what is\n"
                           "null or not there nothing. Bytes that would move the cursor are printed as \\x1b.\n"
                           "A line has 64 MiB at most.\n"
                           "Exit status: 0; 1 a line is no object, or no line has any of the fields to show,\n"
                           "or one that --where compares; 2 usage; 4 a file or memory.\n"
                           "\n"
                           "  crawl list --where 'status>=400' --show status,url,parent pages.jsonl\n"
                           "  crawl list --show bytes,url pages.jsonl | sort -rn | head\n"
                           "  crawl list --where to=https://example.com/a --show from links.jsonl\n";

static const char tool[] = "list";

enum {
    CONDITIONS_MAX = 32,
    NAMED_MAX = 5 /* lines of a file that are named as wrong: of a file of another kind all are */
};

typedef struct list_job {
    cw_list_fields fields;
    cw_list_condition conditions[CONDITIONS_MAX];
    size_t condition_count;
    size_t shown[CW_LIST_FIELDS_MAX];
    size_t shown_count;
    const char *show; /* as it was given; NULL: it was not */
    bool jsonl;
    bool has_read;  /* a line */
    bool has_lines; /* to print */
    bool has_shown; /* a line had one of the fields that are shown */
    crawl_buf row;
    const char *path;    /* of the file that is being read */
    unsigned long wrong; /* lines of it */
} list_job;

/* --- the command line --- */

static bool refuse_field(const char *option, const char *value, crawl_err err)
{
    cw_tool_say(tool, "%s %s: %s", option, value,
                err == CRAWL_FULL ? "too many fields" : "no condition or field; `crawl help list` explains them");
    return false;
}

static bool take_condition(void *user, const char *name, const char *value)
{
    (void)name;
    list_job *j = user;
    crawl_err err = j->condition_count == CONDITIONS_MAX ? CRAWL_FULL : CRAWL_OK;
    if (!err)
        err = cw_list_condition_read(value, &j->fields, &j->conditions[j->condition_count]);
    if (err)
        return refuse_field("--where", value, err);
    j->condition_count++;
    return true;
}

static bool take_shown(void *user, const char *name, const char *value)
{
    (void)name;
    list_job *j = user;
    crawl_slice rest = crawl_slice_from(value);
    j->show = value;
    do {
        crawl_err err = j->shown_count == CW_LIST_FIELDS_MAX ? CRAWL_FULL : CRAWL_OK;
        if (!err)
            err = cw_list_field_add(&j->fields, cw_trim(cw_cut(&rest, ',')), &j->shown[j->shown_count]);
        if (err)
            return refuse_field("--show", value, err);
        j->shown_count++;
    } while (rest.size);
    return true;
}

/* --- a line --- */

static crawl_err add_array(list_job *j, crawl_slice array)
{
    cw_json_value element;
    crawl_err err = CRAWL_OK;
    for (bool is_first = true; !err && cw_json_next_element(&array, &element); is_first = false) {
        err = is_first ? CRAWL_OK : crawl_buf_append_char(&j->row, ' ');
        if (!err)
            err =
                cw_escape(element.kind == CW_JSON_ARRAY ? element.bytes : cw_list_text(&j->fields, &element), &j->row);
    }
    return err;
}

static crawl_err list_add_field(list_job *j, const cw_json_value *value)
{
    j->has_shown |= value->kind != CW_JSON_MISSING;
    if (value->kind == CW_JSON_ARRAY)
        return add_array(j, value->bytes);
    return cw_escape(cw_list_text(&j->fields, value), &j->row);
}

static crawl_err make_row(list_job *j)
{
    crawl_err err = CRAWL_OK;
    crawl_buf_clear(&j->row);
    for (size_t i = 0; i < j->shown_count && !err; i++) {
        err = i ? crawl_buf_append_char(&j->row, '\t') : CRAWL_OK;
        if (!err)
            err = list_add_field(j, &j->fields.values[j->shown[i]]);
    }
    return err;
}

static bool list_is_wanted(list_job *j)
{
    for (size_t i = 0; i < j->condition_count; i++)
        if (!cw_list_condition_met(&j->conditions[i], &j->fields))
            return false;
    return true;
}

static int list_refuse_line(list_job *j, unsigned long number, crawl_err err)
{
    if (err == CRAWL_ENOMEM) {
        cw_tool_say(tool, "%s", crawl_strerror(err));
        return CW_EXIT_LOCAL;
    }
    if (j->wrong++ < NAMED_MAX)
        cw_tool_say(tool, "%s: line %lu is no JSON object", cw_tool_name(j->path), number);
    return CW_EXIT_NOTHING;
}

static int list_print_line(void *user, crawl_slice line, unsigned long number, FILE *out)
{
    list_job *j = user;
    if (!cw_trim(line).size)
        return CW_EXIT_OK;
    crawl_err err = cw_list_fields_read(&j->fields, line);
    j->has_read |= !err;
    bool wanted = !err && list_is_wanted(j);
    if (wanted)
        err = make_row(j);
    if (err)
        return list_refuse_line(j, number, err);
    if (!wanted)
        return CW_EXIT_OK;
    crawl_slice printed = j->jsonl ? line : crawl_buf_slice(&j->row);
    j->has_lines = true;
    fwrite(printed.data, 1, printed.size, out);
    fputc('\n', out);
    return CW_EXIT_OK;
}

static int list_read_file(list_job *j, const char *path)
{
    const cw_tool_input lines = {
        .tool = tool, .path = path, .longest = CW_TOOL_LINE_ROW_MAX, .line = list_print_line, .user = j};
    j->path = path;
    j->wrong = 0;
    int status = cw_tool_lines(&lines, stdout);
    if (j->wrong > NAMED_MAX)
        cw_tool_say(tool, "%s: %lu lines are no JSON objects", cw_tool_name(path), j->wrong);
    return status;
}

/* The field of the first comparison with a value that no line had; empty: there is none. One that is asked for as
 * such, "error", "!error" or "error=", may well be nowhere. */
static crawl_slice find_unknown(const list_job *j)
{
    for (size_t i = 0; i < j->condition_count && j->has_read; i++)
        if (j->conditions[i].value.size && !j->fields.were_there[j->conditions[i].field])
            return j->fields.paths[j->conditions[i].field];
    return (crawl_slice){0};
}

/* A name that is wrong must not pass for a site without faults. */
static int list_end(const list_job *j, int status)
{
    crawl_slice unknown = find_unknown(j);
    if (!status && unknown.size) {
        cw_tool_say(tool, "no line has %.*s, which --where compares", (int)unknown.size, unknown.data);
        return CW_EXIT_NOTHING;
    }
    if (status || j->jsonl || !j->has_lines || j->has_shown)
        return status;
    cw_tool_say(tool, "no line has %s: --show names the fields to print", j->show ? j->show : "url");
    return CW_EXIT_NOTHING;
}

static int list_run(list_job *j, int count, char **paths)
{
    int status = CW_EXIT_OK;
    if (!j->shown_count && !take_shown(j, "show", "url"))
        return CW_EXIT_USAGE;
    if (!count)
        status = list_read_file(j, NULL);
    for (int i = 0; i < count && !cw_tool_output_failed(); i++) {
        int own = list_read_file(j, paths[i]);
        status = status ? status : own;
    }
    return list_end(j, status);
}

static int list_main(int argc, char **argv)
{
    list_job *j = calloc(1, sizeof *j);
    if (!j) {
        cw_tool_say(tool, "%s", crawl_strerror(CRAWL_ENOMEM));
        return CW_EXIT_LOCAL;
    }
    const cw_tool_option known[] = {
        {"where", .takes_value = true, .take = take_condition},
        {"show", .takes_value = true, .take = take_shown},
        {"jsonl", .flag = &j->jsonl},
        {0},
    };
    const cw_tool_syntax syntax = {
        .tool = tool,
        .options = known,
        .user = j,
        .help = help,
    };
    int status;
    if (cw_tool_options(&syntax, argc, argv, &status))
        status = list_run(j, argc - optind, argv + optind);
    cw_list_fields_free(&j->fields);
    crawl_buf_free(&j->row);
    free(j);
    return status;
}

int main(int argc, char **argv)
{
    return cw_tool_main(argc, argv, list_main);
}
