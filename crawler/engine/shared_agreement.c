#include "crawler/engine/shared_agreement.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/files/file_read.h"
#include "base/writer.h"
#include "config/config_values.h"
#include "crawler/engine/host/cookies.h"

#include <crawl/sys/explain.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- settings whose form in the crawl is that of a configuration ---- */

typedef enum form { FORM_TEXT, FORM_SWITCH, FORM_MS } form;

static const struct {
    const char *name, *key;
    form form;
} settings[] = {
    {"depth", "crawl.depth", FORM_TEXT},
    {"scope", "crawl.scope", FORM_TEXT},
    {"sitemaps", "crawl.sitemaps", FORM_SWITCH},
    {"find_feeds", "crawl.find_feeds", FORM_SWITCH},
    {"llms_txt", "crawl.llms_txt", FORM_SWITCH},
    {"requisites", "crawl.requisites", FORM_SWITCH},
    {"check_external", "crawl.check_external", FORM_SWITCH},
    {"max_url", "crawl.max_url", FORM_TEXT},
    {"max_path_depth", "crawl.max_path_depth", FORM_TEXT},
    {"max_repeats", "crawl.max_repeats", FORM_TEXT},
    {"obey_nofollow", "parse.obey_nofollow", FORM_SWITCH},
    {"robots", "politeness.robots", FORM_SWITCH},
    {"delay", "politeness.delay", FORM_MS},
    {"per_host", "politeness.per_host", FORM_TEXT},
    {"per_ip", "politeness.per_ip", FORM_SWITCH},
    {"retries", "politeness.retries", FORM_TEXT},
    {"allow_private", "fetch.allow_private", FORM_SWITCH},
    {"internal_hosts", "politeness.internal_hosts", FORM_TEXT},
    {"private_ports", "politeness.private_ports", FORM_TEXT},
    {"trust_seeds", "politeness.trust_seeds", FORM_SWITCH},
    {"lease", "state.lease", FORM_MS},
    {"order", "crawl.order", FORM_TEXT},
    {"crawl.seen.rate", "seen.fpr", FORM_TEXT},
    {"crawl.seen.capacity", "seen.capacity", FORM_TEXT},
};

/* ---- making an agreement ---- */

static void add_text(cw_engine_agreement *of, const char *name, crawl_slice value)
{
    of->choices[of->count++] = (crawl_shared_choice){crawl_slice_from(name), value};
}

static void shared_agreement_add_number(cw_engine_agreement *of, const char *name, int64_t value)
{
    char *digits = of->digits[of->count];
    snprintf(digits, CW_ENGINE_DIGITS, "%lld", (long long)value);
    add_text(of, name, crawl_slice_from(digits));
}

static void shared_agreement_add_words(cw_engine_agreement *of, const char *name, const char *words)
{
    add_text(of, name, crawl_slice_from(words ? words : ""));
}

static int compare_sections(const void *a, const void *b)
{
    const crawl_host_config *one = *(const crawl_host_config *const *)a;
    const crawl_host_config *other = *(const crawl_host_config *const *)b;
    int kinds = (int)one->is_group - (int)other->is_group;
    return kinds ? kinds : strcmp(one->name, other->name);
}

/* Writes "host NAME.delay=2000ms" and the like, one per line. */
static void agree_on_section(cw_writer *lines, const crawl_host_config *host)
{
    const char *kind = host->is_group ? "group" : "host";
    if (host->is_group && host->hosts)
        cw_put_format(lines, "%s %s.hosts=%s\n", kind, host->name, host->hosts);
    if (host->delay_ms >= 0)
        cw_put_format(lines, "%s %s.delay=%lldms\n", kind, host->name, (long long)host->delay_ms);
    if (host->per_host)
        cw_put_format(lines, "%s %s.per_host=%u\n", kind, host->name, host->per_host);
}

/* Adds the pauses and limits in sections of hosts and groups, in sorted order. Everything else in them is for the
 * machine of one process: secrets, proxies, certificates. */
static crawl_err agree_on_sections(const crawl_config *config, cw_engine_agreement *out)
{
    cw_writer lines = {.out = &out->hosts};
    const crawl_host_config **sections = calloc(config->host_count + 1, sizeof *sections);
    if (!sections)
        return CRAWL_ENOMEM;
    for (size_t i = 0; i < config->host_count; i++)
        sections[i] = &config->hosts[i];
    qsort(sections, config->host_count, sizeof *sections, compare_sections);
    for (size_t i = 0; i < config->host_count; i++)
        agree_on_section(&lines, sections[i]);
    free(sections);
    add_text(out, "hosts", crawl_buf_slice(&out->hosts));
    return lines.err;
}

/* Adds the rules that decide which URLs are pages of the crawl. */
static void add_scope(const crawl_config *config, cw_engine_agreement *out)
{
    static const char *const scopes[] = {"host", "domain", "prefix", "any"};
    shared_agreement_add_number(out, "depth", config->depth);
    shared_agreement_add_words(out, "scope", scopes[config->scope]);
    add_text(out, "include and exclude", crawl_buf_slice(&out->rules));
    shared_agreement_add_number(out, "sitemaps", config->sitemaps);
    shared_agreement_add_number(out, "find_feeds", config->find_feeds);
    shared_agreement_add_number(out, "llms_txt", config->llms_txt);
    shared_agreement_add_number(out, "requisites", config->requisites);
    shared_agreement_add_number(out, "check_external", config->check_external);
    shared_agreement_add_number(out, "follow", config->follow);
    shared_agreement_add_number(out, "obey_nofollow", config->obey_nofollow);
    shared_agreement_add_number(out, "max_url", (int64_t)config->max_url);
    shared_agreement_add_number(out, "max_path_depth", config->max_path_depth);
    shared_agreement_add_number(out, "max_repeats", config->max_repeats);
    shared_agreement_add_number(out, "allow_private", config->allow_private);
    shared_agreement_add_words(out, "internal_hosts", config->internal_hosts);
    shared_agreement_add_words(out, "private_ports", config->private_ports);
    shared_agreement_add_number(out, "trust_seeds", config->trust_seeds);
}

/* Adds how hosts are treated: if that differed, the fate of a page would depend on which process gets it first. */
static void add_manners(const crawl_config *config, cw_engine_agreement *out)
{
    const char *dedupe = config->follow_duplicates ? "exact" : "exact, not followed";
    shared_agreement_add_number(out, "robots", config->robots);
    shared_agreement_add_number(out, "delay", config->delay_ms);
    shared_agreement_add_number(out, "per_host", config->per_host);
    shared_agreement_add_number(out, "per_ip", config->per_ip);
    shared_agreement_add_number(out, "retries", config->retries);
    shared_agreement_add_number(out, "revisit", config->revisit);
    shared_agreement_add_number(out, "lease", config->shared_lease_ms);
    shared_agreement_add_words(out, "dedupe", config->dedupe == CRAWL_DEDUPE_OFF ? "off" : dedupe);
    shared_agreement_add_number(out, "cookies", cw_host_cookies_wanted(config));
    shared_agreement_add_number(out, "max_cookies", cw_host_cookies_wanted(config) ? (int64_t)config->max_cookies : 0);
}

crawl_err cw_engine_agreement_make(const crawl_config *config, cw_engine_agreement *out)
{
    cw_writer rules = {.out = &out->rules};
    for (size_t i = 0; i < config->rule_count; i++)
        cw_put_format(&rules, "%s%c %s", i ? "\n" : "", config->rules[i].include ? '+' : '-', config->rules[i].pattern);
    add_scope(config, out);
    add_manners(config, out);
    crawl_err err = agree_on_sections(config, out);
    return rules.err ? rules.err : err;
}

void cw_engine_agreement_free(cw_engine_agreement *agreement)
{
    crawl_buf_free(&agreement->rules);
    crawl_buf_free(&agreement->hosts);
}

/* ---- adopting an agreement ---- */

static crawl_err shared_agreement_set(crawl_config *config, const char *key, crawl_slice value, const char *unit,
                                      crawl_error *error)
{
    crawl_buf text = {0};
    crawl_err err = crawl_buf_printf(&text, "%.*s%s", (int)value.size, value.data, unit);
    err = err ? cw_error(error, err) : crawl_config_set(config, key, text.data, error);
    crawl_buf_free(&text);
    return err;
}

static crawl_err adopt_setting(crawl_config *config, size_t index, crawl_slice value, crawl_error *error)
{
    if (settings[index].form == FORM_SWITCH)
        value = crawl_slice_from(cw_is(value, "0") ? "false" : "true");
    return shared_agreement_set(config, settings[index].key, value, settings[index].form == FORM_MS ? "ms" : "", error);
}

/* Reads lines of "+ PATTERN" and "- PATTERN". */
static crawl_err adopt_rules(crawl_config *config, crawl_slice value, crawl_error *error)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < config->rule_count; i++)
        free(config->rules[i].pattern);
    config->rule_count = 0;
    while (value.size && !err) {
        crawl_slice line = cw_cut(&value, '\n');
        bool is_include = cw_take_text(&line, "+ ");
        if (is_include || cw_take_text(&line, "- "))
            err = shared_agreement_set(config, is_include ? "crawl.include" : "crawl.exclude", line, "", error);
    }
    return err;
}

static crawl_err adopt_sections(crawl_config *config, crawl_slice value, crawl_error *error)
{
    crawl_err err = CRAWL_OK;
    while (value.size && !err) {
        crawl_slice line = cw_cut(&value, '\n');
        crawl_buf key = {0};
        crawl_slice name = cw_cut(&line, '=');
        err = crawl_buf_append(&key, name.data, name.size);
        err = err ? cw_error(error, err) : shared_agreement_set(config, key.data, line, "", error);
        crawl_buf_free(&key);
    }
    return err;
}

/* Reads "v1 canonical=NAME fingerprint=NAME drop_params=LIST", as written by cw_scope_key_describe. */
static crawl_err adopt_keys(crawl_config *config, crawl_slice value, crawl_error *error)
{
    crawl_slice version = cw_cut(&value, ' ');
    crawl_slice canonical = cw_cut(&value, ' ');
    crawl_slice fingerprint = cw_cut(&value, ' ');
    bool is_known = cw_is(version, "v1") && cw_take_text(&canonical, "canonical=") &&
                    cw_take_text(&fingerprint, "fingerprint=") && cw_take_text(&value, "drop_params=");
    if (!is_known)
        return crawl_error_set(error, CRAWL_EINVAL,
                               "the crawl identifies URLs in a way that this program does not know");
    crawl_err err = shared_agreement_set(config, "seen.canonical", canonical, "", error);
    if (!err)
        err = shared_agreement_set(config, "seen.fingerprint", fingerprint, "", error);
    return err ? err : shared_agreement_set(config, "seen.drop_params", value, "", error);
}

static void adopt_dedupe(crawl_config *config, crawl_slice value)
{
    config->dedupe = cw_is(value, "off") ? CRAWL_DEDUPE_OFF : CRAWL_DEDUPE_EXACT;
    config->follow_duplicates = !cw_is(value, "exact, not followed");
}

static void adopt_seen(crawl_config *config, crawl_slice value)
{
    config->seen.kind = cw_is(value, "scalable") ? CRAWL_BLOOM_SCALABLE : CRAWL_BLOOM_EXACT;
    config->redis_layout = cw_is(value, "scrapy-redis") ? CRAWL_REDIS_LAYOUT_SCRAPY_REDIS : CRAWL_REDIS_LAYOUT_CRAWL;
}

/* Returns 0 if it is not a number, or is larger than any of ours. */
static uint64_t shared_agreement_number_of(crawl_slice digits)
{
    uint64_t number = 0;
    for (size_t i = 0; i < digits.size; i++) {
        if (!cw_is_digit((unsigned char)digits.data[i]) || i > 18)
            return 0;
        number = number * 10 + (uint64_t)(digits.data[i] - '0');
    }
    return number;
}

/* A set has neither a rate nor a capacity. */
static bool is_none(crawl_slice name, crawl_slice value)
{
    return cw_is(value, "0") && cw_starts_with(name, "crawl.seen.");
}

crawl_err crawl_shared_adopt(crawl_config *config, crawl_slice name, crawl_slice value, crawl_error *error)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (cw_is(name, settings[i].name))
            return is_none(name, value) ? CRAWL_OK : adopt_setting(config, i, value, error);
    const uint64_t number = shared_agreement_number_of(value);
    if (cw_is(name, "include and exclude"))
        return adopt_rules(config, value, error);
    if (cw_is(name, "hosts"))
        return adopt_sections(config, value, error);
    if (cw_is(name, "fingerprints"))
        return adopt_keys(config, value, error);
    if (cw_is(name, "dedupe"))
        adopt_dedupe(config, value);
    else if (cw_is(name, "crawl.seen"))
        adopt_seen(config, value);
    else if (cw_is(name, "follow"))
        config->follow = (unsigned)number & CRAWL_LINK_EVERY;
    else if (cw_is(name, "revisit") && number <= CRAWL_REVISIT_DUE)
        config->revisit = (crawl_revisit)number;
    else if (cw_is(name, "cookies"))
        config->cookies = number > 0;
    else if (cw_is(name, "max_cookies") && number)
        config->max_cookies = number;
    return CRAWL_OK;
}

static crawl_err shared_url_parse(const char *text, crawl_redis_url *url, crawl_error *error)
{
    static const char *const names[] = {"name", NULL};
    crawl_error why = {0};
    crawl_err err = crawl_redis_url_parse(crawl_slice_from(text), names, url, &why);
    if (err == CRAWL_EPARSE) /* without the text, which may contain a password */
        return crawl_error_set(error, CRAWL_EINVAL, "the URL of Redis: %s", why.message);
    if (!err && !url->values[0]) {
        crawl_redis_url_free(url);
        return crawl_error_set(error, CRAWL_EINVAL, "%s: the name of the crawl is missing: ...?name=NAME", text);
    }
    return err ? cw_error(error, err) : CRAWL_OK;
}

crawl_err cw_engine_shared_url_read(const crawl_config *config, crawl_redis_url *url, char **password,
                                    crawl_error *error)
{
    *password = NULL;
    crawl_err err = shared_url_parse(config->shared, url, error);
    if (err)
        return err;
    err = cw_secret_find(config->redis_password_file, "CRAWL_REDIS_PASSWORD", password, error);
    if (err)
        crawl_redis_url_free(url);
    return err;
}
