/* `crawl sitemap` prints the URLs of a sitemap, one JSON line each. */
#include "crawler/program/commands/commands.h"
#include "tools/common/io.h"
#include "tools/common/refused_memory.h"
#include "tools/common/say.h"
#include "tools/common/sitemap_feed.h"
#include "tools/common/tool_options.h"
#include "tools/common/tool_output.h"

#include <unistd.h>

static const char tool[] = "sitemap";

static json_t *sitemap_json_of_links(const crawl_sitemap_entry *entry)
{
    json_t *links = json_array();
    for (size_t i = 0; i < entry->link_count; i++) {
        const crawl_sitemap_link *link = &entry->links[i];
        json_t *object = json_object();
        json_object_set_new(object, "kind", json_string(crawl_sitemap_link_name(link->kind)));
        json_object_set_new(object, "url", cw_tool_json_text(link->url));
        if (link->hreflang.size)
            json_object_set_new(object, "hreflang", cw_tool_json_text(link->hreflang));
        json_array_append_new(links, object);
    }
    return links;
}

static json_t *sitemap_text(crawl_slice text)
{
    return text.size ? cw_tool_json_text(text) : json_null();
}

static json_t *sitemap_json_of_news(const crawl_sitemap_news *news)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "name", sitemap_text(news->name), "language", sitemap_text(news->language),
                     "title", sitemap_text(news->title), "date", sitemap_text(news->date_text));
}

static crawl_err print_entry(void *, const crawl_sitemap_entry *entry)
{
    json_t *object = json_object();
    json_object_set_new(object, entry->is_sitemap ? "sitemap" : "url", cw_tool_json_text(crawl_url_href(entry->url)));
    json_object_set_new(object, "lastmod", sitemap_text(entry->lastmod_text));
    if (!entry->is_sitemap) {
        json_object_set_new(object, "changefreq", sitemap_text(crawl_slice_from(entry->changefreq)));
        json_object_set_new(object, "priority", json_real(entry->priority));
    }
    if (entry->link_count)
        json_object_set_new(object, "links", sitemap_json_of_links(entry));
    if (entry->news)
        json_object_set_new(object, "news", sitemap_json_of_news(entry->news));
    return cw_tool_json_print(object);
}

/* Warns about text that is valid XML, but is not read as intended, or not by all readers. */
static void sitemap_warn(const crawl_sitemap_stats *stats)
{
    if (stats->skipped)
        cw_tool_say(tool, "skipped without an http or https URL: %llu", (unsigned long long)stats->skipped);
    if (stats->bad_dates)
        cw_tool_say(tool, "ignored dates that cannot be read: %llu", (unsigned long long)stats->bad_dates);
    if (stats->crowded)
        cw_tool_say(tool, "entries with more than %u images: %llu", CRAWL_SITEMAP_MAX_IMAGES,
                    (unsigned long long)stats->crowded);
    if (stats->news > CRAWL_SITEMAP_MAX_NEWS)
        cw_tool_say(tool, "more than %u entries of news: %llu", CRAWL_SITEMAP_MAX_NEWS,
                    (unsigned long long)stats->news);
}

static int sitemap_report(const crawl_sitemap *sitemap, bool is_llms, crawl_err err)
{
    crawl_sitemap_stats stats;
    crawl_sitemap_stats_get(sitemap, &stats);
    sitemap_warn(&stats);
    if (stats.none || (err == CRAWL_EPARSE && !stats.entries))
        cw_tool_say(tool, is_llms ? "not an llms.txt" : "not a sitemap");
    else if (err == CRAWL_FULL)
        cw_tool_say(
            tool,
            "cut: beyond the maximum of %u entries, %u bytes, or %u bytes for each compressed one; %llu entries were read",
            CRAWL_SITEMAP_MAX_ENTRIES, CRAWL_SITEMAP_MAX_BYTES, CRAWL_SITEMAP_MAX_RATIO,
            (unsigned long long)stats.entries);
    else if (stats.broken)
        cw_tool_say(tool, "broken; %llu entries could be read", (unsigned long long)stats.entries);
    else if (err && !cw_tool_output_failed())
        cw_tool_say(tool, "%s", crawl_strerror(err));
    if (cw_tool_output_failed())
        return CW_EXIT_OK; /* main() reports a failed standard output */
    if (err == CRAWL_ENOMEM || err == CRAWL_EIO)
        return CW_EXIT_LOCAL;
    return err || stats.broken ? CW_EXIT_NOTHING : CW_EXIT_OK;
}

static int read_sitemap(FILE *in, const crawl_url *base, bool is_llms)
{
    crawl_sitemap *sitemap;
    const crawl_sitemap_options options = {
        .size = sizeof options, .url = base, .on_entry = print_entry, .is_llms = is_llms};
    cw_tool_memory_must(crawl_sitemap_create(&options, &sitemap));
    int status = sitemap_report(sitemap, is_llms, cw_tool_feed_sitemap(tool, sitemap, in));
    crawl_sitemap_free(sitemap);
    return status;
}

static int sitemap_run(const char *base_text, bool is_llms, const char *path)
{
    crawl_url *base = base_text ? cw_tool_memory_granted(crawl_url_create()) : NULL;
    if (base && cw_tool_memory_must(crawl_url_parse(base, crawl_slice_from(base_text), NULL, NULL))) {
        cw_tool_say(tool, "--base %s: not a URL", base_text);
        crawl_url_free(base);
        return CW_EXIT_USAGE;
    }
    FILE *in = cw_tool_open(tool, path);
    int status = in ? read_sitemap(in, base, is_llms) : CW_EXIT_LOCAL;
    cw_tool_close(in);
    crawl_url_free(base);
    return status;
}

int cw_command_sitemap(int argc, char **argv)
{
    const char *base = NULL;
    bool is_llms = false;
    const cw_tool_option known[] = {{"base", .text = &base}, {"llms", .flag = &is_llms}, {0}};
    const cw_tool_syntax syntax = {
        .tool = tool,
        .options = known,
        .help = cw_command_sitemap_help,
        .one_file = true,
    };
    int status;
    return cw_tool_options(&syntax, argc, argv, &status) ? sitemap_run(base, is_llms, argv[optind]) : status;
}
