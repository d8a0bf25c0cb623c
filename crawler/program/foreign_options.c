#include "crawler/program/foreign_options.h"

#include <stddef.h>
#include <string.h>

/* docs/coming-from.md has more of them, with what is different. */
static const struct {
    const char *elsewhere; /* names, each with a space before and after it */
    const char *here;
} meanings[] = {
    {" --max-depth --maxdepth --level --depth-limit -l ", "--depth N"},
    {" -r --recursive ", "--depth N; it is always recursive, 3 links deep unless told otherwise"},
    {" --threads --concurrency --concurrent --parallel --jobs --max-threads -j -t -c ",
     "--connections N for transfers at once, --per-host N for those to one host"},
    {" --limit --max --max-requests --max-urls --num-pages -n ", "--max-pages N"},
    {" --user --password --http-user --http-password --auth ",
     "user and password_file in a section [host NAME] of crawler.conf"},
    {" --format --output-format --json --csv ", "--output FILE.jsonl or --output FILE.csv"},
    {" -w --wait-time --sleep --interval --download-delay --crawl-delay ", "--delay S for each host"},
    {" --rate --rps --qps ", "--delay S, from one request to a host to the next"},
    {" --random-wait --randomize-download-delay ", "--random-delay 50%"},
    {" --limit-rate --max-rate --bandwidth ", "--rate-limit BYTES"},
    {" -Q --quota ", "--max-bytes BYTES"},
    {" -m --mirror-site --convert-links -k -K -P --directory-prefix -O --path ", "--mirror DIR"},
    {" -p --page-requisites ", "--requisites"},
    {" -np --no-parent ", "--scope prefix"},
    {" -H --span-hosts ", "--scope any"},
    {" -D --domains --domain --allowed-domains ", "--scope domain and a seed of each domain"},
    {" -i --input-file --input --urls --url-file --list ", "--seeds FILE"},
    {" --url -u ", "a URL as it is: crawl https://example.com/"},
    {" -A --accept --accept-regex --allow --match ", "--include RE"},
    {" -R --reject --reject-regex --deny --ignore ", "--exclude RE"},
    {" -U --agent --ua -a ", "--user-agent TEXT"},
    {" --headers ", "--header 'NAME: VALUE'"},
    {" -e --ignore-robots --ignore-robots-txt --robots --robotstxt ", "--no-robots"},
    {" --no-check-certificate --no-verify --no-verify-ssl --skip-tls-verify ", "--insecure"},
    {" --load-cookies --cookie --cookie-file -b ", "--cookies-file FILE"},
    {" --save-cookies --cookie-jar ", "--cookies-save FILE"},
    {" --tries --retry --max-retries ", "--retries N"},
    {" -T --max-time-per-request --request-timeout --connect-timeout --read-timeout ", "--timeout S"},
    {" --duration --time-limit --max-duration ", "--max-time T"},
    {" --spider --check-links --broken ", "--report FILE.html --check-external"},
    {" --continue --resume --jobdir -N --timestamping ",
     "--state DIR, and --revisit=due to ask again for pages it knows"},
    {" --warc-file --warc-output ", "--warc PREFIX"},
    {" --silent ", "--quiet"},
};

const char *cw_program_foreign_option(const char *option)
{
    size_t size = strlen(option);
    for (size_t i = 0; size && i < sizeof meanings / sizeof *meanings; i++)
        for (const char *at = meanings[i].elsewhere; (at = strstr(at, option)); at++)
            if (at[-1] == ' ' && at[size] == ' ')
                return meanings[i].here;
    return NULL;
}
