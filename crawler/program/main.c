/* The program. If the first word of the command line names a tool, the tool runs; otherwise it crawls. */
#include "base/bytes.h"
#include "base/text/nearest.h"
#include "crawler/program/commands/commands.h"
#include "crawler/program/commands/words.h"
#include "crawler/program/crawl_command.h"
#include "crawler/program/help.h"
#include "tools/common/say.h"
#include "tools/common/status.h"
#include "tools/common/tool_output.h"

#include <stdio.h>
#include <stdlib.h>

/* Options of other crawlers (wget, httrack, Scrapy, curl and others) that people try here. */

/* docs/coming-from.md has more of them, and the differences. */
static const struct {
    const char *elsewhere; /* names, each with a space before and after it; -cN: with any number */
    const char *here;
} meanings[] = {
    {" --max-depth --maxdepth --level --depth-limit -l ", "--depth N"},
    {" -r --recursive ", "--depth N; it is always recursive, 3 links deep unless told otherwise"},
    {" --threads --concurrency --concurrent --parallel --jobs --max-threads -j -t -cN ",
     "--connections N for transfers at once, --per-host N for those to one host"},
    {" -c ", "--state DIR, as wget, or --connections N"},
    {" --limit --max --max-requests --max-urls --num-pages -n ", "--max-pages N"},
    {" --user --password --http-user --http-password --auth ",
     "user and password_file in a section [host NAME] of crawler.conf"},
    {" --format --output-format --json --csv ", "--output FILE.jsonl or --output FILE.csv"},
    {" -w --wait --wait-time --sleep --interval --download-delay --crawl-delay ", "--delay S for each host"},
    {" --rate --rps --qps ", "--delay S, from one request to a host to the next"},
    {" --random-wait --randomize-download-delay ", "--random-delay 50%"},
    {" --limit-rate --max-rate --bandwidth ", "--rate-limit BYTES"},
    {" -AN ", "--rate-limit BYTES"},
    {" -% ", "--delay S for each host"},
    {" -Q --quota -MN ", "--max-bytes BYTES"},
    {" -m --mirror-site --convert-links -K -P --directory-prefix -O --path ", "--mirror DIR"},
    {" -nc --no-clobber -nd --no-directories -nH --no-host-directories --cut-dirs ",
     "--mirror DIR, with a folder for each host"},
    {" --post-data --post-file ", "--seeds FILE with a JSON object for the request"},
    {" -k ", "--mirror DIR, as wget, or --insecure, as curl"},
    {" -p --page-requisites ", "--requisites"},
    {" -np --no-parent ", "--scope prefix"},
    {" --span-hosts ", "--scope any"},
    {" -H ", "--scope any, as wget, or --header 'NAME: VALUE', as curl"},
    {" --subdomains --include-subdomains --same-domain ", "--scope domain"},
    {" -D --domains --domain --allowed-domains ", "--scope domain and a seed of each domain"},
    {" -i --input-file --input --urls --url-file --list ", "--seeds FILE"},
    {" --url -u ", "a URL as it is: crawl https://example.com/"},
    {" -A --accept --accept-regex --allow --match ", "--include RE"},
    {" -R --reject --reject-regex --deny --ignore ", "--exclude RE"},
    {" -U --agent --ua ", "--user-agent TEXT"},
    {" -a ", "--scope host, as httrack, or --user-agent TEXT"},
    {" --headers ", "--header 'NAME: VALUE'"},
    {" -e --ignore-robots --ignore-robots-txt --robots --robotstxt ", "--no-robots"},
    {" --no-check-certificate --no-verify --no-verify-ssl --skip-tls-verify ", "--insecure"},
    {" --load-cookies --cookie --cookie-file -b ", "--cookies-file FILE"},
    {" --save-cookies --cookie-jar ", "--cookies-save FILE"},
    {" --tries --retry --max-retries ", "--retries N"},
    {" -T --max-time-per-request --request-timeout --connect-timeout --read-timeout ", "--timeout S"},
    {" --duration --time-limit --max-duration -EN ", "--max-time T"},
    {" --spider --check-links --broken ", "--report FILE.html --check-external"},
    {" --continue --resume --jobdir --update -N --timestamping ",
     "--state DIR, and --revisit=due to ask again for pages it knows"},
    {" --warc-file --warc-output ", "--warc PREFIX"},
    {" --warc-dedup ", "--dedupe-against FILE.cdxj"},
    {" --generateWACZ ", "--wacz FILE"},
    {" --silent -nv --no-verbose ", "--quiet"},
    {" --debug ", "--verbose"},
    {" -x --proxy-server --http-proxy ", "--proxy URL"},
    {" -L --location --follow-redirects ", "--max-redirects N; it follows redirects, 10 unless told otherwise"},
    {" --max-filesize --max-file-size --max-size -mN ", "--set fetch.max_body=SIZE"},
    {" --js --javascript --headless --browser --chrome --chromium --puppeteer --playwright ", "--render WHEN"},
};

static const char *find_meaning(const char *option)
{
    size_t size = strchr(option, ' ') ? 0 : strlen(option);
    for (size_t i = 0; size && i < sizeof meanings / sizeof *meanings; i++)
        for (const char *at = meanings[i].elsewhere; (at = strstr(at, option)); at++)
            if (at[-1] == ' ' && at[size] == ' ')
                return meanings[i].here;
    return NULL;
}

/* Returns the option of crawl that does what this option does elsewhere, as "--depth N", perhaps followed by words.
 * NULL: unknown. option: with its dashes and without a value, unless that is glued to a letter, as in -c8. */
static const char *program_foreign_option(const char *option)
{
    const char *here = find_meaning(option);
    if (here || option[0] != '-' || option[1] == '-' || option[1] == '\0')
        return here;
    const char numbered[] = {'-', option[1], 'N', '\0'};
    const char letter[] = {'-', option[1], '\0'};
    here = cw_is_digit((unsigned char)option[2]) ? find_meaning(numbered) : NULL;
    return here ? here : find_meaning(letter);
}

/* Returns "; did you mean \"report\"?"; empty if no tool has a similar name. groups: nor a group of options. */
static crawl_buf suggest(const char *name, bool groups)
{
    crawl_buf said = {0};
    if (strcmp(name, "list") == 0) {
        crawl_buf_append_text(&said, "; `crawl query --where CONDITION --columns FIELDS FILE` does what it did");
        return said;
    }
    cw_nearest nearest = {.text = crawl_slice_from(name)};
    for (const cw_command_word *word = cw_command_words; word->name; word++)
        cw_nearest_offer(&nearest, word->name);
    cw_nearest_offer(&nearest, "help");
    if (groups)
        cw_program_help_offer_groups(&nearest);
    if (nearest.best)
        crawl_buf_printf(&said, "; did you mean \"%s\"?", nearest.best);
    return said;
}

/* of_help: `crawl help` was asked for it. */
static int no_tool(const char *name, bool of_help)
{
    crawl_buf suggestion = suggest(name, of_help);
    cw_tool_say(NULL, "%s \"%s\"%s", of_help ? "help: there is no tool or group" : "there is no tool", name,
                suggestion.size ? suggestion.data : "; `crawl help` lists them");
    crawl_buf_free(&suggestion);
    return CW_EXIT_USAGE;
}

/* Returns true if the first word is a misspelt tool. A word of letters alone is no URL. */
static bool is_mistyped(const char *name)
{
    size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    crawl_buf suggestion = *name && !name[size] ? suggest(name, false) : (crawl_buf){0};
    bool is_near = suggestion.size > 0;
    crawl_buf_free(&suggestion);
    return is_near;
}

static int help(const char *name)
{
    if (!name || strcmp(name, "help") == 0) {
        cw_program_help_short(stdout);
        puts("\nTools (`crawl help TOOL` explains one):");
        for (const cw_command_word *word = cw_command_words; word->name; word++)
            printf("  crawl %-8s %s\n", word->name, word->summary);
        return CW_EXIT_OK;
    }
    if (strcmp(name, "all") == 0) {
        cw_program_help(stdout);
        return CW_EXIT_OK;
    }
    if (cw_program_help_group(name, stdout))
        return CW_EXIT_OK;
    const cw_command_word *found = cw_command_find(name);
    char option[] = "--help";
    char *asking[] = {option, option, NULL};
    if (found && !found->run)
        return cw_command_run(found, 2, asking);
    if (found)
        return cw_tool_output_text(found->help);
    return no_tool(name, true);
}

static bool is_number(const char *text)
{
    char *end = NULL;
    return text && *text && strtod(text, &end) >= 0 && !*end;
}

/* Names the equivalent here of an option that crawl refuses, but that another crawler or a tool has. value: after "=",
 * or the next word; NULL: neither. Our switch of the same name takes no number: --wait is one. */
static void say_whose(const char *option, const char *value)
{
    char *own = cw_program_printed(cw_program_help);
    char without[64] = "";
    if (strncmp(option, "--", 2) == 0)
        snprintf(without, sizeof without, "--no-%s", option + 2);
    bool is_own = !own || cw_command_help_names(own, option) || cw_command_help_names(own, without);
    const char *here = is_own && !is_number(value) ? NULL : program_foreign_option(option);
    if (here)
        cw_tool_say(NULL, "instead of %s, crawl takes %s", option, here);
    for (const cw_command_word *word = cw_command_words; word->name && !is_own; word++)
        if (cw_command_help_names(cw_command_help(word), option)) {
            cw_tool_say(NULL, "`crawl %s` has %s", word->name, option);
            break;
        }
    free(own);
}

static int main_crawl(int argc, char **argv)
{
    int status = cw_program_crawl(argc, argv);
    for (int i = 1; i < argc && status == CW_EXIT_USAGE; i++) {
        size_t size = strcspn(argv[i], "=");
        char *option = strndup(argv[i], size);
        if (option)
            say_whose(option, argv[i][size] ? argv[i] + size + 1 : argv[i + 1]);
        free(option);
    }
    return status;
}

static bool asks_for_help(const char *option)
{
    return strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0;
}

static int main_run(int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : "";
    if (argc == 4 && strcmp(first, "help") == 0 && strcmp(argv[2], "--man") == 0)
        return cw_command_man(argv[3]);
    if (argc > 2 && strcmp(first, "help") == 0 && strcmp(argv[2], "--complete") == 0)
        return cw_command_complete(argc - 3, argv + 3);
    if (strcmp(first, "help") == 0 || (argc <= 3 && asks_for_help(first)))
        return help(argc > 2 ? argv[2] : NULL);
    const cw_command_word *found = cw_command_find(first);
    if (found && argc > 2 && asks_for_help(argv[2]))
        return help(first);
    if (!found && is_mistyped(first))
        return no_tool(first, false);
    return found ? cw_command_run(found, argc - 1, argv + 1) : main_crawl(argc, argv);
}

int main(int argc, char **argv)
{
    return cw_tool_main(argc, argv, main_run);
}
