/* See command_explain.h. Each check says in words what the crawl demands of a link: depth, scope and patterns when it
 * is found, robots.txt and address when its turn comes. Seeds are checked only for the last two. */
#include "config/config_values.h"
#include "crawler/program/commands/explain/command_explain.h"

#include <inttypes.h>

static cw_explain_verdict pass_if(bool passes)
{
    return passes ? CW_EXPLAIN_PASS : CW_EXPLAIN_REFUSE;
}

static cw_explain_verdict pass_seed(cw_writer *rule)
{
    cw_put_format(rule, "a seed");
    return CW_EXPLAIN_PASS;
}

/* Returns true if the crawl requests the parts of pages. */
static bool asks_for_parts(const cw_explain_world *world)
{
    return world->config->requisites || world->config->mirror;
}

/* Passes a part of a page, which is requested at the depth of its page and from any host. Returns false if nothing says
 * that the URL is a part. */
static bool pass_part(const cw_explain_world *world, const cw_explain_url *url, cw_writer *rule)
{
    if (!asks_for_parts(world) || !cw_explain_is_part(url))
        return false;
    cw_put_format(rule, "crawl.requisites = true: ");
    cw_explain_say_part(url, rule);
    return true;
}

/* Returns the verdict on a URL that the rules for pages refuse. It may still be a part of a page if nothing is known
 * about it. */
static cw_explain_verdict refuse_page(const cw_explain_world *world, const cw_explain_url *url, cw_writer *rule)
{
    if (!asks_for_parts(world) || url->edge || url->record)
        return CW_EXPLAIN_REFUSE;
    cw_put_format(rule, "; but fetched if it is a part of a page (crawl.requisites; --records LINKS says that)");
    return CW_EXPLAIN_UNKNOWN;
}

/* Says whether a link out of the crawl is requested all the same. */
static void put_external(const cw_explain_world *world, const cw_explain_url *url, cw_writer *rule)
{
    bool may_be_asked = url->rules.passes && url->rules.trap == CRAWL_TRAP_NONE;
    if (world->config->check_external && may_be_asked)
        cw_put_format(rule, "; checked once, and not followed (crawl.check_external)");
}

static cw_explain_verdict judge_depth(const cw_explain_world *world, const cw_explain_url *url, cw_writer *rule)
{
    uint32_t depth = world->config->depth;
    if (url->rules.seed) {
        cw_put_format(rule, "a seed, at depth %" PRIu32, url->rules.seed->depth);
        return CW_EXPLAIN_PASS;
    }
    if (pass_part(world, url, rule))
        return CW_EXPLAIN_PASS;
    if (url->found.queued) {
        cw_put_format(rule, "crawl.depth = %" PRIu32 ", queued at depth %" PRIu32, depth, url->found.depth);
        return pass_if(url->found.depth <= depth);
    }
    if (world->at_depth >= 0) {
        cw_put_format(rule, "crawl.depth = %" PRIu32 ", found at depth %" PRId64, depth, world->at_depth);
        return pass_if(world->at_depth <= depth);
    }
    if (url->edge) {
        json_int_t found = json_integer_value(json_object_get(url->edge, "depth"));
        cw_put_format(rule, "crawl.depth = %" PRIu32 ", found last at depth %" JSON_INTEGER_FORMAT, depth, found);
        return pass_if(found <= (json_int_t)depth);
    }
    if (!depth) {
        cw_put_format(rule, "crawl.depth = 0: only the seeds");
        return refuse_page(world, url, rule);
    }
    cw_put_format(rule, "crawl.depth = %" PRIu32 ": fetched if found at most that many links away from a seed%s", depth,
                  world->engine ? "" : " (--at-depth N says where)");
    return CW_EXPLAIN_UNKNOWN;
}

static cw_explain_verdict checks_judge_scope(const cw_explain_world *world, const cw_explain_url *url, cw_writer *rule)
{
    static const char *const names[] = {[CRAWL_SCOPE_HOST] = "host",
                                        [CRAWL_SCOPE_DOMAIN] = "domain",
                                        [CRAWL_SCOPE_PREFIX] = "prefix",
                                        [CRAWL_SCOPE_ANY] = "any"};
    const crawl_judge_origin *within = url->rules.within;
    if (url->rules.seed)
        return pass_seed(rule);
    if (pass_part(world, url, rule))
        return CW_EXPLAIN_PASS;
    cw_put_format(rule, "crawl.scope = %s", names[world->config->scope]);
    if (world->config->scope == CRAWL_SCOPE_ANY)
        return CW_EXPLAIN_PASS;
    if (!url->rules.has_origins) {
        cw_put_format(rule, ", and no seed is named (--seed URL, --seeds FILE)");
        return CW_EXPLAIN_UNKNOWN;
    }
    if (within && world->engine)
        cw_put_format(rule, ": %.*s", (int)within->place.size, within->place.data);
    else if (within)
        cw_put_format(rule, ": %.*s, of the seed %.*s", (int)within->place.size, within->place.data,
                      (int)within->url.size, within->url.data);
    else
        cw_put_format(rule, ": no seed is in %.*s", (int)url->rules.place.size, url->rules.place.data);
    if (!within)
        put_external(world, url, rule);
    return within ? CW_EXPLAIN_PASS : refuse_page(world, url, rule);
}

static cw_explain_verdict checks_judge_patterns(const cw_explain_world *world, const cw_explain_url *url,
                                                cw_writer *rule)
{
    const crawl_config *config = world->config;
    const crawl_filter_rule *decides = url->rules.rule;
    if (url->rules.seed)
        return pass_seed(rule);
    if (!config->rule_count)
        cw_put_format(rule, "no crawl.include and no crawl.exclude");
    else if (decides)
        cw_put_format(rule, "crawl.%s = %s%s", decides->include ? "include" : "exclude", decides->pattern,
                      url->rules.rule_stopped ? ": the match takes too many steps, and is stopped" : "");
    else
        cw_put_format(rule, "no pattern matches, and the first is an %s",
                      config->rules[0].include ? "include" : "exclude");
    bool is_part = asks_for_parts(world) && cw_explain_is_part(url);
    if (url->rules.passes || !is_part || decides)
        return pass_if(url->rules.passes);
    cw_put_format(rule, "; but a part of a page needs none");
    return CW_EXPLAIN_PASS;
}

static cw_explain_verdict judge_shape(const cw_explain_world *, const cw_explain_url *url, cw_writer *rule)
{
    if (url->rules.seed)
        return pass_seed(rule);
    if (url->rules.trap)
        cw_put_format(rule, "beyond %s", crawl_trap_name(url->rules.trap));
    else
        cw_put_format(rule, "within crawl.max_url, max_path_depth and max_repeats");
    return pass_if(url->rules.trap == CRAWL_TRAP_NONE);
}

static cw_explain_verdict judge_robots(const cw_explain_world *world, const cw_explain_url *url, cw_writer *rule)
{
    if (!world->config->robots) {
        cw_put_format(rule, "politeness.robots = false: not obeyed");
        return CW_EXPLAIN_PASS;
    }
    if (world->engine)
        return cw_explain_running_robots(world, url, rule);
    if (world->robots)
        return cw_explain_ask_robots(world, url, world->robots, world->robots_path, rule);
    if (world->view || world->shared)
        return cw_explain_kept_robots(world, url, rule);
    cw_put_format(rule, "no robots.txt is named (--robots FILE)");
    return CW_EXPLAIN_UNKNOWN;
}

static cw_explain_verdict checks_judge_address(const cw_explain_world *, const cw_explain_url *url, cw_writer *rule)
{
    static const struct {
        const char *words;
        bool refuses;
    } answers[CRAWL_ADDRESS_COUNT] = {
        [CRAWL_ADDRESS_PUBLIC] = {"a public address", false},
        [CRAWL_ADDRESS_NAME] = {"a name: its address is checked when connecting", false},
        [CRAWL_ADDRESS_ALLOWED] = {"fetch.allow_private = true", false},
        [CRAWL_ADDRESS_SEED] = {"a seed names the host", false},
        [CRAWL_ADDRESS_INTERNAL] = {"politeness.internal_hosts names the host", false},
        [CRAWL_ADDRESS_PORT] = {"browsers block this port, and no seed names it for this host", true},
        [CRAWL_ADDRESS_NO_SEED] = {"fetch.allow_private = false: not a public address, and no seed names it", true},
        [CRAWL_ADDRESS_NO_PORT] =
            {"the host is at a private address, and no seed names this port of it; see politeness.private_ports", true},
    };
    crawl_address_verdict address = url->rules.address;
    if (address == CRAWL_ADDRESS_PORT)
        cw_put_format(rule, "port %u: ", crawl_url_effective_port(url->url));
    cw_put_format(rule, "%s", answers[address].words);
    return pass_if(!answers[address].refuses);
}

static cw_explain_verdict judge_seen(const cw_explain_world *world, const cw_explain_url *url, cw_writer *rule)
{
    if (world->shared)
        return cw_explain_shared_seen(world, url, rule);
    return (world->engine ? cw_explain_running_seen : cw_explain_seen)(world, url, rule);
}

static cw_explain_verdict judge_host(const cw_explain_world *world, const cw_explain_url *url, cw_writer *rule)
{
    if (world->shared)
        return cw_explain_shared_host(world, url, rule);
    return (world->engine ? cw_explain_running_host : cw_explain_host)(world, url, rule);
}

const cw_explain_check cw_explain_checks[CW_EXPLAIN_CHECKS] = {
    {"depth", false, false, judge_depth},
    {"scope", false, false, checks_judge_scope},
    {"patterns", false, false, checks_judge_patterns},
    {"shape", false, false, judge_shape},
    {"counts", false, false, cw_explain_counts},
    {"address", false, false, checks_judge_address},
    {"robots", false, false, judge_robots},
    {"record", false, true, cw_explain_record},
    {"seen", true, false, judge_seen},
    {"host", true, false, judge_host},
};
