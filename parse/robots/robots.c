/* robots.txt by RFC 9309: see <crawl/robots.h>.
 *
 * The lines are read twice: first to see whether any group names the agent, then to keep the rules of the groups that
 * apply. The rules are sorted with the most specific one first, so that the first match decides. The result is packed
 * into one block of memory: the object, the rules, the places of the sitemaps, the statements on use (robots_says.c),
 * and the text that all of them point into. */
#include "parse/robots/robots_private.h"

#include "base/bytes.h"
#include "parse/charset/charset.h"

#include <stdlib.h>

/* A piece of the text, as offsets. */
typedef struct robots_span {
    uint32_t at;
    uint32_t size;
} robots_span;

typedef struct rule {
    uint32_t text; /* offset of the line in the text */
    uint32_t pattern;
    uint16_t text_size;
    uint16_t pattern_size;
    unsigned line : 29;
    unsigned allow : 1;
    unsigned anchored : 1; /* the pattern had a "$" at its end, which was removed */
    unsigned wild : 1;
} rule;

_Static_assert(sizeof(rule) == 16, "hosts come by the million");
_Static_assert(CW_ROBOTS_MAX_LINE * 3 <= UINT16_MAX, "a normalized pattern fits");

struct crawl_robots {
    double delay;
    size_t bytes;
    unsigned rule_count;
    unsigned sitemap_count;
    unsigned saying_count;
    const rule *rules;
    const robots_span *sitemaps;
    const cw_robots_saying *sayings;
    const char *text;
};

/* A file that is being parsed. */
typedef struct builder {
    crawl_slice agent; /* the agent whose groups are kept; empty: those for "*" */
    bool applies;      /* the group of the present line is kept */
    bool group_closed; /* it has rules: the next User-agent line begins another */
    double delay;
    crawl_buf rules;    /* rule[] */
    crawl_buf sitemaps; /* robots_span[] */
    cw_robots_says says;
    crawl_buf text;
} builder;

static bool robots_is_token_byte(unsigned char c)
{
    return cw_is_alpha(c) || c == '_' || c == '-';
}

static crawl_slice token_of(crawl_slice value)
{
    size_t size = 0;
    while (size < value.size && robots_is_token_byte((unsigned char)value.data[size]))
        size++;
    return crawl_slice_of(value.data, size);
}

bool crawl_robots_agent_valid(crawl_slice agent)
{
    return agent.size && token_of(agent).size == agent.size;
}

/* Returns true if the value of a User-agent line names the agent or, if agent is empty, all agents ("*"). */
static bool robots_names(crawl_slice value, crawl_slice agent)
{
    if (agent.size)
        return cw_equal_nocase(token_of(value), agent);
    return value.size && value.data[0] == '*' && (value.size == 1 || cw_is_space((unsigned char)value.data[1]));
}

static bool robots_is_named(crawl_slice body, crawl_slice agent)
{
    cw_robots_reader reader = cw_robots_read(body);
    for (cw_robots_line line; cw_robots_next(&reader, &line);)
        if (line.directive == CW_ROBOTS_USER_AGENT && robots_names(line.value, agent))
            return true;
    return false;
}

static crawl_err on_user_agent(builder *b, const cw_robots_line *line)
{
    if (b->group_closed)
        b->applies = false;
    b->group_closed = false;
    b->applies |= robots_names(line->value, b->agent);
    return CRAWL_OK;
}

/* Adds the pattern of a rule in normalized form to the text, unless the line itself, which is already there, has that
 * form. */
static crawl_err robots_add_pattern(builder *b, crawl_slice raw, size_t raw_at, rule *r)
{
    crawl_err err = crawl_buf_reserve(&b->text, raw.size * 3);
    if (err)
        return err;
    char *room = b->text.data + b->text.size;
    size_t size = cw_robots_normalize(raw, true, room);
    bool same = crawl_slice_equal(crawl_slice_of(room, size), raw);
    r->pattern = (uint32_t)(same ? raw_at : b->text.size);
    r->pattern_size = (uint16_t)size;
    r->wild = size && memchr(room, '*', size);
    if (!same)
        b->text.size += size;
    return CRAWL_OK;
}

static crawl_err robots_add_rule(builder *b, const cw_robots_line *line)
{
    crawl_slice value = line->value;
    rule r = {.line = line->number, .allow = line->directive == CW_ROBOTS_ALLOW};
    r.text = (uint32_t)b->text.size;
    r.text_size = (uint16_t)line->text.size;
    crawl_err err = crawl_buf_append(&b->text, line->text.data, line->text.size);
    if (err)
        return err;
    r.anchored = value.data[value.size - 1] == '$';
    value.size -= r.anchored;
    err = robots_add_pattern(b, value, r.text + (size_t)(value.data - line->text.data), &r);
    return err ? err : crawl_buf_append(&b->rules, &r, sizeof r);
}

/* Adds a rule. An empty rule has no effect; a rule that begins with neither "/" nor "*" matches no path. */
static crawl_err on_rule(builder *b, const cw_robots_line *line)
{
    b->group_closed = true;
    bool can_match = line->value.size && (line->value.data[0] == '/' || line->value.data[0] == '*');
    return b->applies && can_match ? robots_add_rule(b, line) : CRAWL_OK;
}

/* Returns true if a digit follows before white space: what stood before it is no whole number ("1e3", "1.2.3"). */
static bool goes_on(crawl_slice rest)
{
    for (; rest.size && !cw_is_space((unsigned char)*rest.data); rest = cw_drop(rest, 1))
        if (cw_is_digit((unsigned char)*rest.data))
            return true;
    return false;
}

static bool robots_is_in_ms(crawl_slice rest)
{
    while (rest.size && strchr("\"' \t", *rest.data))
        rest = cw_drop(rest, 1);
    return cw_starts_nocase(rest, "ms") || cw_starts_nocase(rest, "milli");
}

/* Reads a number of seconds such as "10", "0.5", ".5" or "0,5", which may have quotes around it and a unit after it:
 * of milliseconds, if the unit says so. Negative: it is not one. Digits beyond the microsecond are ignored. */
static double parse_delay(crawl_slice value)
{
    static const double most = 1e9; /* as milliseconds it still fits into every type that holds a time */
    static const double finest = 1e6;
    double number = 0;
    double scale = 1;
    bool digits = false;
    bool point = false;
    size_t i = value.size && (*value.data == '"' || *value.data == '\'');
    for (; i < value.size; i++) {
        unsigned char c = (unsigned char)value.data[i];
        if ((c == '.' || c == ',') && !point) {
            point = true;
            continue;
        }
        if (!cw_is_digit(c))
            break;
        digits = true;
        if (scale < finest && number < most * scale) {
            number = number * 10 + (c - '0');
            scale = point ? scale * 10 : scale;
        }
    }
    crawl_slice rest = cw_drop(value, i);
    if (!digits || goes_on(rest))
        return -1;
    double seconds = number / scale / (robots_is_in_ms(rest) ? 1000 : 1);
    return seconds < most ? seconds : most;
}

/* A delay ends the lines of agents as a rule does, though RFC 9309 does not know it: otherwise the rules of the next
 * agent would apply to this one, whose group has only a delay. */
static crawl_err on_delay(builder *b, const cw_robots_line *line)
{
    b->group_closed = true;
    double delay = b->applies ? parse_delay(line->value) : -1;
    if (delay > b->delay)
        b->delay = delay;
    return CRAWL_OK;
}

/* Returns a URL without the brackets or quotes around it. */
static crawl_slice robots_unquote(crawl_slice url)
{
    static const char *const pairs[] = {"<>", "\"\"", "''"};
    for (size_t i = 0; url.size > 1 && i < sizeof pairs / sizeof *pairs; i++)
        if (url.data[0] == pairs[i][0] && url.data[url.size - 1] == pairs[i][1])
            return crawl_slice_of(url.data + 1, url.size - 2);
    return url;
}

static crawl_err on_sitemap(builder *b, const cw_robots_line *line)
{
    size_t count = b->sitemaps.size / sizeof(robots_span);
    crawl_slice url = robots_unquote(line->value);
    if (!url.size || url.size > CRAWL_ROBOTS_MAX_SITEMAP_SIZE || line->cut || count == CRAWL_ROBOTS_MAX_SITEMAPS)
        return CRAWL_OK;
    robots_span place = {.at = (uint32_t)b->text.size, .size = (uint32_t)url.size};
    crawl_err err = crawl_buf_append(&b->text, url.data, url.size);
    return err ? err : crawl_buf_append(&b->sitemaps, &place, sizeof place);
}

static crawl_err robots_read_lines(builder *b, crawl_slice body)
{
    static crawl_err (*const on_line[])(builder *, const cw_robots_line *) = {
        [CW_ROBOTS_USER_AGENT] = on_user_agent, [CW_ROBOTS_ALLOW] = on_rule,      [CW_ROBOTS_DISALLOW] = on_rule,
        [CW_ROBOTS_CRAWL_DELAY] = on_delay,     [CW_ROBOTS_SITEMAP] = on_sitemap, [CW_ROBOTS_LICENSE] = NULL,
    };
    cw_robots_reader reader = cw_robots_read(body);
    crawl_err err = CRAWL_OK;
    for (cw_robots_line line; !err && cw_robots_next(&reader, &line);) {
        if (on_line[line.directive])
            err = on_line[line.directive](b, &line);
        bool named = line.directive == CW_ROBOTS_USER_AGENT && robots_names(line.value, b->agent);
        if (!err)
            err = cw_robots_says_line(&b->says, &line, named, &b->text);
    }
    cw_robots_says_end(&b->says);
    return err;
}

/* Orders rules with the most specific first: longer patterns first, then Allow before Disallow, then earlier lines. */
static int compare_rules(const void *left, const void *right)
{
    const rule *a = left;
    const rule *b = right;
    unsigned a_size = a->pattern_size + a->anchored;
    unsigned b_size = b->pattern_size + b->anchored;
    if (a_size != b_size)
        return a_size > b_size ? -1 : 1;
    if (a->allow != b->allow)
        return a->allow ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

/* Copies a buffer to `to` and returns where the copy ends. */
static char *robots_put_all(char *to, const crawl_buf *from)
{
    return from->size ? mempcpy(to, from->data, from->size) : to;
}

/* Packs everything into one block of memory. */
static crawl_robots *robots_pack(const builder *b)
{
    size_t bytes = sizeof(crawl_robots) + b->rules.size + b->sitemaps.size + b->says.all.size + b->text.size;
    crawl_robots *robots = malloc(bytes);
    if (!robots)
        return NULL;
    rule *rules = (rule *)(robots + 1);
    char *sitemaps = robots_put_all((char *)rules, &b->rules);
    char *sayings = robots_put_all(sitemaps, &b->sitemaps);
    char *text = robots_put_all(sayings, &b->says.all);
    robots_put_all(text, &b->text);
    *robots = (crawl_robots){
        .delay = b->delay,
        .bytes = bytes,
        .rule_count = (unsigned)(b->rules.size / sizeof(rule)),
        .sitemap_count = (unsigned)(b->sitemaps.size / sizeof(robots_span)),
        .saying_count = (unsigned)(b->says.all.size / sizeof(cw_robots_saying)),
        .rules = rules,
        .sitemaps = (const robots_span *)(const void *)sitemaps,
        .sayings = (const cw_robots_saying *)(const void *)sayings,
        .text = text,
    };
    qsort(rules, robots->rule_count, sizeof *rules, compare_rules);
    return robots;
}

/* Decodes UTF-16: the RFC only knows UTF-8, but the author of a file in UTF-16 means its rules. text: holds the decoded
 * file. */
static crawl_err robots_decode(crawl_slice *body, crawl_buf *text)
{
    const char *charset = cw_charset_of_mark(*body);
    cw_charset_decoder decoder = {0};
    if (!charset || strcmp(charset, "utf-8") == 0)
        return CRAWL_OK;
    crawl_err err = cw_charset_decode(&decoder, charset, *body, text, body);
    cw_charset_decoder_close(&decoder);
    return err;
}

crawl_err crawl_robots_parse(crawl_slice body, crawl_slice agent, crawl_robots **out)
{
    if (agent.size && !crawl_robots_agent_valid(agent))
        return CRAWL_EINVAL;
    builder b = {.agent = agent, .delay = -1};
    crawl_buf decoded = {0};
    crawl_err err = robots_decode(&body, &decoded);
    if (!err && !robots_is_named(body, agent))
        b.agent = (crawl_slice){0};
    if (!err)
        err = robots_read_lines(&b, body);
    crawl_robots *robots = err ? NULL : robots_pack(&b);
    if (robots)
        *out = robots;
    crawl_buf_free(&decoded);
    crawl_buf_free(&b.rules);
    crawl_buf_free(&b.sitemaps);
    crawl_buf_free(&b.says.all);
    crawl_buf_free(&b.text);
    return robots ? CRAWL_OK : CRAWL_ENOMEM;
}

void crawl_robots_free(crawl_robots *robots)
{
    free(robots);
}

size_t crawl_robots_bytes(const crawl_robots *robots)
{
    return robots->bytes;
}

crawl_err cw_robots_subject(const crawl_url *url, crawl_buf *out)
{
    crawl_slice path = crawl_url_path(url);
    crawl_slice query = crawl_url_query(url);
    if (!path.size)
        path = crawl_slice_from("/");
    crawl_err err = crawl_buf_reserve(out, 3 * (path.size + query.size) + 1);
    if (err)
        return err;
    out->size += cw_robots_normalize(path, false, out->data + out->size);
    if (crawl_url_has_query(url)) {
        out->data[out->size++] = '?';
        out->size += cw_robots_normalize(query, false, out->data + out->size);
    }
    out->data[out->size] = '\0';
    return CRAWL_OK;
}

static bool rule_matches(const crawl_robots *robots, const rule *r, crawl_slice subject)
{
    return cw_robots_match(crawl_slice_of(robots->text + r->pattern, r->pattern_size), r->anchored, subject);
}

crawl_robots_verdict cw_robots_decide(const crawl_robots *robots, crawl_slice subject)
{
    if (crawl_slice_equal(subject, crawl_slice_from("/robots.txt")))
        return (crawl_robots_verdict){.allowed = true};
    size_t work = 0;
    for (const rule *r = robots->rules; r < robots->rules + robots->rule_count; r++) {
        work += r->wild ? subject.size : 0;
        if (work > CRAWL_ROBOTS_MAX_WORK)
            return (crawl_robots_verdict){.allowed = false};
        if (rule_matches(robots, r, subject))
            return (crawl_robots_verdict){
                .allowed = r->allow, .line = r->line, .rule = crawl_slice_of(robots->text + r->text, r->text_size)};
    }
    return (crawl_robots_verdict){.allowed = true};
}

crawl_robots_verdict crawl_robots_check(const crawl_robots *robots, const crawl_url *url)
{
    crawl_robots_verdict verdict = {.allowed = false};
    crawl_buf subject = {0};
    verdict.err = cw_robots_subject(url, &subject);
    if (!verdict.err)
        verdict = cw_robots_decide(robots, crawl_buf_slice(&subject));
    crawl_buf_free(&subject);
    return verdict;
}

double crawl_robots_delay(const crawl_robots *robots)
{
    return robots->delay;
}

size_t crawl_robots_sitemap_count(const crawl_robots *robots)
{
    return robots->sitemap_count;
}

crawl_slice crawl_robots_sitemap(const crawl_robots *robots, size_t index)
{
    if (index >= robots->sitemap_count)
        return (crawl_slice){0};
    return crawl_slice_of(robots->text + robots->sitemaps[index].at, robots->sitemaps[index].size);
}

const cw_robots_saying *cw_robots_sayings(const crawl_robots *robots, size_t *count, const char **text)
{
    *count = robots->saying_count;
    *text = robots->text;
    return robots->sayings;
}

crawl_err crawl_robots_rules(const crawl_robots *robots, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    for (unsigned i = 0; i < robots->rule_count && !err; i++) {
        const rule *one = &robots->rules[i];
        err = crawl_buf_printf(out, "%u: %.*s\n", (unsigned)one->line, (int)one->text_size, robots->text + one->text);
    }
    return err;
}

crawl_robots_effect crawl_robots_effect_of(int status)
{
    static const crawl_robots_effect by_class[] = {
        [2] = CRAWL_ROBOTS_PARSE, CRAWL_ROBOTS_REDIRECT, CRAWL_ROBOTS_ALLOW_ALL};
    return status >= 200 && status < 500 ? by_class[status / 100] : CRAWL_ROBOTS_DISALLOW_ALL;
}
