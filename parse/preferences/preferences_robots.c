/* Finds a robots.txt's statements on the use of one page: of the lines that robots_says.c has collected, those of the
 * longest matching pattern, for each of Content-Usage and Content-Signal, and the licences. Shorter patterns add
 * nothing (draft-ietf-aipref-attach-05, 4.2); of several lines with patterns of one length a refusal counts. */
#include "base/bytes.h"
#include "parse/preferences/preferences.h"
#include "parse/robots/robots_private.h"

typedef struct robots_sayings {
    const cw_robots_saying *all;
    size_t count;
    const char *text;
    crawl_slice subject; /* the path of the page */
} robots_sayings;

bool crawl_robots_speaks_of_use(const crawl_robots *robots)
{
    size_t count;
    const char *text;
    (void)cw_robots_sayings(robots, &count, &text);
    return count > 0;
}

/* A line without a path is for all, and has length 0. */
static int size_of_pattern(const cw_robots_saying *one)
{
    return one->path_size ? one->pattern_size + one->anchored : 0;
}

static bool saying_matches(const robots_sayings *of, const cw_robots_saying *one)
{
    crawl_slice pattern = crawl_slice_of(of->text + one->pattern, one->pattern_size);
    return !one->path_size || cw_robots_match(pattern, one->anchored, of->subject);
}

/* Returns the length of the longest matching pattern. -1: none matches. */
static int longest_match(const robots_sayings *of, cw_robots_directive directive)
{
    int longest = -1;
    for (size_t i = 0; i < of->count; i++) {
        const cw_robots_saying *one = &of->all[i];
        if (one->directive == directive && size_of_pattern(one) > longest && saying_matches(of, one))
            longest = size_of_pattern(one);
    }
    return longest;
}

static cw_preferences_said robots_said(const robots_sayings *of, const cw_robots_saying *one)
{
    static const cw_preferences_source sources[] = {
        [CW_ROBOTS_CONTENT_USAGE] = CW_PREFERENCES_ROBOTS,
        [CW_ROBOTS_CONTENT_SIGNAL] = CW_PREFERENCES_SIGNAL,
        [CW_ROBOTS_LICENSE] = CW_PREFERENCES_RSL,
    };
    return (cw_preferences_said){
        .source = sources[one->directive],
        .line = one->line,
        .pattern = crawl_slice_of(of->text + one->path, one->path_size),
        .ambiguous = one->directive == CW_ROBOTS_LICENSE && one->scope == CW_ROBOTS_AFTER_GROUP,
    };
}

static crawl_err add_matching(crawl_preferences *preferences, const robots_sayings *of, cw_robots_directive directive)
{
    crawl_err err = CRAWL_OK;
    int longest = longest_match(of, directive);
    for (size_t i = 0; i < of->count && longest >= 0 && !err; i++) {
        const cw_robots_saying *one = &of->all[i];
        if (one->directive != directive || size_of_pattern(one) != longest || !saying_matches(of, one))
            continue;
        crawl_slice value = crawl_slice_of(of->text + one->value, one->value_size);
        err = directive == CW_ROBOTS_CONTENT_USAGE
                  ? cw_preferences_add_usage(preferences, robots_said(of, one), value)
                  : cw_preferences_add_signal(preferences, robots_said(of, one), value);
    }
    return err;
}

static crawl_err add_licenses(crawl_preferences *preferences, const robots_sayings *of)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < of->count && !err; i++) {
        const cw_robots_saying *one = &of->all[i];
        crawl_slice value = crawl_slice_of(of->text + one->value, one->value_size);
        if (one->directive == CW_ROBOTS_LICENSE)
            err = cw_preferences_add_license(preferences, robots_said(of, one), value, NULL, NULL);
    }
    return err;
}

crawl_err crawl_preferences_add_robots(crawl_preferences *preferences, const crawl_robots *robots, const crawl_url *url)
{
    robots_sayings of = {0};
    crawl_buf subject = {0};
    of.all = cw_robots_sayings(robots, &of.count, &of.text);
    if (!of.count)
        return CRAWL_OK;
    crawl_err err = cw_robots_subject(url, &subject);
    of.subject = crawl_buf_slice(&subject);
    if (!err && cw_robots_decide(robots, of.subject).allowed) {
        err = add_matching(preferences, &of, CW_ROBOTS_CONTENT_USAGE);
        if (!err)
            err = add_matching(preferences, &of, CW_ROBOTS_CONTENT_SIGNAL);
        if (!err)
            err = add_licenses(preferences, &of);
    }
    crawl_buf_free(&subject);
    return err;
}

/* Tells authors of a robots.txt which of its lines about use have no effect, and why. */

static crawl_err faults_of_license(const cw_preferences_faults *faults, crawl_slice value)
{
    crawl_url *url = crawl_url_create();
    crawl_err err = url ? crawl_url_parse(url, value, NULL, NULL) : CRAWL_ENOMEM;
    crawl_url_free(url);
    if (!err || err == CRAWL_ENOMEM)
        return err;
    faults->on_fault(faults->user, faults->line, value, "not an absolute URL");
    return CRAWL_OK;
}

static crawl_err faults_of_line(const cw_preferences_faults *faults, const cw_robots_line *line, bool in_group)
{
    crawl_slice value = line->value;
    if (line->directive == CW_ROBOTS_LICENSE)
        return faults_of_license(faults, value);
    if (line->directive != CW_ROBOTS_CONTENT_USAGE && line->directive != CW_ROBOTS_CONTENT_SIGNAL)
        return CRAWL_OK;
    if (!in_group)
        faults->on_fault(faults->user, faults->line, line->text,
                         "before the first User-agent, so it applies to "
                         "nobody");
    cw_robots_take_path(&value);
    if (line->directive == CW_ROBOTS_CONTENT_USAGE)
        cw_preferences_usage_faults(faults, cw_trim(value));
    else
        cw_preferences_signal_faults(faults, cw_trim(value));
    return CRAWL_OK;
}

crawl_err crawl_robots_use_faults(crawl_slice body, crawl_on_use_fault on_fault, void *user)
{
    cw_robots_reader reader = cw_robots_read(body);
    bool in_group = false;
    crawl_err err = CRAWL_OK;
    for (cw_robots_line line; !err && cw_robots_next(&reader, &line);) {
        const cw_preferences_faults faults = {on_fault, user, line.number};
        in_group |= line.directive == CW_ROBOTS_USER_AGENT;
        if (!line.cut)
            err = faults_of_line(&faults, &line, in_group);
    }
    return err;
}
