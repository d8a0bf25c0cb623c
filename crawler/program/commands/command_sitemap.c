/* `crawl sitemap` prints the URLs of a sitemap, a JSON line for each. */
#include "crawler/program/commands/commands.h"
#include "tools/common/io.h"
#include "tools/common/say.h"
#include "tools/common/sitemap_feed.h"
#include "tools/common/tool_options.h"
#include "tools/common/tool_output.h"

#include <unistd.h>

const char cw_command_sitemap_help[] =
    "usage: crawl sitemap [--base URL] [--llms] [FILE]\n"
    "\n"
    "Prints what a sitemap (sitemaps.org), read from FILE or standard input, names,\n"
    "as a JSON object a line:\n"
    "\n"
    "    {\"url\",\"lastmod\",\"changefreq\",\"priority\"}\n"
    "    {\"sitemap\",\"lastmod\"}                         of an index of sitemaps\n"
    "\n"
    "XML, plain text, RSS and Atom are taken, as they are or compressed by gzip.\n"
    "lastmod is as it stands, null: none; priority is 0.5 where none is given. At\n"
    "most 50,000 entries and 50 MiB are read. What is no http or https URL is\n"
    "skipped. A broken file is read to its end, and said to be broken: a tag too many\n"
    "or missing, a second root, a second location in an entry (which is a URL of its\n"
    "own), an entry of the other kind. Entities of a DOCTYPE stay as they are\n"
    "written.\n"
    "\n"
    "  --base URL  the sitemap's own URL, for relative locations; without it, a\n"
    "              feed's own link is taken\n"
    "  --llms      FILE is an llms.txt (llmstxt.org): the links in the lists of its\n"
    "              sections, with priority 0 below \"Optional\"; it is broken if it has\n"
    "              not one title\n"
    "  --help      this text\n"
    "\n"
    "Exit status: 0; 1 no sitemap, a broken one, or one beyond a maximum (what could\n"
    "be read is printed); 2 usage; 4 a file or memory.\n";

static const char tool[] = "sitemap";

static int sitemap_set(json_t *object, const char *field, json_t *value)
{
    return json_object_set_new(object, field, value);
}

static crawl_err print_entry(void *user, const crawl_sitemap_entry *entry)
{
    FILE *out = user;
    json_t *object = json_object();
    json_t *lastmod = entry->lastmod_text.size ? cw_tool_json_text(entry->lastmod_text) : json_null();
    int failed =
        sitemap_set(object, entry->is_sitemap ? "sitemap" : "url", cw_tool_json_text(crawl_url_href(entry->url)));
    failed |= sitemap_set(object, "lastmod", lastmod);
    if (!entry->is_sitemap) {
        failed |= sitemap_set(object, "changefreq", entry->changefreq ? json_string(entry->changefreq) : json_null());
        failed |= sitemap_set(object, "priority", json_real(entry->priority));
    }
    crawl_err err = failed ? CRAWL_ENOMEM : cw_tool_json_write(object, out);
    json_decref(object);
    return err;
}

static int sitemap_report(const crawl_sitemap *sitemap, bool is_llms, crawl_err err)
{
    crawl_sitemap_stats stats;
    crawl_sitemap_stats_get(sitemap, &stats);
    if (stats.skipped)
        cw_tool_say(tool, "skipped without an http or https URL: %llu", (unsigned long long)stats.skipped);
    if (stats.none || (err == CRAWL_EPARSE && !stats.entries))
        cw_tool_say(tool, is_llms ? "no llms.txt" : "no sitemap");
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
        return CW_EXIT_OK; /* main() tells of a standard output that failed */
    if (err == CRAWL_ENOMEM || err == CRAWL_EIO)
        return CW_EXIT_LOCAL;
    return err || stats.broken ? CW_EXIT_NOTHING : CW_EXIT_OK;
}

static int read_sitemap(FILE *in, const crawl_url *base, bool is_llms)
{
    crawl_sitemap *sitemap;
    const crawl_sitemap_options options = {
        .size = sizeof options, .url = base, .on_entry = print_entry, .user = stdout, .is_llms = is_llms};
    crawl_err err = crawl_sitemap_create(&options, &sitemap);
    if (err) {
        cw_tool_say(tool, "%s", crawl_strerror(err));
        return CW_EXIT_LOCAL;
    }
    int status = sitemap_report(sitemap, is_llms, cw_tool_feed_sitemap(tool, sitemap, in));
    crawl_sitemap_free(sitemap);
    return status;
}

static int sitemap_run(const char *base_text, bool is_llms, const char *path)
{
    crawl_url *base = base_text ? crawl_url_create() : NULL;
    if (base_text && (!base || crawl_url_parse(base, crawl_slice_from(base_text), NULL, NULL))) {
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
