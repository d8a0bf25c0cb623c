/* See value.h. A table has one row per schema type: how its values are parsed, printed and described. */
#include "config/value.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/header.h"
#include "base/process.h"
#include "config/config.h"
#include "config/number.h"

#include <crawl/extract.h>
#include <stdlib.h>

typedef struct type_row {
    crawl_err (*set)(const cw_config_key *key, void *object, crawl_slice text);
    crawl_err (*print)(const cw_config_key *key, const void *object, crawl_buf *out);
    const char *name; /* in "expected NAME from MIN to MAX, as EXAMPLE" */
    const char *example;
    const cw_config_unit *units;
} type_row;

static const type_row types[CW_CONFIG_TYPE_COUNT];

static const void *field_const(const cw_config_key *key, const void *object)
{
    return (const char *)object + key->offset;
}

/* Stores an integer in a field of four or eight bytes. Also for enums and signed fields, whose ranges stay below the
 * sign bit. */
static void store(const cw_config_key *key, void *object, uint64_t value)
{
    uint32_t narrow = (uint32_t)value;
    memcpy(cw_config_field_of(key, object), key->size == sizeof narrow ? (void *)&narrow : (void *)&value, key->size);
}

static uint64_t value_load(const cw_config_key *key, const void *object)
{
    uint32_t narrow;
    uint64_t value;
    if (key->size == sizeof narrow) {
        memcpy(&narrow, field_const(key, object), sizeof narrow);
        return narrow;
    }
    memcpy(&value, field_const(key, object), sizeof value);
    return value;
}

static const cw_config_key booleans = {
    .choices =
        (const cw_config_choice[]){
            {"true", 1}, {"false", 0}, {"yes", 1}, {"no", 0}, {"on", 1}, {"off", 0}, {"1", 1}, {"0", 0}, {0}},
};

/* Finds the choice with this word; its word is NULL if there is none. */
static cw_config_choice find_word(const cw_config_key *key, crawl_slice text)
{
    cw_config_choice choice;
    for (size_t i = 0; (choice = cw_config_key_choice(key, i)).word; i++)
        if (cw_is(text, choice.word))
            break;
    return choice;
}

static crawl_err set_bool(const cw_config_key *key, void *object, crawl_slice text)
{
    bool is_third = key->third && cw_is(text, key->third);
    cw_config_choice choice = find_word(&booleans, text);
    if (!choice.word && !is_third)
        return CRAWL_EPARSE;
    if (key->third)
        store(key, object, is_third ? 2 : (uint64_t)choice.value);
    else
        *(bool *)cw_config_field_of(key, object) = choice.value != 0;
    return CRAWL_OK;
}

static crawl_err print_bool(const cw_config_key *key, const void *object, crawl_buf *out)
{
    uint64_t value = key->third ? value_load(key, object) : *(const bool *)field_const(key, object);
    return crawl_buf_append_text(out, value > 1 ? key->third : value ? "true" : "false");
}

/* Parses a bound of the schema, which is always valid: the tests parse all of them. */
static uint64_t bound(const cw_config_key *key, const char *text)
{
    uint64_t value = 0;
    cw_config_quantity_parse(crawl_slice_from(text), types[key->type].units, &value);
    return value;
}

static crawl_err set_quantity(const cw_config_key *key, void *object, crawl_slice text)
{
    uint64_t value;
    crawl_err err = cw_config_quantity_parse(text, types[key->type].units, &value);
    if (err)
        return err;
    if (value < bound(key, key->min) || value > bound(key, key->max))
        return CRAWL_EPARSE;
    store(key, object, value);
    return CRAWL_OK;
}

static crawl_err print_quantity(const cw_config_key *key, const void *object, crawl_buf *out)
{
    return cw_config_quantity_print(value_load(key, object), types[key->type].units, out);
}

static crawl_err set_double(const cw_config_key *key, void *object, crawl_slice text)
{
    double value, min, max;
    crawl_err err = cw_config_double_parse(text, &value);
    if (!err)
        err = cw_config_double_parse(crawl_slice_from(key->min), &min);
    if (!err)
        err = cw_config_double_parse(crawl_slice_from(key->max), &max);
    if (err)
        return err;
    if (value < min || value > max)
        return CRAWL_EPARSE;
    *(double *)cw_config_field_of(key, object) = value;
    return CRAWL_OK;
}

static crawl_err print_double(const cw_config_key *key, const void *object, crawl_buf *out)
{
    return cw_config_double_print(*(const double *)field_const(key, object), out);
}

static crawl_err set_enum(const cw_config_key *key, void *object, crawl_slice text)
{
    cw_config_choice choice = find_word(key, text);
    if (!choice.word)
        return CRAWL_EPARSE;
    store(key, object, (uint64_t)(int64_t)choice.value);
    return CRAWL_OK;
}

/* Returns the word of a CW_ENUM; NULL: another value, such as that of a host without the setting. */
static const char *value_word(const cw_config_key *key, const void *object)
{
    cw_config_choice choice;
    for (size_t i = 0; (choice = cw_config_key_choice(key, i)).word; i++)
        if ((uint32_t)choice.value == (uint32_t)value_load(key, object))
            break;
    return choice.word;
}

static crawl_err print_enum(const cw_config_key *key, const void *object, crawl_buf *out)
{
    const char *word = value_word(key, object);
    if (!word)
        return value_load(key, object) ? CRAWL_EINVAL : CRAWL_OK;
    return crawl_buf_append_text(out, word);
}

static crawl_err set_flags(const cw_config_key *key, void *object, crawl_slice text)
{
    unsigned bits = 0;
    crawl_slice word = cw_take_word(&text, true);
    if (cw_is(word, "none"))
        word = cw_take_word(&text, true);
    else if (!word.size)
        return CRAWL_EPARSE;
    for (; word.size; word = cw_take_word(&text, true)) {
        cw_config_choice choice = find_word(key, word);
        if (!choice.word)
            return CRAWL_EPARSE;
        bits |= (unsigned)choice.value;
    }
    store(key, object, bits);
    return CRAWL_OK;
}

static crawl_err print_flags(const cw_config_key *key, const void *object, crawl_buf *out)
{
    unsigned bits = (unsigned)value_load(key, object);
    const char *before = "";
    crawl_err err = bits ? CRAWL_OK : crawl_buf_append_text(out, "none");
    cw_config_choice choice;
    for (size_t i = 0; !err && (choice = cw_config_key_choice(key, i)).word; i++)
        if ((bits & (unsigned)choice.value) && __builtin_popcount((unsigned)choice.value) == 1) { /* skips words for
                                                                                                     several bits */
            err = crawl_buf_printf(out, "%s%s", before, choice.word);
            before = " ";
        }
    return err;
}

static crawl_err set_text(const cw_config_key *key, void *object, crawl_slice text)
{
    if (!text.size && key->fallback)
        return CRAWL_EPARSE;
    char *copy = text.size ? strndup(text.data, text.size) : NULL;
    if (text.size && !copy)
        return CRAWL_ENOMEM;
    char **place = cw_config_field_of(key, object);
    free(*place);
    *place = copy;
    return CRAWL_OK;
}

static crawl_err value_print_text(const cw_config_key *key, const void *object, crawl_buf *out)
{
    const char *text = *(char *const *)field_const(key, object);
    return crawl_buf_append_text(out, text ? text : "");
}

static crawl_err set_string(const cw_config_key *key, void *object, crawl_slice text)
{
    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)text.data[i] < 0x20 || text.data[i] == 0x7f)
            return CRAWL_EPARSE;
    return set_text(key, object, text);
}

static crawl_err set_names(const cw_config_key *key, void *object, crawl_slice text)
{
    crawl_slice rest = text;
    for (size_t left = CRAWL_PAGE_MAX_LAZY; cw_take_word(&rest, false).size; left--)
        if (!left)
            return CRAWL_EPARSE;
    return set_string(key, object, text);
}

static crawl_err set_headers(const cw_config_key *key, void *object, crawl_slice text)
{
    crawl_slice rest = text;
    for (crawl_slice name; (name = cw_take_word(&rest, true)).size;)
        if (!cw_is_token(name))
            return CRAWL_EPARSE;
    return set_string(key, object, text);
}

static crawl_err set_token(const cw_config_key *key, void *object, crawl_slice text)
{
    return cw_config_agent_size(text) < text.size ? CRAWL_EPARSE : set_text(key, object, text);
}

/* Appends a text to the list. CRAWL_ENOMEM. */
static crawl_err value_append_text(crawl_texts *texts, crawl_slice text)
{
    if (CW_ARRAY_RESIZE(texts->items, texts->count + 1))
        return CRAWL_ENOMEM;
    texts->items[texts->count] = strndup(text.data, text.size);
    if (!texts->items[texts->count])
        return CRAWL_ENOMEM;
    texts->count++;
    return CRAWL_OK;
}

static crawl_err set_rule(const cw_config_key *key, void *object, crawl_slice text)
{
    crawl_config *config = object;
    if (!text.size)
        return CRAWL_EPARSE;
    if (CW_ARRAY_RESIZE(config->rules, config->rule_count + 1))
        return CRAWL_ENOMEM;
    char *pattern = strndup(text.data, text.size);
    if (!pattern)
        return CRAWL_ENOMEM;
    config->rules[config->rule_count++] = (crawl_filter_rule){.include = key->include, .pattern = pattern};
    return CRAWL_OK;
}

/* Returns true for scheme://[userinfo@]host:port, also with a slash behind it, and nothing else. Without a port libcurl
 * would choose one. */
static bool is_proxy(crawl_slice text)
{
    static const char *const schemes[] = {"http", "https", "socks5", "socks5h"};
    size_t size = cw_find_text(text, "://");
    if (size == text.size || !cw_is_among(crawl_slice_of(text.data, size), schemes, sizeof schemes / sizeof *schemes))
        return false;
    crawl_slice rest = cw_drop(text, size + 3);
    rest.size -= cw_ends_with(rest, "/");
    size_t colon = cw_find_last(rest, ':');
    bool named = colon > 0 && colon < rest.size && rest.data[colon - 1] != '@';
    for (size_t i = 0; i < rest.size; i++)
        named = named && (unsigned char)rest.data[i] > ' ' && rest.data[i] != 0x7f && !strchr("/?#", rest.data[i]);
    return named && cw_port_of(cw_drop(rest, colon + 1)) > 0;
}

static crawl_err value_set_proxy(const cw_config_key *key, void *object, crawl_slice text)
{
    return text.size && !is_proxy(text) ? CRAWL_EPARSE : set_text(key, object, text);
}

static crawl_err set_route(const cw_config_key *key, void *object, crawl_slice text)
{
    bool direct = cw_is(text, "direct");
    return direct ? set_text(key, object, text) : value_set_proxy(key, object, text);
}

static crawl_err set_listen(const cw_config_key *key, void *object, crawl_slice text)
{
    crawl_listen address;
    return text.size && crawl_listen_parse(text, &address) ? CRAWL_EPARSE : set_text(key, object, text);
}

/* Returns the index of the header with this name in the list, or the end of the list. */
static size_t value_place_of(const crawl_texts *texts, crawl_slice name)
{
    size_t i = 0;
    crawl_slice there, value;
    while (i < texts->count &&
           !(cw_header_split(crawl_slice_from(texts->items[i]), &there, &value) && cw_equal_nocase(there, name)))
        i++;
    return i;
}

static crawl_err set_header(const cw_config_key *key, void *object, crawl_slice text)
{
    crawl_texts *texts = cw_config_field_of(key, object);
    crawl_slice name, value;
    if (cw_header_refused(text) || !cw_header_split(text, &name, &value))
        return CRAWL_EPARSE;
    size_t at = value_place_of(texts, name);
    if (at == texts->count)
        return value_append_text(texts, text);
    char *line = strndup(text.data, text.size);
    if (!line)
        return CRAWL_ENOMEM;
    free(texts->items[at]);
    texts->items[at] = line;
    return CRAWL_OK;
}

static crawl_err set_common(const cw_config_key *key, void *object, crawl_slice text)
{
    crawl_slice name, value;
    if (cw_header_split(text, &name, &value) && cw_header_is_personal(name))
        return CRAWL_EPARSE;
    return set_header(key, object, text);
}

static crawl_err set_pattern(const cw_config_key *key, void *object, crawl_slice text)
{
    return text.size ? value_append_text(cw_config_field_of(key, object), text) : CRAWL_EPARSE;
}

static crawl_err set_selector(const cw_config_key *key, void *object, crawl_slice text)
{
    crawl_buf xpath = {0};
    crawl_err err = text.size ? crawl_select_xpath(text, &xpath, NULL) : CRAWL_EPARSE;
    crawl_buf_free(&xpath);
    return err ? err : value_append_text(cw_config_field_of(key, object), text);
}

/* RFC 9110, 8.3.1, without parameters; an asterisk may stand for the subtype (12.5.1). */
static crawl_err set_media_type(const cw_config_key *key, void *object, crawl_slice text)
{
    crawl_slice subtype = text;
    crawl_slice type = cw_cut(&subtype, '/');
    bool named = cw_is_token(type) && !cw_is(type, "*") && cw_is_token(subtype);
    return named ? value_append_text(cw_config_field_of(key, object), text) : CRAWL_EPARSE;
}

static crawl_err value_set_target(const cw_config_key *key, void *object, crawl_slice text)
{
    enum { MOST = 2048 };
    bool is_target = (cw_starts_with(text, "http://") || cw_starts_with(text, "https://")) && text.size <= MOST;
    for (size_t i = 0; i < text.size; i++)
        is_target = is_target && (unsigned char)text.data[i] > ' ' && text.data[i] != 0x7f;
    return is_target ? value_append_text(cw_config_field_of(key, object), text) : CRAWL_EPARSE;
}

static crawl_err set_command(const cw_config_key *key, void *object, crawl_slice text)
{
    char **words;
    crawl_slice command = text;
    crawl_slice subtype = cw_cut(&command, '=');
    crawl_slice type = cw_cut(&subtype, '/');
    crawl_err err = cw_is_token(type) && cw_is_token(subtype) ? cw_process_words(command, false, &words) : CRAWL_EPARSE;
    if (err)
        return err;
    free(words);
    return value_append_text(cw_config_field_of(key, object), text);
}

static crawl_err value_print_list(const cw_config_key *key, const void *object, crawl_buf *out)
{
    const crawl_texts *texts = field_const(key, object);
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < texts->count && !err; i++)
        err = crawl_buf_printf(out, "%s\n", texts->items[i]);
    return err;
}

static crawl_err value_print_rules(const cw_config_key *key, const void *object, crawl_buf *out)
{
    const crawl_config *config = object;
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < config->rule_count && !err; i++)
        if (config->rules[i].include == key->include)
            err = crawl_buf_printf(out, "%s\n", config->rules[i].pattern);
    return err;
}

static const type_row types[CW_CONFIG_TYPE_COUNT] = {
    [CW_BOOL] = {set_bool, print_bool, "true or false", NULL, NULL},
    [CW_UINT] = {set_quantity, print_quantity, "a whole number", NULL, cw_config_units_plain},
    [CW_COUNT] = {set_quantity, print_quantity, "a count", "500, 10k or 5M", cw_config_units_count},
    [CW_SIZE] = {set_quantity, print_quantity, "a size", "64KiB or 1MiB", cw_config_units_size},
    [CW_RATE] = {set_quantity, print_quantity, "bytes a second", "200k or 2M", cw_config_units_rate},
    [CW_DURATION] = {set_quantity, print_quantity, "a duration", "250ms or 5s", cw_config_units_duration},
    [CW_PERCENT] = {set_quantity, print_quantity, "a percentage", "30%", cw_config_units_percent},
    [CW_DOUBLE] = {set_double, print_double, "a number", NULL, NULL},
    [CW_ENUM] = {set_enum, print_enum, "one of ", NULL, NULL},
    [CW_FLAGS] = {set_flags, print_flags, "none or any of ", NULL, NULL},
    [CW_STRING] = {set_string, value_print_text, "text without control characters", NULL, NULL},
    [CW_HEADERS] = {set_headers, value_print_text, "names of headers", "Server Last-Modified", NULL},
    [CW_NAMES] = {set_names, value_print_text, "at most 32 names of attributes", NULL, NULL},
    [CW_TOKEN] = {set_token, value_print_text, "a product token: letters, - and _", NULL, NULL},
    [CW_PATH] = {set_text, value_print_text, "a file name", NULL, NULL},
    [CW_PROXY] = {value_set_proxy, value_print_text, "a proxy with its port",
                  "http://127.0.0.1:3128 or socks5h://user:password@example.com:1080", NULL},
    [CW_ROUTE] = {set_route, value_print_text, "direct, or a proxy with its port", "http://127.0.0.1:3128", NULL},
    [CW_LISTEN] = {set_listen, value_print_text, "an address and a port, or a port of 127.0.0.1",
                   "127.0.0.1:8080, [::1]:8080, localhost:8080 or 8080", NULL},
    [CW_RULE] = {set_rule, value_print_rules, "a regular expression (PCRE)", NULL, NULL},
    [CW_PATTERN] = {set_pattern, value_print_list, "a regular expression (PCRE)", NULL, NULL},
    [CW_SELECTOR] = {set_selector, value_print_list, "a CSS selector", "button.more or a:contains(\"more\")", NULL},
    [CW_MEDIA_TYPE] = {set_media_type, value_print_list, "a media type without parameters",
                       "application/pdf or image/*", NULL},
    [CW_COMMAND] = {set_command, value_print_list, "a media type and a command",
                    "application/epub+zip=pandoc -f epub -t html", NULL},
    [CW_TARGET] = {value_set_target, value_print_list, "an http or https URL of at most 2048 bytes",
                   "https://example.com/hook", NULL},
    [CW_HEADER] = {set_header, value_print_list, "a header that does not concern framing or connection",
                   "\"Name: value\"", NULL},
    [CW_COMMON] = {set_common, value_print_list,
                   "a header that does not concern framing or connection; Authorization and Cookie go into [host NAME]",
                   "\"Name: value\"", NULL},
};

crawl_err cw_config_value_set(const cw_config_key *key, void *object, crawl_slice text)
{
    return types[key->type].set(key, object, text);
}

crawl_err cw_config_value_print(const cw_config_key *key, const void *object, crawl_buf *out)
{
    return types[key->type].print(key, object, out);
}

const char *cw_config_value_text(const cw_config_key *key, const void *object)
{
    if (key->type == CW_ENUM)
        return value_word(key, object);
    return cw_config_key_is_text(key) ? *(char *const *)field_const(key, object) : NULL;
}

int64_t cw_config_value_number(const cw_config_key *key, const void *object)
{
    if (key->type == CW_BOOL && !key->third)
        return *(const bool *)field_const(key, object);
    return key->type == CW_BOOL || types[key->type].units ? (int64_t)value_load(key, object) : -1;
}

crawl_err cw_config_value_expected(const cw_config_key *key, crawl_buf *out)
{
    const type_row *type = &types[key->type];
    crawl_err err = crawl_buf_append_text(out, type->name);
    if (!err && key->min)
        err = crawl_buf_printf(out, " from %s to %s", key->min, key->max);
    if (!err && type->example)
        err = crawl_buf_printf(out, ", as %s", type->example);
    if (!err && key->third)
        err = crawl_buf_printf(out, ", or %s", key->third);
    cw_config_choice choice;
    for (size_t i = 0; !err && (choice = cw_config_key_choice(key, i)).word; i++)
        err = crawl_buf_printf(out, "%s%s", i ? ", " : "", choice.word);
    return err;
}

cw_excerpt cw_config_value_excerpt(const cw_config_key *key, crawl_slice text)
{
    bool is_url = key->type == CW_PROXY || key->type == CW_ROUTE;
    bool has_user = cw_find_char(text, '@') < text.size; /* and may have a password */
    bool hidden = key->secret || cw_config_key_is_headers(key) || (is_url && has_user);
    return cw_excerpt_of(hidden ? crawl_slice_from("(not shown)") : text);
}

crawl_err cw_config_value_refused(const cw_config_key *key, crawl_err err, const char *subject, crawl_error *error)
{
    if (err != CRAWL_EPARSE)
        return crawl_error_set(error, err, "%s: %s", subject, crawl_strerror(err));
    crawl_buf expected = {0};
    if (cw_config_value_expected(key, &expected))
        crawl_buf_clear(&expected);
    crawl_error_set(error, err, "%s: expected %s", subject, expected.data ? expected.data : "something else");
    crawl_buf_free(&expected);
    return err;
}
