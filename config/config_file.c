/* Reads crawler.conf, an INI file, with libinih, which gets its lines through a reader of ours, so that messages can
 * give the position.
 *
 * libinih strips white space and comments (";" or "#" at the start of a line, " ;" after a value), and calls its
 * handler once per line with a value. An indented line after a value continues that key: it is another item of a list,
 * or the rest of a quoted text whose line ended with a backslash. Lines that libinih would silently truncate or skip
 * (long lines, NULs, text after a section, empty sections with an unknown name) are refused before libinih gets
 * them. */
#include "config/config.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/files/file_read.h"
#include "config/quote.h"
#include "config/value.h"

#include <ini.h>
#include <stdio.h>
#include <stdlib.h>

/* Maximum size of a file: a configuration has a few pages, and a larger file was named by mistake. */
#define MAX_FILE (1u << 20)

typedef struct parsing {
    const char *name;
    crawl_config *config;
    crawl_error *error;
    crawl_err err;
    bool is_kept;     /* as in cw_config_load_kept */
    crawl_slice left; /* unread text */
    crawl_slice raw;  /* the present line of libinih, as in the file */
    unsigned line;
    bool after_value;      /* an indented line continues the key before it */
    bool open;             /* ... and must, since value ends with a backslash */
    crawl_rules *rules;    /* rules of this file so far, which check each new one; NULL: none yet */
    crawl_slice extract;   /* NAME of the section [extract NAME], in the text; empty: another section */
    crawl_buf extract_key; /* of the value being read */
    bool in_host;          /* the section is that of a host */
    size_t host;           /* its index in config->hosts */
    const cw_config_key *key;
    crawl_buf value;                       /* unquoted */
    unsigned set_in[CW_CONFIG_SCHEMA_MAX]; /* line that set each key; 0: not set. Keys of hosts come first, for the
                                              present section */
    unsigned *host_in;                     /* line of each host section; 0: not in this file */
    size_t host_lines;
} parsing;

/* Fills the error with "FILE:LINE:COLUMN: words", unless it is set. The column is that of `at` in the line, or 1. */
static crawl_err CRAWL_PRINTF(4, 5)
    config_file_refuse(parsing *p, const char *at, crawl_err err, const char *format, ...)
{
    if (p->err)
        return p->err;
    char words[sizeof p->error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    unsigned column = at ? (unsigned)(at - p->raw.data) + 1 : 1;
    p->err = crawl_error_set(p->error, err, "%s:%u:%u: %s", p->name, p->line, column, words);
    if (p->error) {
        p->error->line = p->line;
        p->error->column = column;
    }
    return p->err;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static const char *config_file_skip_blanks(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at;
}

/* Puts the next line, without its newline, into p->raw. */
static void config_file_next_line(parsing *p)
{
    p->raw = cw_cut_line(&p->left);
    p->raw.size -= cw_ends_with(p->raw, "\r");
    p->line++;
}

/* Records the line of a host section. *before: the line of an earlier one in this file; 0: none. */
static crawl_err note_host_line(parsing *p, unsigned *before)
{
    if (p->host >= p->host_lines) {
        if (CW_ARRAY_RESIZE(p->host_in, p->config->host_count))
            return CRAWL_ENOMEM;
        memset(p->host_in + p->host_lines, 0, (p->config->host_count - p->host_lines) * sizeof *p->host_in);
        p->host_lines = p->config->host_count;
    }
    *before = p->host_in[p->host];
    p->host_in[p->host] = p->line;
    return CRAWL_OK;
}

static crawl_err config_file_begin_host(parsing *p, crawl_slice section, const char *open)
{
    crawl_host_config *host;
    crawl_error why;
    crawl_err err = cw_config_host(p->config, section, &host, &why);
    if (err)
        return config_file_refuse(p, open, err, "%.400s", why.message);
    unsigned before = 0;
    size_t count;
    cw_config_schema_host(&count);
    p->in_host = true;
    p->host = (size_t)(host - p->config->hosts);
    memset(p->set_in, 0, count * sizeof *p->set_in);
    err = note_host_line(p, &before);
    if (err)
        return config_file_refuse(p, open, err, "%s", crawl_strerror(err));
    return before ? config_file_refuse(p, open, CRAWL_EPARSE, "duplicate section [%s], first in line %u",
                                       cw_excerpt_of(section).text, before)
                  : CRAWL_OK;
}

/* Starts a section of rules, which replaces one set before this file; a file may contain it once. */
static crawl_err begin_extract(parsing *p, crawl_slice name, const char *open)
{
    crawl_rule rule;
    p->extract = name;
    if (!p->rules)
        p->rules = crawl_rules_create();
    if (!p->rules)
        return config_file_refuse(p, open, CRAWL_ENOMEM, "%s", crawl_strerror(CRAWL_ENOMEM));
    for (size_t i = 0; crawl_rules_at(p->rules, i, &rule); i++)
        if (crawl_slice_equal(rule.section, name))
            return config_file_refuse(p, open, CRAWL_EPARSE, "duplicate section [extract %s]",
                                      cw_excerpt_of(name).text);
    cw_config_extract_remove(p->config, name);
    return CRAWL_OK;
}

/* The user chooses the names of rule keys, so they are not rows of the schema. */
static const cw_config_key extract_keys[] = {
    {.section = "extract", .name = "pages", .type = CW_COMMON},
    {.section = "extract", .name = "field.NAME", .type = CW_STRING},
};

static bool is_of_extract(const cw_config_key *key)
{
    return key == &extract_keys[0] || key == &extract_keys[1];
}

static crawl_err set_extract(parsing *p, const char *place)
{
    crawl_error why = {0};
    crawl_slice key = crawl_buf_slice(&p->extract_key);
    crawl_slice value = crawl_buf_slice(&p->value);
    crawl_err err = crawl_rules_add(p->rules, p->extract, key, value, &why);
    if (err)
        return config_file_refuse(p, place, err, "%s: %.400s", cw_excerpt_of(key).text, why.message);
    err = cw_config_extract_add(p->config, p->extract, key, value);
    return err ? config_file_refuse(p, place, err, "%s", crawl_strerror(err)) : CRAWL_OK;
}

/* Returns the bracket that ends a section's name: for a host the last one, since its address may contain brackets. */
static const char *find_close(const parsing *p, const char *open)
{
    const char *end = p->raw.data + p->raw.size;
    if (!cw_config_section_is_host(crawl_slice_of(open + 1, (size_t)(end - open - 1))))
        return memchr(open, ']', (size_t)(end - open));
    const char *close = NULL;
    for (const char *at = open; at < end && *at != ';' && *at != '#'; at++)
        if (*at == ']')
            close = at;
    return close;
}

/* Checks a [section]: it must be known, and nothing may follow it. */
static crawl_err check_section(parsing *p, const char *open)
{
    const char *end = p->raw.data + p->raw.size;
    const char *close = find_close(p, open);
    if (!close)
        return config_file_refuse(p, open, CRAWL_EPARSE, "a section's name needs a closing ]");
    crawl_slice section = crawl_slice_of(open + 1, (size_t)(close - open - 1));
    p->in_host = false;
    p->extract = (crawl_slice){0};
    if (cw_is(section, "extract") || cw_config_extract_name(section).data) {
        if (!cw_config_extract_name(section).size)
            return config_file_refuse(p, open, CRAWL_EPARSE, "an extract section needs a name, as [extract product]");
        if (begin_extract(p, cw_config_extract_name(section), open))
            return p->err;
    }
    if (cw_is(section, "host"))
        return config_file_refuse(p, open, CRAWL_EPARSE, "a host section needs a name, as [host example.com]");
    if (cw_is(section, "group"))
        return config_file_refuse(p, open, CRAWL_EPARSE, "a group of hosts needs a name, as [group shop]");
    if (cw_config_section_is_host(section) && config_file_begin_host(p, section, open))
        return p->err;
    if (!p->in_host && !p->extract.size && !cw_config_schema_has_section(section))
        return config_file_refuse(p, open, CRAWL_EPARSE, "unknown section [%s]%s", cw_excerpt_of(section).text,
                                  cw_config_suggest_section(section).text);
    const char *rest = config_file_skip_blanks(close + 1, end);
    if (rest < end && *rest != ';' && *rest != '#')
        return config_file_refuse(p, rest, CRAWL_EPARSE, "unexpected text after the section's name");
    p->after_value = false;
    return CRAWL_OK;
}

static bool is_comment(const parsing *p)
{
    const char *end = p->raw.data + p->raw.size;
    const char *first = config_file_skip_blanks(p->raw.data, end);
    return first < end && (*first == ';' || *first == '#');
}

/* Refuses a line that libinih must not get. */
static crawl_err config_file_check_line(parsing *p, size_t room)
{
    const char *end = p->raw.data + p->raw.size;
    for (const char *at = p->raw.data; at < end; at++)
        if (((unsigned char)*at < 0x20 && *at != '\t') || *at == 0x7f)
            return config_file_refuse(p, at, CRAWL_EPARSE, "control character 0x%02x: not a text file?",
                                      (unsigned char)*at);
    if (p->raw.size > room && !is_comment(p))
        return config_file_refuse(
            p, p->raw.data + room, CRAWL_EPARSE,
            "line of %zu bytes, the maximum is %zu; split the value: \"first part\" \\ and in the next line, "
            "indented, \"second\"",
            p->raw.size, room);
    const char *first = config_file_skip_blanks(p->raw.data, end);
    bool indented = first > p->raw.data;
    bool goes_on = indented && p->after_value && first < end && !is_comment(p);
    if (p->open && !goes_on)
        return config_file_refuse(p, first, CRAWL_EPARSE,
                                  "the value ended with a backslash: its next part is missing (indented, in quotes)");
    if (first < end && *first == '[' && !goes_on)
        return check_section(p, first);
    return CRAWL_OK;
}

/* Replaces fgets for libinih: NULL ends the file, also after an error. A line that fills the buffer without a newline
 * counts as continued in newer versions of libinih. A comment may have any length: libinih gets an empty line
 * instead. */
static char *config_file_read_line(char *out, int size, void *user)
{
    parsing *p = user;
    if (p->err || !p->left.size)
        return NULL;
    config_file_next_line(p);
    if (config_file_check_line(p, (size_t)size - sizeof "\n"))
        return NULL;
    size_t length = is_comment(p) ? 0 : p->raw.size;
    memcpy(out, p->raw.data, length);
    memcpy(out + length, "\n", sizeof "\n");
    return out;
}

/* Returns the position in the line where the value starts. */
static const char *value_place(const parsing *p, bool goes_on)
{
    const char *end = p->raw.data + p->raw.size;
    const char *at = p->raw.data;
    if (!goes_on)
        while (at < end && *at++ != '=' && at[-1] != ':')
            continue;
    return config_file_skip_blanks(at, end);
}

/* Sets the key to its complete value. */
static crawl_err config_file_set_value(parsing *p, const char *place)
{
    if (is_of_extract(p->key))
        return set_extract(p, place);
    void *object = p->in_host ? (void *)&p->config->hosts[p->host] : p->config;
    crawl_err err = cw_config_value_set(p->key, object, crawl_buf_slice(&p->value));
    if (!err)
        return CRAWL_OK;
    char subject[CW_EXCERPT + 100];
    snprintf(subject, sizeof subject, "%s.%s = %s", p->key->section, p->key->name,
             cw_config_value_excerpt(p->key, crawl_buf_slice(&p->value)).text);
    crawl_error words;
    cw_config_value_refused(p->key, err, subject, &words);
    return config_file_refuse(p, place, err, "%s", words.message);
}

/* Refuses what is meant as a comment, and would silently belong to the value. */
static crawl_err config_file_refuse_hash(parsing *p, crawl_slice part, const char *place)
{
    size_t at = p->is_kept || cw_starts_with(part, "\"") ? part.size : cw_config_find_hash(part);
    return at == part.size ? CRAWL_OK
                           : config_file_refuse(p, place + at, CRAWL_EPARSE,
                                                "a comment behind a value begins with \" ;\"; if the \"#\" belongs to "
                                                "the value, write the value in quotes");
}

/* Takes a part of the value, as passed by libinih, which also strips what looks like a comment within quotes. */
static crawl_err config_file_take_value(parsing *p, crawl_slice part, const char *place)
{
    if (cw_starts_with(part, "\""))
        part = cw_drop(p->raw, (size_t)(place - p->raw.data));
    const char *why = NULL;
    size_t where = 0;
    crawl_err err = cw_config_unquote(part, &p->value, &p->open, &why, &where);
    if (err == CRAWL_EPARSE)
        return config_file_refuse(p, place + where - (where > 0), err, "%s", why);
    if (err)
        return config_file_refuse(p, place, err, "%s", crawl_strerror(err));
    if (p->open)
        return CRAWL_OK;
    err = config_file_set_value(p, place);
    return err ? err : config_file_refuse_hash(p, part, place);
}

/* Strips a comment at the end of a continuation line, which libinih does only in the first line of a value. */
static crawl_slice config_file_without_comment(crawl_slice text)
{
    for (size_t i = 1; i < text.size; i++)
        if (text.data[i] == ';' && is_blank(text.data[i - 1]))
            return cw_trim(crawl_slice_of(text.data, i));
    return text;
}

static bool may_repeat(const cw_config_key *key)
{
    return key->type == CW_RULE || cw_config_key_is_list(key);
}

/* Returns the entry of p->key in set_in. */
static unsigned *line_of_key(parsing *p)
{
    size_t count;
    const cw_config_key *keys = cw_config_schema_host(&count);
    return p->in_host ? &p->set_in[p->key - keys]
                      : &p->set_in[count + (size_t)(p->key - cw_config_schema(&(size_t){0}))];
}

static crawl_err config_file_go_on(parsing *p, crawl_slice part)
{
    const char *place = value_place(p, true);
    part = config_file_without_comment(part);
    if (p->open && part.data[0] != '"')
        return config_file_refuse(p, place, CRAWL_EPARSE, "the next part of the value must be in quotes");
    if (!p->open && !may_repeat(p->key))
        return config_file_refuse(
            p, place, CRAWL_EPARSE,
            "an indented line continues \"%s\" above it, which takes one value; start a new key in column 1",
            p->key->name);
    if (!p->open)
        crawl_buf_clear(&p->value);
    return config_file_take_value(p, part, place);
}

static crawl_err start_extract_key(parsing *p, crawl_slice name, crawl_slice part)
{
    p->key = &extract_keys[cw_is(name, "pages") ? 0 : 1];
    p->after_value = true;
    crawl_buf_clear(&p->value);
    crawl_buf_clear(&p->extract_key);
    if (crawl_buf_append(&p->extract_key, name.data, name.size))
        return config_file_refuse(p, NULL, CRAWL_ENOMEM, "%s", crawl_strerror(CRAWL_ENOMEM));
    return config_file_take_value(p, part, value_place(p, false));
}

static crawl_err start_key(parsing *p, crawl_slice section, crawl_slice name, crawl_slice part)
{
    const char *at = config_file_skip_blanks(p->raw.data, p->raw.data + p->raw.size);
    if (!section.size)
        return config_file_refuse(p, at, CRAWL_EPARSE, "\"%s\" comes before the first [section]",
                                  cw_excerpt_of(name).text);
    if (p->extract.size)
        return start_extract_key(p, name, part);
    if (p->in_host)
        section = crawl_slice_from("host");
    p->key = cw_config_schema_find(section, name);
    if (!p->key)
        return config_file_refuse(p, at, CRAWL_EPARSE, "unknown key \"%.*s.%s\"%s", (int)section.size, section.data,
                                  cw_excerpt_of(name).text, cw_config_suggest_key(section, name).text);
    unsigned *set_in = line_of_key(p);
    if (*set_in && !may_repeat(p->key))
        return config_file_refuse(p, at, CRAWL_EPARSE, "\"%s.%s\" is already set in line %u", p->key->section,
                                  p->key->name, *set_in);
    *set_in = p->line;
    p->after_value = true;
    crawl_buf_clear(&p->value);
    return config_file_take_value(p, part, value_place(p, false));
}

/* The handler of libinih: nonzero continues. */
static int config_file_handle(void *user, const char *section, const char *name, const char *value)
{
    parsing *p = user;
    crawl_slice part = crawl_slice_from(value);
    bool indented = p->raw.size && is_blank(p->raw.data[0]);
    if (indented && p->after_value)
        config_file_go_on(p, part);
    else
        start_key(p, crawl_slice_from(section), crawl_slice_from(name), part);
    return p->err == CRAWL_OK;
}

/* Reports an error found by libinih: a line that is not a section, value or comment. */
static void report_syntax(parsing *p, crawl_slice text, int line)
{
    p->left = text;
    p->line = 0;
    while (p->line < (unsigned)line && p->left.size)
        config_file_next_line(p);
    p->err = CRAWL_OK;
    config_file_refuse(p, config_file_skip_blanks(p->raw.data, p->raw.data + p->raw.size), CRAWL_EPARSE,
                       "expected [section], name = value, or a comment (#)");
}

static crawl_err config_file_parse(parsing *p, crawl_slice text)
{
    p->left = text;
    int result = ini_parse_stream(config_file_read_line, p, config_file_handle, p);
    if (result > 0 && (!p->err || (unsigned)result < p->line))
        report_syntax(p, text, result);
    else if (result < 0 && !p->err)
        config_file_refuse(p, NULL, CRAWL_ENOMEM, "%s", crawl_strerror(CRAWL_ENOMEM));
    else if (p->open && !p->err)
        config_file_refuse(p, NULL, CRAWL_EPARSE, "the file ends where the value of \"%s\" should continue",
                           p->key->name);
    crawl_buf_free(&p->value);
    crawl_buf_free(&p->extract_key);
    crawl_rules_free(p->rules);
    free(p->host_in);
    return p->err;
}

static crawl_err config_file_take(crawl_config *config, const char *name, crawl_slice text, bool is_kept,
                                  crawl_error *error)
{
    if (text.size > MAX_FILE)
        return crawl_error_set(error, CRAWL_EPARSE, "%s: larger than %u KiB: not a configuration", name,
                               MAX_FILE >> 10);
    crawl_config copy;
    crawl_err err = cw_config_copy(config, &copy);
    if (err)
        return crawl_error_set(error, err, "%s: %s", name, crawl_strerror(err));
    parsing p = {.name = name, .config = &copy, .error = error, .is_kept = is_kept};
    cw_take_text(&text, "\xef\xbb\xbf");
    return cw_config_settle(config, &copy, config_file_parse(&p, text), error);
}

crawl_err cw_config_parse(crawl_config *config, const char *name, crawl_slice text, crawl_error *error)
{
    return config_file_take(config, name, text, false, error);
}

crawl_err cw_config_read(const char *path, crawl_buf *text, crawl_error *error)
{
    crawl_err err = cw_read_file(path, MAX_FILE, text, error);
    return err == CRAWL_FULL ? CRAWL_OK : err; /* config_file_take refuses it */
}

static crawl_err config_file_load(crawl_config *config, const char *path, bool is_kept, crawl_error *error)
{
    crawl_buf text = {0};
    crawl_err err = cw_config_read(path, &text, error);
    if (!err)
        err = config_file_take(config, path, crawl_buf_slice(&text), is_kept, error);
    crawl_buf_free(&text);
    return err;
}

crawl_err crawl_config_load(crawl_config *config, const char *path, crawl_error *error)
{
    return config_file_load(config, path, false, error);
}

crawl_err cw_config_load_kept(crawl_config *config, const char *path, crawl_error *error)
{
    return config_file_load(config, path, true, error);
}
