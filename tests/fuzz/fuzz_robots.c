/* The first line of the input is a path and query, the rest a robots.txt. Besides memory safety, checks that a rule is
 * named exactly if one decided, that the answer does not change when asked again, and that the limits hold. */
#include "parse/robots/robots_private.h"

#include <crawl/preferences.h>

#include <stdlib.h>

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void judge(const crawl_robots *robots, crawl_slice path)
{
    crawl_robots_verdict first = cw_robots_decide(robots, path);
    crawl_robots_verdict again = cw_robots_decide(robots, path);
    require(first.allowed == again.allowed && first.line == again.line);
    require((first.line != 0) == (first.rule.size != 0));
    require(first.line || first.allowed || path.size > CRAWL_ROBOTS_MAX_WORK / 60000);
}

/* Statements about use must stay within bounds and never contradict each other in the result. */
static void check_preferences(const crawl_robots *robots, const crawl_url *url)
{
    crawl_preferences *preferences = crawl_preferences_create("bot");
    crawl_buf json = {0};
    require(preferences != NULL);
    require(!crawl_preferences_add_robots(preferences, robots, url));
    require(!crawl_preferences_finish(preferences));
    require(crawl_preferences_count(preferences) <= CRAWL_PREFERENCES_MAX);
    require(!crawl_preferences_count(preferences) || crawl_robots_speaks_of_use(robots));
    require(!(crawl_preferences_refused(preferences) & crawl_preferences_granted(preferences)));
    require(!crawl_preferences_json(preferences, &json));
    crawl_buf_free(&json);
    crawl_preferences_free(preferences);
}

static void judge_url(const crawl_robots *robots, crawl_slice path)
{
    static const char host[] = "http://h";
    crawl_buf text = {0};
    crawl_url *url = crawl_url_create();
    require(url && !crawl_buf_append(&text, host, sizeof host - 1) && !crawl_buf_append(&text, path.data, path.size));
    if (!crawl_url_parse(url, crawl_buf_slice(&text), NULL, NULL)) {
        crawl_buf subject = {0};
        require(!cw_robots_subject(url, &subject));
        judge(robots, crawl_buf_slice(&subject));
        check_preferences(robots, url);
        require(crawl_robots_check(robots, url).line == cw_robots_decide(robots, crawl_buf_slice(&subject)).line);
        crawl_buf_free(&subject);
    }
    crawl_url_free(url);
    crawl_buf_free(&text);
}

static void check_parts(const crawl_robots *robots)
{
    double delay = crawl_robots_delay(robots);
    require(delay == -1 || (delay >= 0 && delay <= 1e9));
    size_t count = crawl_robots_sitemap_count(robots);
    require(count <= CRAWL_ROBOTS_MAX_SITEMAPS);
    for (size_t i = 0; i < count; i++) {
        size_t size = crawl_robots_sitemap(robots, i).size;
        require(size && size <= CRAWL_ROBOTS_MAX_SITEMAP_SIZE);
    }
}

static void check_fault(void *user, unsigned line, crawl_slice text, const char *why)
{
    unsigned *last = user;
    require(line >= *last && text.size <= CW_ROBOTS_MAX_LINE && why);
    *last = line;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
    size_t path = end ? (size_t)(end - data) : size;
    size_t skipped = end ? path + 1 : size;
    static const char *const agents[] = {"bot", ""};
    unsigned line = 1;
    require(!crawl_robots_use_faults(crawl_slice_of(data + skipped, size - skipped), check_fault, &line));
    for (size_t i = 0; i < 2; i++) {
        crawl_robots *robots = NULL;
        require(
            !crawl_robots_parse(crawl_slice_of(data + skipped, size - skipped), crawl_slice_from(agents[i]), &robots));
        judge(robots, crawl_slice_of(data, path));
        judge_url(robots, crawl_slice_of(data, path));
        check_parts(robots);
        crawl_robots_free(robots);
    }
    return 0;
}
