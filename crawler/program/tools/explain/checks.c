/* See explain.h. Each check is what the crawl asks of a link, in words: depth, scope and patterns when it is found
 * (crawler/engine/links/follow.c), robots.txt and address when it is its turn (crawler/engine/visit/visit.c). A seed is
 * asked the last two alone. */
#include "crawler/program/tools/explain/explain.h"

#include "crawler/engine/links/trap.h"

#include <crawl/fetch.h>
#include <inttypes.h>

const char *cw_verdict_name(cw_verdict verdict)
{
    static const char *const names[] = {[CW_VERDICT_PASS] = "pass",
                                        [CW_VERDICT_UNKNOWN] = "unknown",
                                        [CW_VERDICT_WAIT] = "wait",
                                        [CW_VERDICT_REFUSE] = "refuse"};
    return names[verdict];
}

static cw_verdict pass_if(bool passes)
{
    return passes ? CW_VERDICT_PASS : CW_VERDICT_REFUSE;
}

static crawl_err judge_depth(const cw_explain_world *world, const cw_explain_url *url, cw_verdict *verdict,
                             crawl_buf *rule)
{
    uint32_t depth = world->config->depth;
    if (url->seed) {
        *verdict = CW_VERDICT_PASS;
        return crawl_buf_printf(rule, "a seed, at depth %" PRIu32, url->seed->depth);
    }
    if (url->found.queued) {
        *verdict = pass_if(url->found.depth <= depth);
        return crawl_buf_printf(rule, "crawl.depth = %" PRIu32 ", queued at depth %" PRIu32, depth, url->found.depth);
    }
    if (world->at_depth >= 0) {
        *verdict = pass_if(world->at_depth <= depth);
        return crawl_buf_printf(rule, "crawl.depth = %" PRIu32 ", found at depth %" PRId64, depth, world->at_depth);
    }
    if (url->edge) {
        json_int_t found = json_integer_value(json_object_get(url->edge, "depth"));
        *verdict = pass_if(found <= (json_int_t)depth);
        return crawl_buf_printf(rule, "crawl.depth = %" PRIu32 ", found last at depth %" JSON_INTEGER_FORMAT, depth,
                                found);
    }
    *verdict = depth ? CW_VERDICT_UNKNOWN : CW_VERDICT_REFUSE;
    return depth ? crawl_buf_printf(rule,
                                    "crawl.depth = %" PRIu32
                                    ": fetched if found at most that many links away from a seed "
                                    "(--at-depth N says where)",
                                    depth)
                 : crawl_buf_append_text(rule, "crawl.depth = 0: the seeds alone");
}

/* --- scope --- */

static const char *scope_name(crawl_scope scope)
{
    static const char *const names[] = {[CRAWL_SCOPE_HOST] = "host",
                                        [CRAWL_SCOPE_DOMAIN] = "domain",
                                        [CRAWL_SCOPE_PREFIX] = "prefix",
                                        [CRAWL_SCOPE_ANY] = "any"};
    return names[scope];
}

/* The first seed that has the URL in its scope. Of prefixes the directory may be any above the URL's. */
static const cw_explain_seed *seed_of(const cw_explain_world *world, crawl_slice place)
{
    bool prefix = world->config->scope == CRAWL_SCOPE_PREFIX;
    for (const cw_explain_seed *seed = world->first; seed; seed = seed->next)
        if ((prefix ? seed->place_size <= place.size : seed->place_size == place.size) &&
            memcmp(seed->text, place.data, seed->place_size) == 0)
            return seed;
    return NULL;
}

static crawl_err judge_scope(const cw_explain_world *world, const cw_explain_url *url, cw_verdict *verdict,
                             crawl_buf *rule)
{
    const char *name = scope_name(world->config->scope);
    *verdict = CW_VERDICT_PASS;
    if (url->seed)
        return crawl_buf_append_text(rule, "a seed");
    if (world->config->scope == CRAWL_SCOPE_ANY)
        return crawl_buf_append_text(rule, "crawl.scope = any");
    if (!world->first) {
        *verdict = CW_VERDICT_UNKNOWN;
        return crawl_buf_printf(rule, "crawl.scope = %s, and no seed is named (--seed URL, --seeds FILE)", name);
    }
    bool inside = cw_scope_contains(world->reader, url->url);
    crawl_slice place = cw_scope_place(world->reader, url->url);
    const cw_explain_seed *seed = inside ? seed_of(world, place) : NULL;
    *verdict = pass_if(seed);
    if (!seed)
        return crawl_buf_printf(rule, "crawl.scope = %s: no seed is in %.*s", name, (int)place.size, place.data);
    return crawl_buf_printf(rule, "crawl.scope = %s: %.*s, of the seed %.*s", name, (int)seed->place_size, seed->text,
                            (int)seed->url_size, seed->text + seed->place_size);
}

/* --- patterns --- */

static crawl_err judge_patterns(const cw_explain_world *world, const cw_explain_url *url, cw_verdict *verdict,
                                crawl_buf *rule)
{
    const crawl_config *config = world->config;
    size_t index;
    *verdict = CW_VERDICT_PASS;
    if (url->seed)
        return crawl_buf_append_text(rule, "a seed");
    if (!config->rule_count)
        return crawl_buf_append_text(rule, "no crawl.include and no crawl.exclude");
    cw_rule found = cw_scope_rule(world->reader, crawl_buf_slice(&url->canonical), &index);
    if (found != CW_RULE_NONE) {
        const crawl_filter_rule *decided = &config->rules[index];
        const char *stopped = found == CW_RULE_STOPPED ? ": the match takes too many steps, and is stopped" : "";
        *verdict = pass_if(decided->include && found == CW_RULE_DECIDES);
        return crawl_buf_printf(rule, "crawl.%s = %s%s", decided->include ? "include" : "exclude", decided->pattern,
                                stopped);
    }
    *verdict = pass_if(!config->rules[0].include);
    return crawl_buf_printf(rule, "no pattern matches, and the first is an %s",
                            config->rules[0].include ? "include" : "exclude");
}

/* --- sites without end --- */

static crawl_err judge_shape(const cw_explain_world *world, const cw_explain_url *url, cw_verdict *verdict,
                             crawl_buf *rule)
{
    crawl_trap trap = url->seed ? CRAWL_TRAP_NONE : cw_trap_shape(world->config, url->url);
    *verdict = pass_if(trap == CRAWL_TRAP_NONE);
    if (url->seed)
        return crawl_buf_append_text(rule, "a seed");
    return trap ? crawl_buf_printf(rule, "beyond %s", crawl_trap_name(trap))
                : crawl_buf_append_text(rule, "within crawl.max_url, max_path_depth and max_repeats");
}

/* --- robots.txt --- */

static crawl_err judge_robots(const cw_explain_world *world, const cw_explain_url *url, cw_verdict *verdict,
                              crawl_buf *rule)
{
    const char *agent = world->config->robots_agent;
    *verdict = CW_VERDICT_PASS;
    if (!world->config->robots)
        return crawl_buf_append_text(rule, "politeness.robots = false: not obeyed");
    if (!world->robots && world->view)
        return cw_explain_kept_robots(world, url, verdict, rule);
    if (!world->robots) {
        *verdict = CW_VERDICT_UNKNOWN;
        return crawl_buf_append_text(rule, "no robots.txt is named (--robots FILE)");
    }
    crawl_robots_verdict answer = crawl_robots_check(world->robots, url->url);
    *verdict = pass_if(answer.allowed);
    if (answer.line)
        return crawl_buf_printf(rule, "%s:%u: %.*s", world->robots_path, answer.line, (int)answer.rule.size,
                                answer.rule.data);
    return crawl_buf_printf(rule, "%s: %s for %s", world->robots_path, answer.allowed ? "no rule" : "too many rules",
                            agent);
}

/* --- address --- */

static crawl_err judge_address(const cw_explain_world *world, const cw_explain_url *url, cw_verdict *verdict,
                               crawl_buf *rule)
{
    char text[64];
    crawl_slice host = crawl_url_hostname(url->url);
    bool is_address = cw_guard_is_address(host, text);
    bool is_public = is_address && crawl_address_is_public(text);
    bool admitted = cw_guard_admits(world->guard, url->url);
    *verdict = pass_if(cw_guard_opens(world->guard, url->url));
    if (*verdict == CW_VERDICT_REFUSE)
        return crawl_buf_printf(rule, "port %u: %s", crawl_url_effective_port(url->url), cw_guard_port_words);
    if (is_public)
        return crawl_buf_append_text(rule, "an address of the internet");
    if (!admitted && !is_address && !cw_guard_is_localhost(host))
        return crawl_buf_append_text(rule, "a name: its address is looked at when connecting");
    *verdict = pass_if(admitted);
    if (!admitted && !cw_guard_names(world->guard, url->url))
        return crawl_buf_append_text(
            rule, "fetch.allow_private = false: not an address of the internet, and no seed names it");
    return crawl_buf_append_text(rule, cw_guard_words(world->guard, url->url));
}

const cw_explain_check cw_explain_checks[CW_EXPLAIN_CHECKS + 1] = {
    {"depth", false, false, judge_depth},
    {"scope", false, false, judge_scope},
    {"patterns", false, false, judge_patterns},
    {"shape", false, false, judge_shape},
    {"counts", false, false, cw_explain_counts},
    {"address", false, false, judge_address},
    {"robots", false, false, judge_robots},
    {"record", false, true, cw_explain_record},
    {"seen", true, false, cw_explain_seen},
    {"host", true, false, cw_explain_host},
    {0},
};
