/* Prints from the schema: the effective configuration as a file (--print-config), and the options for --help. */
#include "config/config.h"

#include "config/quote.h"
#include "config/value.h"

/* Maximum bytes of a written line: short enough for libinih, whose limit is 200. */
#define LINE 160u

/* The width of a terminal, and the column where the texts of --help begin. */
#define TERMINAL 80u
#define HELP_COLUMN 26u

static const char *const headings[][2] = {
    {"crawl", "The scope and limits of the crawl."},
    {"seen", "How seen URLs are remembered. Filters lose a new URL at their false-positive rate; exact loses none."},
    {"politeness", "Pauses, limits and rules towards servers."},
    {"fetch", "HTTP."},
    {"identity", "The key that signs requests, so that servers can tell who asks (Web Bot Auth)."},
    {"parse", "Links and other parts of pages."},
    {"output", "Files and messages."},
    {"state", "Crawls that are kept in a directory and outlive their process."},
    {"serve", "The frontier as a service: read only by crawl serve, whose options override it."},
};

static crawl_err print_heading(const char *section, crawl_buf *out)
{
    crawl_err err = crawl_buf_printf(out, "\n[%s]\n", section);
    for (size_t i = 0; i < sizeof headings / sizeof *headings && !err; i++)
        if (strcmp(section, headings[i][0]) == 0)
            err = crawl_buf_printf(out, "# %s\n", headings[i][1]);
    return err;
}

/* Prints the comments before a key: "# help", and "# accepted values; default". */
static crawl_err print_comment(const cw_config_key *key, crawl_buf *out)
{
    crawl_err err = crawl_buf_printf(out, "\n# %s\n# ", key->help);
    if (!err)
        err = cw_config_value_expected(key, out);
    if (!err && key->type == CW_RULE)
        return crawl_buf_printf(out, ": %s = RE\n", key->name);
    if (!err && cw_config_key_is_list(key))
        return crawl_buf_append_char(out, '\n');
    if (!err)
        err = crawl_buf_append_text(out, key->fallback ? "; default " : "; empty: not set");
    if (!err)
        err = cw_config_schema_default(key, out);
    if (!err && key->changeable)
        err = crawl_buf_append_text(out, "; with a log, SIGHUP reads it again");
    return err ? err : crawl_buf_append_char(out, '\n');
}

/* Prints "name = value". */
static crawl_err print_setting(const char *name, crawl_slice value, crawl_buf *out)
{
    size_t before = out->size;
    crawl_err err = crawl_buf_printf(out, "%s =%s", name, value.size ? " " : "");
    if (!err && value.size)
        err = cw_config_quote(value, out->size - before, LINE, out);
    return err ? err : crawl_buf_append_char(out, '\n');
}

static crawl_err print_rules(const crawl_config *config, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < config->rule_count && !err; i++)
        err = print_setting(config->rules[i].include ? "include" : "exclude",
                            crawl_slice_from(config->rules[i].pattern), out);
    return err;
}

static crawl_err print_texts(const cw_config_key *key, const crawl_texts *texts, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < texts->count && !err; i++)
        if (!cw_config_text_is_secret(key, texts->items[i]))
            err = print_setting(key->name, crawl_slice_from(texts->items[i]), out);
    return err;
}

crawl_err cw_config_shown(const cw_config_key *keys, size_t count, const cw_config_key *key, const void *object,
                          crawl_buf *text)
{
    if (strcmp(key->name, "withheld") == 0)
        return cw_config_withheld(keys, count, object, text);
    crawl_err err = cw_config_value_print(key, object, text);
    if (!err && text->size && cw_config_key_is_text(key) && cw_config_text_is_secret(key, text->data))
        crawl_buf_clear(text);
    return err;
}

static crawl_err print_value(const cw_config_key *keys, size_t count, const cw_config_key *key, const void *object,
                             bool unless_empty, crawl_buf *out)
{
    const void *field = (const char *)object + key->offset;
    if (cw_config_key_is_list(key))
        return print_texts(key, field, out);
    crawl_buf value = {0};
    crawl_err err = cw_config_shown(keys, count, key, object, &value);
    if (!err && (value.size || !unless_empty))
        err = print_setting(key->name, crawl_buf_slice(&value), out);
    crawl_buf_free(&value);
    return err;
}

static crawl_err print_host(const crawl_host_config *host, crawl_buf *out)
{
    size_t count;
    const cw_config_key *keys = cw_config_schema_host(&count);
    crawl_err err = crawl_buf_printf(out, "\n[%s %s]\n", cw_config_host_kind(host), host->name);
    for (size_t i = 0; i < count && !err; i++)
        if (cw_config_host_has(host, &keys[i]) || strcmp(keys[i].name, "withheld") == 0)
            err = print_value(keys, count, &keys[i], host, true, out);
    return err;
}

/* Prints the keys of host sections, as comments, then the existing sections. */
static crawl_err print_hosts(const crawl_config *config, crawl_buf *out)
{
    size_t count;
    const cw_config_key *keys = cw_config_schema_host(&count);
    crawl_err err = crawl_buf_append_text(
        out,
        "\n# [host NAME]: settings of one host. NAME is a host, example.com, or *.example.com for all hosts below it; a port and\n"
        "# http:// or https:// limit it to these. Of several sections that match, the most specific with a key counts.\n"
        "# Headers, user, bearer and client_cert go only to the origins that NAME means; without scheme and port these are https\n"
        "# at port 443 and the origins that seeds name.\n"
        "# [group NAME]: settings of several hosts, which share pause, per_host and rate_limit.\n");
    for (size_t i = 0; i < count && !err; i++) {
        err = crawl_buf_printf(out, "#   %s: %s; ", keys[i].name, keys[i].help);
        if (!err)
            err = cw_config_value_expected(&keys[i], out);
        if (!err)
            err = crawl_buf_append_char(out, '\n');
    }
    for (size_t i = 0; i < config->host_count && !err; i++)
        err = print_host(&config->hosts[i], out);
    return err;
}

/* Prints the form of rules for values, as comments, then the existing sections. */
static crawl_err print_extracts(const crawl_config *config, crawl_buf *out)
{
    crawl_err err = crawl_buf_append_text(
        out,
        "\n# [extract NAME]: values of pages, see docs/extract.md.\n"
        "#   pages: only pages whose URL matches; a regular expression (PCRE2), repeatable\n"
        "#   field.NAME: SELECTOR -> WORDS, as in field.price = .price -> number required; .NAME.NAME for members of a group\n");
    const char *section = "";
    for (size_t i = 0; i < config->extract_count && !err; i++) {
        const crawl_extract_line *line = &config->extracts[i];
        if (strcmp(section, line->section) != 0)
            err = crawl_buf_printf(out, "\n[extract %s]\n", line->section);
        section = line->section;
        if (!err)
            err = print_setting(line->key, crawl_slice_from(line->value), out);
    }
    return err;
}

/* Prints everything. Includes and excludes keep their common order, so they come after the comments of both. */
static crawl_err print_all(const crawl_config *config, crawl_buf *out)
{
    size_t count;
    const cw_config_key *keys = cw_config_schema(&count);
    crawl_err err = crawl_buf_printf(
        out,
        "# Configuration of crawl %s. A comment starts with # or ; at the start of a line, or with ; behind\n"
        "# a space. Double quotes keep a value as it is, with the escapes \\\\ \\\" \\n \\r \\t \\xHH.\n",
        crawl_version());
    for (size_t i = 0; i < count && !err; i++) {
        if (i == 0 || strcmp(keys[i].section, keys[i - 1].section) != 0)
            err = print_heading(keys[i].section, out);
        if (!err)
            err = print_comment(&keys[i], out);
        if (!err && keys[i].type != CW_RULE)
            err = print_value(keys, count, &keys[i], config, false, out);
        else if (!err && (i + 1 == count || keys[i + 1].type != CW_RULE))
            err = print_rules(config, out);
    }
    if (!err)
        err = print_hosts(config, out);
    return err ? err : print_extracts(config, out);
}

static crawl_err print_write_out(crawl_buf *text, crawl_err err, FILE *out)
{
    if (!err && text->size && fwrite(text->data, 1, text->size, out) != text->size)
        err = CRAWL_EIO;
    if (!err && fflush(out))
        err = CRAWL_EIO;
    crawl_buf_free(text);
    return err;
}

crawl_err crawl_config_print(const crawl_config *config, FILE *out)
{
    crawl_buf text = {0};
    return print_write_out(&text, print_all(config, &text), out);
}

/* Appends words from HELP_COLUMN on, wrapped at spaces to the width of a terminal. */
static crawl_err wrap(const char *words, crawl_buf *out)
{
    size_t column = HELP_COLUMN;
    crawl_err err = CRAWL_OK;
    for (size_t size; *words && !err; words += size + (words[size] == ' ')) {
        size = strcspn(words, " ");
        bool fits = column + 1 + size <= TERMINAL;
        if (column > HELP_COLUMN)
            err = fits ? crawl_buf_append_char(out, ' ') : crawl_buf_printf(out, "\n%*s", (int)HELP_COLUMN, "");
        if (!err)
            err = crawl_buf_append(out, words, size);
        column = (fits ? column + 1 : HELP_COLUMN) + size;
    }
    return err ? err : crawl_buf_append_char(out, '\n');
}

static crawl_err help_line(char letter, const char *option, const char *argument, const char *words, crawl_buf *out)
{
    size_t before = out->size;
    crawl_err err = letter ? crawl_buf_printf(out, "  -%c,", letter) : crawl_buf_append_char(out, ' ');
    if (!err)
        err = crawl_buf_printf(out, " --%s%s%s", option, argument ? " " : "", argument ? argument : "");
    size_t column = out->size - before;
    if (!err && column + 2 > HELP_COLUMN)
        err = crawl_buf_printf(out, "\n%*s", (int)HELP_COLUMN, "");
    else if (!err)
        err = crawl_buf_printf(out, "%*s", (int)(HELP_COLUMN - column), "");
    return err ? err : wrap(words, out);
}

/* Appends the description of an option: its help, its choices, its default. */
static crawl_err print_describe(const cw_config_key *key, crawl_buf *out)
{
    crawl_err err = crawl_buf_append_text(out, key->help);
    cw_config_choice choice;
    for (size_t i = 0; !err && (choice = cw_config_key_choice(key, i)).word; i++)
        err = crawl_buf_printf(out, "%s%s", i ? ", " : ": ", choice.word);
    if (!err && key->fallback && key->type != CW_BOOL) {
        err = crawl_buf_append_text(out, " [");
        if (!err)
            err = cw_config_schema_default(key, out);
        if (!err)
            err = crawl_buf_append_char(out, ']');
    }
    return err;
}

/* Appends the help of a switch, in the form that changes its default. */
static crawl_err help_bool(const cw_config_key *key, const char *words, crawl_buf *out)
{
    if (strcmp(key->fallback, "true") != 0)
        return help_line(key->letter, key->option, NULL, words, out);
    crawl_buf option = {0}, negated = {0};
    crawl_err err = crawl_buf_printf(&option, "no-%s", key->option);
    if (!err)
        err = crawl_buf_printf(&negated, "do not %s", words);
    if (!err)
        err = help_line(0, option.data, NULL, negated.data, out);
    crawl_buf_free(&option);
    crawl_buf_free(&negated);
    return err;
}

static crawl_err help_key(const cw_config_key *key, crawl_buf *out)
{
    crawl_buf words = {0};
    crawl_err err = print_describe(key, &words);
    if (!err && key->type == CW_BOOL)
        err = help_bool(key, words.data, out);
    else if (!err)
        err = help_line(key->letter, key->option, key->argument, words.data, out);
    crawl_buf_free(&words);
    return err;
}

crawl_err crawl_config_help(FILE *out, const char *section)
{
    crawl_buf text = {0};
    crawl_err err = CRAWL_OK;
    size_t count;
    const cw_config_key *keys = cw_config_schema(&count);
    for (size_t i = 0; i < count && !err; i++)
        if (keys[i].option && (!section || strcmp(keys[i].section, section) == 0))
            err = help_key(&keys[i], &text);
    const cw_config_flag *flags = cw_config_schema_flags(&count);
    for (size_t i = 0; i < count && !err && !section; i++)
        err = help_line(flags[i].letter, flags[i].option, NULL, flags[i].help, &text);
    if (!err && !section)
        err =
            help_line(0, "set", "SECTION.NAME=VALUE", "any key of the configuration file (see --print-config)", &text);
    return print_write_out(&text, err, out);
}
