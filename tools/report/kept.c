#include "tools/report/kept.h"

#include "results/results.h"
#include "tools/common/resume.h"
#include "tools/common/say.h"
#include "tools/common/status.h"

#include <crawl/output.h>
#include <crawl/sys/redis.h>
#include <sys/stat.h>

static const char tool[] = "report";

static bool is_file(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISREG(found.st_mode);
}

/* Returns true if a crawl could have written JSON lines or a database to a file of this name. */
static bool names_file(const char *path)
{
    return path && strcmp(path, "-") != 0 && (!crawl_output_is_sink(path) || cw_tool_is_database(path)) &&
           !crawl_output_is_csv(path);
}

/* Finds one file. copy: its name in the directory; NULL: this kind is not kept there. */
static crawl_err kept_find(const char *directory, const char *copy, const char *own, crawl_buf *path)
{
    crawl_err err = copy ? crawl_buf_printf(path, "%s/%s", directory, copy) : CRAWL_OK;
    if (err || (copy && is_file(path->data)))
        return err;
    crawl_buf_clear(path);
    return names_file(own) && is_file(own) ? crawl_buf_append_text(path, own) : CRAWL_OK;
}

static crawl_err kept_find_all(const char *directory, const crawl_config *config, cw_survey_kept *kept)
{
    const char *links = crawl_config_text(config, "output.links");
    const char *requests = crawl_config_text(config, "output.requests");
    crawl_err err =
        kept_find(directory, CW_TOOL_KEPT_RECORDS, crawl_config_text(config, "output.output"), &kept->records);
    kept->is_database = kept->records.size && cw_results_is_file(kept->records.data);
    if (!err && !cw_tool_is_database(links))
        err = kept_find(directory, CW_TOOL_KEPT_LINKS, links, &kept->links);
    return err || cw_tool_is_database(requests) ? err : kept_find(directory, NULL, requests, &kept->requests);
}

static int no_records(const char *directory, const crawl_config *config)
{
    const char *output = crawl_config_text(config, "output.output");
    if (names_file(output))
        cw_tool_say(tool, "%s: the records of this crawl, %s, are not there; name the file that has them", directory,
                    output);
    else
        cw_tool_say(tool,
                    "%s: this crawl kept no records: it had neither --output with a file of JSON Lines nor --report",
                    directory);
    return CW_EXIT_USAGE;
}

static int failed(const char *directory, crawl_err err, const crawl_error *error)
{
    if (err == CRAWL_ABSENT)
        cw_tool_say(tool, "%s: not the directory of a crawl: crawler.conf, its options, is missing", directory);
    else
        cw_tool_say(tool, "%s", *error->message ? error->message : crawl_strerror(err));
    return CW_EXIT_LOCAL;
}

int cw_survey_find_kept(const char *directory, cw_survey_kept *kept)
{
    crawl_error error = {0};
    int status = CW_EXIT_OK;
    crawl_err err = crawl_config_create(&kept->config);
    if (!err)
        err = cw_tool_resume_load(directory, kept->config, &error);
    if (!err)
        err = kept_find_all(directory, kept->config, kept);
    if (err)
        status = failed(directory, err, &error);
    else if (!kept->records.size)
        status = no_records(directory, kept->config);
    return status;
}

void cw_survey_kept_free(cw_survey_kept *kept)
{
    crawl_buf_free(&kept->records);
    crawl_buf_free(&kept->links);
    crawl_buf_free(&kept->requests);
    crawl_config_free(kept->config);
}
