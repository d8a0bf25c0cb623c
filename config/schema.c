/* The schema table. A new key needs a field in crawl_config and a row here; the parsers, --help and --print-config
 * follow from it. */
#include "config/schema.h"

#include "base/bytes.h"
#include "config/choices.h"

#include <crawl/links.h>

static const char *kind_word(int kind)
{
    return crawl_bloom_kind_name((crawl_bloom_kind)kind);
}

/* The field of a row. */
#define FIELD(field) .offset = offsetof(crawl_config, field), .size = sizeof((crawl_config *)0)->field
#define RANGE(low, high) .min = low, .max = high
#define OPTION(name, value) .option = name, .argument = value

static const cw_config_key keys[] = {
    {"crawl", "seeds", CW_PATH, FIELD(program.seeds), OPTION("seeds", "FILE"), .letter = 's',
     .help = "requests to start from, a URL or a JSON object per line, also by gzip or zstd; -: standard input; "
             "redis://HOST/DB?list=KEY: a list of a Redis server"},
    {"crawl", "wait", CW_BOOL, FIELD(program.wait), .fallback = "false", OPTION("wait", NULL),
     .help = "with seeds from a Redis list: wait for more when it is empty, until the crawl is stopped"},
    {"crawl", "depth", CW_UINT, FIELD(depth), .fallback = "3", RANGE("0", "1000000"), OPTION("depth", "N"),
     .letter = 'd', .help = "links to follow away from a seed; 0: only the seeds"},
    {"crawl", "order", CW_ENUM, FIELD(order), .fallback = "bfs", .choices = cw_config_orders, OPTION("order", "ORDER"),
     .help = "breadth first, depth first, or best first: seeds by their priority, links by what their URL is worth"},
    {"crawl", "scope", CW_ENUM, FIELD(scope), .fallback = "domain", .choices = cw_config_scopes,
     OPTION("scope", "SCOPE"), .help = "follow links within the host, domain or path (prefix) of a seed, or any"},
    {"crawl", "requisites", CW_BOOL, FIELD(requisites), .fallback = "false", OPTION("requisites", NULL),
     .help =
         "also fetch everything a page needs to be displayed: style sheets, scripts, images, fonts, frames, from any host; implied by mirror"},
    {"crawl", "check_external", CW_BOOL, FIELD(check_external), .fallback = "false", OPTION("check-external", NULL),
     .help = "check each link out of the scope once, by HEAD or else GET; such pages are not followed or counted"},
    {"crawl", "check_fragments", CW_BOOL, FIELD(check_fragments), .fallback = "false", OPTION("check-fragments", NULL),
     .help =
         "put the ids of HTML pages into their records, so that a report finds links to a #name that does not exist"},
    {"crawl", "soft_404", CW_BOOL, FIELD(soft_404), .fallback = "false", OPTION("soft-404", NULL),
     .help =
         "find missing pages that answer with status 200, by requesting up to three pages of each host that cannot exist; they count as errors, and as broken in a report"},
    {"crawl", "include", CW_RULE, OPTION("include", "RE"), .include = true,
     .help = "take URLs that match; repeatable; the last match of all includes and excludes decides"},
    {"crawl", "exclude", CW_RULE, OPTION("exclude", "RE"), .include = false,
     .help = "leave out URLs that match; repeatable; the last match of all includes and excludes decides"},
    {"crawl", "max_pages", CW_COUNT, FIELD(max_pages), .fallback = "0", RANGE("0", "1000000T"),
     OPTION("max-pages", "N"), .changeable = true, .help = "stop a run after this many requests; 0: no limit"},
    {"crawl", "max_time", CW_DURATION, FIELD(max_time_ms), .fallback = "0", RANGE("0", "36500d"),
     OPTION("max-time", "D"), .changeable = true, .help = "stop a run after this time; 0: no limit"},
    {"crawl", "max_bytes", CW_SIZE, FIELD(max_bytes), .fallback = "0", RANGE("0", "1000000TiB"),
     OPTION("max-bytes", "B"), .changeable = true, .help = "stop a run after fetching this much; 0: no limit"},
    {"crawl", "max_pages_per_host", CW_COUNT, FIELD(max_pages_per_host), .fallback = "0", RANGE("0", "1000000T"),
     OPTION("max-pages-per-host", "N"),
     .help = "most pages to request from one host; the rest of its queue is refused; 0: no limit"},
    {"crawl", "max_pages_per_domain", CW_COUNT, FIELD(max_pages_per_domain), .fallback = "0", RANGE("0", "1000000T"),
     .help = "most pages to request from one registrable domain, by the public suffix list; 0: no limit"},
    {"crawl", "max_url", CW_SIZE, FIELD(max_url), .fallback = "4KiB", RANGE("0", "64KiB"),
     .help = "leave out longer URLs; 0: no limit"},
    {"crawl", "max_path_depth", CW_UINT, FIELD(max_path_depth), .fallback = "50", RANGE("0", "1000"),
     .help = "leave out URLs with more segments in their path; 0: no limit"},
    {"crawl", "max_repeats", CW_UINT, FIELD(max_repeats), .fallback = "4", RANGE("0", "1000"),
     .help =
         "leave out URLs whose path repeats a segment, or a sequence of up to 16, more often in a row; 0: no limit"},
    {"crawl", "max_queries", CW_COUNT, FIELD(max_queries), .fallback = "0", RANGE("0", "1000G"),
     .help = "distinct queries of one path; links to further ones are left out; 0: no limit"},
    {"crawl", "max_sessions", CW_COUNT, FIELD(max_sessions), .fallback = "3", RANGE("0", "1000G"),
     .help =
         "URLs of one page that differ only by a session id (@sessions of drop_params); links to further ones are left out; 0: no limit"},
    {"crawl", "max_variants", CW_COUNT, FIELD(max_variants), .fallback = "1", RANGE("0", "1000G"),
     .help =
         "URLs of one page that differ only by a parameter that changed nothing on 16 other pages; links to further ones are left out; 0: no limit"},
    {"crawl", "max_queued", CW_COUNT, FIELD(max_queued), .fallback = "100M", RANGE("0", "1000000T"),
     .help = "requests queued at once, about 130 bytes each; further links are left out; 0: no limit"},
    {"crawl", "max_hosts", CW_COUNT, FIELD(max_hosts), .fallback = "10M", RANGE("0", "1000000T"),
     .help = "hosts known, about 300 bytes each; links to further ones are left out; 0: no limit"},
    {"crawl", "workers", CW_UINT, FIELD(workers), .fallback = "0", RANGE("0", "1024"), OPTION("workers", "N"),
     .help =
         "threads, each with its own event loop; 0: one for each processor; further ones rest while the processors are busy"},
    {"crawl", "sitemaps", CW_BOOL, FIELD(sitemaps), .fallback = "false", OPTION("sitemaps", NULL),
     .help = "take URLs from the sitemaps of the seeds' sites: those that robots.txt names, and /sitemap.xml"},
    {"crawl", "find_feeds", CW_BOOL, FIELD(find_feeds), .fallback = "false", OPTION("find-feeds", NULL),
     .help = "look for a feed of each seed's site in up to ten usual places, and take URLs from it"},
    {"crawl", "llms_txt", CW_BOOL, FIELD(llms_txt), .fallback = "false", OPTION("llms-txt", NULL),
     .help = "take the links in /llms.txt of the seeds' sites as seeds in scope"},

    {"seen", "kind", CW_ENUM, FIELD(seen.kind), .fallback = "scalable", .word = kind_word, OPTION("seen", "KIND"),
     .help = "how seen URLs are remembered"},
    {"seen", "capacity", CW_COUNT, FIELD(seen.capacity), .fallback = "1M", RANGE("1k", "1000G"),
     OPTION("capacity", "N"),
     .help = "URLs to make room for: of bloom in all, of rotating in one window, of the others to start with"},
    {"seen", "fpr", CW_DOUBLE, FIELD(seen.fpr), .fallback = "1e-4", RANGE("1e-9", "0.5"), OPTION("fpr", "P"),
     .help = "share of new URLs that are mistaken for seen and lost; exact and digest lose none"},
    {"seen", "growth", CW_DOUBLE, FIELD(seen.growth), .fallback = "2", RANGE("1", "16"),
     .help = "scalable, counting: how much larger each filter of the chain is than the one before"},
    {"seen", "tightening", CW_DOUBLE, FIELD(seen.tightening), .fallback = "0.85", RANGE("0.05", "0.95"),
     .help = "scalable, counting: false-positive rate of each filter of the chain, relative to the one before"},
    {"seen", "max_memory", CW_SIZE, FIELD(seen.max_bytes), .fallback = "0", RANGE("0", "1024TiB"),
     .help = "memory for the filter; at the limit a chain loses more URLs, and a table takes no more; 0: no limit"},
    {"seen", "window", CW_DURATION, FIELD(seen.window_ms), .fallback = "0", RANGE("0", "36500d"),
     .help = "rotating: forget URLs after this time, or after capacity others; 0: only after capacity others"},
    {"seen", "generations", CW_UINT, FIELD(seen.generations), .fallback = "4", RANGE("2", "16"),
     .help = "rotating: parts of the window; the oldest is forgotten at once"},
    {"seen", "canonical", CW_ENUM, FIELD(canonical), .fallback = "default", .choices = cw_config_profiles,
     .help = "canonical form by which URLs are known"},
    {"seen", "fingerprint", CW_ENUM, FIELD(fingerprint), .fallback = "default", .choices = cw_config_fingerprints,
     .help = "fingerprint by which requests are known; those of Scrapy imply canonical = w3lib"},
    {"seen", "drop_params", CW_STRING, FIELD(drop_params), OPTION("drop-params", "LIST"),
     .help =
         "query parameters that do not change the page: names, prefix*, @sessions, @tracking; URLs are fetched with them"},
    {"seen", "forget_after", CW_DURATION, FIELD(forget_after_ms), .fallback = "0", RANGE("0", "36500d"),
     .help =
         "counting, table, digest, exact: forget a URL this long after it was fetched, so that it is fetched again when another link to it is found; 0: never"},
    {"seen", "forget_failed_after", CW_DURATION, FIELD(forget_failed_after_ms), .fallback = "0", RANGE("0", "36500d"),
     .help = "the same for URLs that failed: no answer, or a status of 400 and up; 0: never"},

    {"revisit", "revisit", CW_BOOL, FIELD(revisit), .fallback = "false", OPTION("revisit", NULL), .third = "due",
     .help =
         "when everything is fetched, keep visiting pages, more often those that change more; --revisit=due: visit the pages that are due, and end"},
    {"revisit", "interval", CW_DURATION, FIELD(revisit_interval_ms), .fallback = "1d", RANGE("1ms", "36500d"),
     .help = "time until the second visit of a page, or a tenth of the page's age if that is longer"},
    {"revisit", "min_interval", CW_DURATION, FIELD(revisit_min_ms), .fallback = "10m", RANGE("1ms", "36500d"),
     .help = "shortest time between two visits of a page"},
    {"revisit", "max_interval", CW_DURATION, FIELD(revisit_max_ms), .fallback = "90d", RANGE("1ms", "36500d"),
     .help = "longest time between two visits of a page"},
    {"revisit", "gone", CW_UINT, FIELD(revisit_gone), .fallback = "3", RANGE("0", "255"),
     .help = "stop visiting a page that answered 404 or 410 this many times in a row; 0: never stop"},

    {"politeness", "delay", CW_DURATION, FIELD(delay_ms), .fallback = "250ms", RANGE("0ms", "1d"), OPTION("delay", "D"),
     .changeable = true, .help = "shortest pause between two requests to a host; 0: none, however slow the host"},
    {"politeness", "random_delay", CW_PERCENT, FIELD(random_delay), .fallback = "0%", RANGE("0%", "90%"),
     OPTION("random-delay", "P"),
     .help = "vary each pause by up to this much either way, but never below what robots.txt asks for"},
    {"politeness", "host_rate_limit", CW_RATE, FIELD(host_rate_limit), .fallback = "0", RANGE("0", "1000G"),
     .help = "bytes a second to receive from one host; 0: only fetch.rate_limit holds"},
    {"politeness", "per_host", CW_UINT, FIELD(per_host), .fallback = "2", RANGE("1", "1000"), OPTION("per-host", "N"),
     .help = "requests at once to one host"},
    {"politeness", "adaptive", CW_BOOL, FIELD(adaptive), .fallback = "true", OPTION("adaptive", NULL),
     .help = "adapt the pause to the host's answer time: ask a host less often if it is slow or answers 429 or 503"},
    {"politeness", "target", CW_DOUBLE, FIELD(target), .fallback = "1", RANGE("0.01", "1000"),
     .help =
         "adaptive: average number of requests in flight to a host; 1: it always has one; 0.2: it rests 4/5 of the time"},
    {"politeness", "max_delay", CW_DURATION, FIELD(max_delay_ms), .fallback = "30s", RANGE("0ms", "1d"),
     .help = "adaptive: longest pause"},
    {"politeness", "rate_headers", CW_BOOL, FIELD(rate_headers), .fallback = "true", OPTION("rate-headers", NULL),
     .help = "keep to the quotas that hosts state in RateLimit and X-RateLimit headers"},
    {"politeness", "per_ip", CW_BOOL, FIELD(per_ip), .fallback = "false", OPTION("per-ip", NULL),
     .help = "apply delay and per_host to all hosts at one address together"},
    {"politeness", "per_address", CW_UINT, FIELD(per_address), .fallback = "8", RANGE("0", "1000"),
     .help = "without per_ip: requests at once to one internet address, for all hosts there; 0: no limit"},
    {"politeness", "address_delay", CW_DOUBLE, FIELD(address_delay), .fallback = "0.125", RANGE("0", "1"),
     .help = "without per_ip: shortest pause between two of them, as a fraction of delay"},
    {"politeness", "per_address_private", CW_BOOL, FIELD(per_address_private), .fallback = "false",
     .help = "apply per_address and address_delay to loopback and private addresses too"},
    {"politeness", "backoff", CW_DURATION, FIELD(backoff_ms), .fallback = "1s", RANGE("0ms", "1d"),
     .help =
         "leave a host alone for this long after two failures in a row (no answer, a 5xx); doubled for each further one"},
    {"politeness", "max_backoff", CW_DURATION, FIELD(max_backoff_ms), .fallback = "2m", RANGE("0ms", "7d"),
     .help = "longest backoff"},
    {"politeness", "give_up", CW_UINT, FIELD(give_up), .fallback = "10", RANGE("0", "1000000"),
     .help = "give up a host, and refuse its queue, after this many failures in a row; 0: never"},
    {"politeness", "away", CW_DURATION, FIELD(away_ms), .fallback = "30m", RANGE("1ms", "36500d"),
     .help = "time after which one request probes a host that was given up"},
    {"politeness", "wall_backoff", CW_DURATION, FIELD(wall_backoff_ms), .fallback = "1m", RANGE("0ms", "1h"),
     .help = "leave a host alone for this long after two walls in a row; doubled for each further one; 0: never"},
    {"politeness", "robots", CW_BOOL, FIELD(robots), .fallback = "true", OPTION("robots", NULL),
     .help = "obey robots.txt"},
    {"politeness", "respect", CW_FLAGS, FIELD(respect), .fallback = "none", .choices = cw_config_uses,
     OPTION("respect", "USES"), .help = "keep only the record of pages whose site refuses one of these uses by AI"},
    {"politeness", "robots_agent", CW_TOKEN, FIELD(robots_agent_set),
     .help =
         "name to look for in robots.txt (product token, RFC 9309, 2.2.1), instead of that in user_agent: the one it begins with, or the one after \"compatible;\", or crawl"},
    {"politeness", "max_crawl_delay", CW_DURATION, FIELD(max_crawl_delay_ms), .fallback = "30s", RANGE("0ms", "1d"),
     .help = "longest Crawl-delay of robots.txt to obey; a longer one counts as this"},
    {"politeness", "retries", CW_UINT, FIELD(retries), .fallback = "2", RANGE("0", "100"), OPTION("retries", "N"),
     .help = "attempts after the first one failed"},
    {"politeness", "retry_delay", CW_DURATION, FIELD(retry_delay_ms), .fallback = "1s", RANGE("0ms", "1d"),
     .help = "pause before the first retry; doubled for each further one"},
    {"politeness", "max_retry_delay", CW_DURATION, FIELD(max_retry_delay_ms), .fallback = "5m", RANGE("0ms", "7d"),
     .help = "give up a request that would have to wait longer"},
    {"politeness", "max_redirects", CW_UINT, FIELD(max_redirects), .fallback = "10", RANGE("0", "100"),
     OPTION("max-redirects", "N"), .help = "redirects to follow in a row"},
    {"politeness", "internal_hosts", CW_STRING, FIELD(internal_hosts), OPTION("internal-hosts", "LIST"),
     .help =
         "hosts, or *.domain, that may have private addresses; any other name that leads to one is refused, even in a seed"},
    {"politeness", "private_ports", CW_STRING, FIELD(private_ports), OPTION("private-ports", "LIST"),
     .help = "ports to allow at private addresses besides those of seeds: numbers and ranges, as 8080 9000-9100"},
    {"politeness", "trust_seeds", CW_BOOL, FIELD(trust_seeds), .fallback = "true", OPTION("trust-seeds", NULL),
     .help = "let seeds open private addresses and ports that browsers block"},

    {"fetch", "connections", CW_UINT, FIELD(connections), .fallback = "64", RANGE("1", "65535"),
     OPTION("connections", "N"), .changeable = true,
     .help = "transfers at once; fewer, with a warning, if the process may not open so many files"},
    {"fetch", "idle_connections", CW_UINT, FIELD(idle_connections), .fallback = "0", RANGE("0", "65535"),
     .help =
         "connections to keep open until their host's next turn; 0: 1024, or as many as transfers at once if that is more; fewer if the process may not open so many files"},
    {"fetch", "user_agent", CW_STRING, FIELD(user_agent), .fallback = "crawl", .versioned = true,
     OPTION("user-agent", "S"),
     .help =
         "User-Agent header, as \"mybot/1.0 (+https://example.com/bot)\"; rules of robots.txt for mybot then apply"},
    {"fetch", "timeout", CW_DURATION, FIELD(timeout_ms), .fallback = "1m", RANGE("0ms", "1d"), OPTION("timeout", "D"),
     .help = "longest time of a whole transfer; 0: no limit"},
    {"fetch", "connect_timeout", CW_DURATION, FIELD(connect_timeout_ms), .fallback = "15s", RANGE("1ms", "1h"),
     .help = "longest time to connect"},
    {"fetch", "low_speed_time", CW_DURATION, FIELD(low_speed_ms), .fallback = "20s", RANGE("0ms", "1d"),
     .help = "end a transfer that is too slow for this long; 0: never"},
    {"fetch", "low_speed_bytes", CW_SIZE, FIELD(low_speed_bytes), .fallback = "100", RANGE("0", "1GiB"),
     .help = "bytes a second below which a transfer is too slow"},
    {"fetch", "rate_limit", CW_RATE, FIELD(rate_limit), .fallback = "0", RANGE("0", "1000G"),
     OPTION("rate-limit", "RATE"), .changeable = true,
     .help = "bytes a second that all transfers together may receive, as 500k or 2M; 0: no limit"},
    {"fetch", "max_header", CW_SIZE, FIELD(max_header_bytes), .fallback = "256KiB", RANGE("1KiB", "16MiB"),
     .help = "largest header of a response"},
    {"fetch", "max_body", CW_SIZE, FIELD(max_body_bytes), .fallback = "16MiB", RANGE("0", "1TiB"),
     .help = "largest decoded body of a response; 0: no limit"},
    {"fetch", "body_memory", CW_SIZE, FIELD(body_memory_bytes), .fallback = "256MiB", RANGE("0", "1TiB"),
     .help =
         "memory for all bodies in flight; beyond it the youngest wait, except pages up to 128 KiB; each worker may hold two more bodies of max_body; 0: no limit"},
    {"fetch", "http2", CW_BOOL, FIELD(http2), .fallback = "true",
     .help = "use HTTP/2 where a server offers it over TLS"},
    {"fetch", "cookies", CW_BOOL, FIELD(cookies), .fallback = "false", OPTION("cookies", NULL), .help = "keep cookies"},
    {"fetch", "insecure", CW_BOOL, FIELD(insecure), .fallback = "false", OPTION("insecure", NULL),
     .help = "do not verify certificates"},
    {"fetch", "allow_private", CW_BOOL, FIELD(allow_private), .fallback = "false", OPTION("allow-private", NULL),
     .help = "allow loopback and private addresses even if no seed names them; link-local ones only by their address"},
    {"fetch", "ca_file", CW_PATH, FIELD(ca_file), .help = "certificates to trust, PEM, instead of the system's"},
    {"fetch", "interface", CW_STRING, FIELD(interface_name), OPTION("interface", "NAME"),
     .help = "network interface or local address to send from"},
    {"fetch", "header", CW_COMMON, FIELD(headers), OPTION("header", "LINE"),
     .help =
         "a header for every request to every host; repeatable; the last of a name counts; without a value, that header is not sent"},
    {"fetch", "proxy", CW_PROXY, FIELD(proxy), OPTION("proxy", "URL"),
     .help =
         "proxy for all requests: http, https, socks5, or socks5h, which resolves names too; those of the environment are ignored"},
    {"fetch", "no_proxy", CW_STRING, FIELD(no_proxy),
     .help = "hosts to ask without the proxy, separated by commas: names, with those below them, and addresses"},
    {"fetch", "client_cert", CW_PATH, FIELD(client_cert),
     .help = "certificate to show to servers that ask for one, PEM"},
    {"fetch", "client_key", CW_PATH, FIELD(client_key), .help = "its private key, PEM, if it is in another file"},
    {"fetch", "cookies_file", CW_PATH, FIELD(cookies_file), OPTION("cookies-file", "FILE"),
     .help = "cookies to start with, in Netscape's format; turns cookies on"},
    {"fetch", "cookies_save", CW_PATH, FIELD(cookies_save), OPTION("cookies-save", "FILE"),
     .help =
         "write the cookies to this file at the end and, unless processes share the crawl, every half minute; turns cookies on"},
    {"fetch", "max_cookies", CW_SIZE, FIELD(max_cookies), .fallback = "256MiB", RANGE("64KiB", "1TiB"),
     .help = "memory for cookies that servers set, some 250 bytes each; beyond it the least recently used are dropped"},
    {"fetch", "hsts", CW_BOOL, FIELD(hsts), .fallback = "false", OPTION("hsts", NULL),
     .help = "use https for hosts that ask for it (Strict-Transport-Security)"},
    {"fetch", "withheld", CW_STRING, FIELD(withheld),
     .help = "secrets left out when this was printed; set them again before a crawl starts"},
    {"fetch", "resolver", CW_ENUM, FIELD(resolver), .fallback = "evdns", .choices = cw_config_resolvers,
     .help =
         "who resolves names: evdns asks the name servers itself; system asks the C library, with a thread for each lookup"},
    {"fetch", "dns_servers", CW_STRING, FIELD(dns_servers),
     .help = "evdns: name servers, ADDRESS or ADDRESS:PORT separated by commas, instead of those of /etc/resolv.conf"},
    {"fetch", "dns_timeout", CW_DURATION, FIELD(dns_timeout_ms), .fallback = "10s", RANGE("10ms", "1h"),
     .help = "evdns: longest time to look up a name; it does not count towards the timeouts of the transfer"},

    {"identity", "key_file", CW_PATH, FIELD(identity_key_file),
     .help = "Ed25519 private key that signs requests: PEM or JWK, readable only by its owner"},
    {"identity", "agent", CW_STRING, FIELD(identity_agent),
     .help = "https URL of the public key, sent as Signature-Agent"},
    {"identity", "sign", CW_ENUM, FIELD(identity_sign), .fallback = "never", .choices = cw_config_signs,
     .help = "sign requests (Web Bot Auth); asked: only when an answer asks for it, by Accept-Signature"},
    {"identity", "form", CW_ENUM, FIELD(identity_form), .fallback = "dictionary", .choices = cw_config_sign_forms,
     .help = "form of Signature-Agent: dictionary, as in the draft, or string, which some servers still expect"},
    {"identity", "components", CW_ENUM, FIELD(identity_components), .fallback = "full",
     .choices = cw_config_sign_components,
     .help =
         "full: sign host, method, path and query; minimal: only the host, for sites behind a proxy that rewrites paths"},
    {"identity", "http", CW_BOOL, FIELD(identity_http), .fallback = "false",
     .help = "also sign plain http requests, whose signature anybody on the way can read and reuse"},

    {"parse", "html", CW_ENUM, FIELD(html), .fallback = "scan", .choices = cw_config_extractors,
     .help = "how to find links in HTML pages: scan, or libxml2, which finds the same and is slower"},
    {"parse", "follow", CW_FLAGS, FIELD(follow), .fallback = "a area link frame iframe refresh",
     .choices = cw_config_elements, OPTION("links-from", "WORDS"),
     .help =
         "which links to follow: elements (those that lead to pages), or some by name; scripts: script-data (URLs in JSON and under names like href), script-text (strings that look like a URL), data-href (attributes for scripts) and script (files of scripts)"},
    {"parse", "lazy", CW_NAMES, FIELD(lazy), .fallback = CRAWL_PAGE_LAZY,
     .help = "requisites: attributes from which scripts load images, at most 32"},
    {"parse", "obey_nofollow", CW_BOOL, FIELD(obey_nofollow), .fallback = "true", OPTION("obey-nofollow", NULL),
     .help = "obey nofollow of rel, meta robots and X-Robots-Tag"},
    {"parse", "pdf", CW_BOOL, FIELD(pdf), .fallback = "false", OPTION("pdf", NULL),
     .help = "also read title, text and links of PDFs, each by a crawl-pdf process without network and files"},
    {"parse", "preprocess", CW_COMMAND, FIELD(preprocess), OPTION("preprocess", "TYPE=COMMAND"),
     .help =
         "pipe bodies of this media type through COMMAND, and read the HTML or text that it prints instead; no shell; repeatable"},

    {"render", "render", CW_ENUM, FIELD(render), .fallback = "never", .choices = cw_config_renders,
     OPTION("render", "WHEN"),
     .help =
         "run the scripts of pages in a headless Chromium, whose requests are the crawl's; auto: only of pages that say little without them"},
    {"render", "pages", CW_PATTERN, FIELD(render_pages), OPTION("render-pages", "RE"),
     .help = "render only pages whose URL matches; repeatable; one match is enough"},
    {"render", "click", CW_SELECTOR, FIELD(render_click), OPTION("render-click", "SELECTOR"),
     .help = "click elements of rendered pages, at most 20 times, such as \"load more\"; a CSS selector; repeatable"},
    {"render", "browser", CW_PATH, FIELD(render_browser), .help = "the browser, instead of chromium-headless-shell"},
    {"render", "images", CW_BOOL, FIELD(render_images), .fallback = "false",
     .help = "also fetch pictures, fonts and media of rendered pages; implied by screenshots"},
    {"render", "post", CW_BOOL, FIELD(render_post), .fallback = "false",
     .help = "send POST and other requests of scripts that may change something"},
    {"render", "open", CW_UINT, FIELD(render_open), .fallback = "4", RANGE("1", "64"),
     .help = "pages in the browser at once, some 20 MiB each"},
    {"render", "cache", CW_SIZE, FIELD(render_cache_bytes), .fallback = "64MiB", RANGE("0", "1TiB"),
     .help = "memory for scripts, style sheets and other parts that several pages share"},

    {"dedupe", "kind", CW_ENUM, FIELD(dedupe), .fallback = "off", .choices = cw_config_dedupes,
     OPTION("dedupe", "KIND"), .help = "mark pages that equal an earlier one: exact compares bodies, near also texts"},
    {"dedupe", "distance", CW_UINT, FIELD(dedupe_distance), .fallback = "3", RANGE("0", "7"),
     .help = "near: bits of 64 in which the SimHashes of two pages may differ"},
    {"dedupe", "max_pages", CW_COUNT, FIELD(dedupe_max_pages), .fallback = "1M", RANGE("1", "1G"),
     .help = "pages to remember, about 170 bytes each, near 300; further ones are compared but not remembered"},
    {"dedupe", "follow_duplicates", CW_BOOL, FIELD(follow_duplicates), .fallback = "true",
     OPTION("follow-duplicates", NULL), .help = "follow the links of pages that equal an earlier one"},

    {"output", "output", CW_PATH, FIELD(output), OPTION("output", "FILE"), .letter = 'o',
     .help =
         "write a record of each request: JSON Lines, or CSV if FILE ends in .csv; -: standard output; redis://HOST/DB?list=KEY or ?stream=KEY: a Redis server; exec:COMMAND: a process that acknowledges them; a FILE that ends in .sqlite, .sqlite3 or .db is a database for crawl query and crawl report, for links and requests too"},
    {"output", "keep", CW_PATTERN, FIELD(keep), OPTION("keep", "RE"),
     .help = "record, keep and archive only URLs that match; repeatable; one match is enough"},
    {"output", "keep_type", CW_MEDIA_TYPE, FIELD(keep_types), OPTION("keep-type", "TYPE"),
     .help = "likewise only this media type, application/pdf or image/*; repeatable; with keep, both must match"},
    {"output", "digest", CW_ENUM, FIELD(digest), .fallback = "sha1", .choices = cw_config_digests,
     OPTION("digest", "KIND"),
     .help = "digest of bodies in records; none saves its time, unless --bodies or --dedupe needs it"},
    {"output", "text", CW_ENUM, FIELD(text), .fallback = "none", .choices = cw_config_texts, OPTION("text", "FORM"),
     .help =
         "add the text of pages to their records and, with warc, to WET files: plain or markdown without navigation and the like; all and all-markdown with it"},
    {"output", "data", CW_BOOL, FIELD(data), .fallback = "false", OPTION("data", NULL),
     .help =
         "add to records what pages say about themselves: JSON-LD, microdata, RDFa Lite, OpenGraph, language, description, canonical link, translations, headings, images without alt"},
    {"output", "answer_headers", CW_HEADERS, FIELD(answer_headers), OPTION("answer-headers", "LIST"),
     .help = "add these response headers to records: names separated by commas or spaces, as server,x-cache"},
    {"output", "columns", CW_STRING, FIELD(columns), OPTION("columns", "LIST"),
     .help = "columns of records in CSV: fields of records in any order, as url,status,title,data"},
    {"output", "requests", CW_PATH, FIELD(requests), OPTION("requests", "FILE"),
     .help = "write a line for each request sent, including robots.txt and retries: JSON Lines, for `crawl audit`"},
    {"output", "links", CW_PATH, FIELD(links), OPTION("links", "FILE"),
     .help =
         "write a line for each link, where it leads and what became of it: JSON Lines, or CSV; -: standard output"},
    {"output", "fields", CW_PATH, FIELD(fields), OPTION("fields", "FILE"),
     .help = "write values of pages by the rules of [extract NAME]: a table if FILE ends in .csv, else JSON Lines"},
    {"output", "bodies", CW_PATH, FIELD(bodies), OPTION("bodies", "DIR"),
     .help = "keep the decoded bodies of 2xx answers in this folder, each once, named by its SHA-1: DIR/ab/cdef..."},
    {"output", "mirror", CW_PATH, FIELD(mirror), OPTION("mirror", "DIR"),
     .help = "make an offline copy to open in a browser; DIR is new, empty, or of an earlier run"},
    {"output", "screenshots", CW_PATH, FIELD(screenshots), OPTION("screenshots", "DIR"),
     .help = "keep a picture of each rendered page in this folder, PNG, as its record names it"},
    {"output", "warc", CW_PATH, FIELD(warc), OPTION("warc", "PREFIX"),
     .help =
         "write WARC/1.1 files of all requests and responses, named PREFIX-TIME-NUMBER.warc.gz, and an index of each"},
    {"output", "warc_size", CW_SIZE, FIELD(warc_size), .fallback = "1GiB", RANGE("1MiB", "1TiB"),
     .help = "begin the next WARC file at this size"},
    {"output", "wacz", CW_PATH, FIELD(program.wacz), OPTION("wacz", "FILE"),
     .help = "pack all WARC files of PREFIX into one file at the end of the crawl, as `crawl warc --wacz` does"},
    {"output", "dedupe_against", CW_PATH, FIELD(dedupe_against), OPTION("dedupe-against", "FILE"),
     .help = "do not archive again what this index of another archive has; CDXJ, also gzipped"},
    {"output", "sitemap", CW_PATH, FIELD(program.sitemap), OPTION("write-sitemap", "DIR"),
     .help =
         "write sitemaps of the pages fetched successfully, for search engines: DIR/sitemap.xml, or an index of several"},
    {"output", "sitemap_gzip", CW_BOOL, FIELD(program.sitemap_gzip), .fallback = "false", OPTION("sitemap-gzip", NULL),
     .help = "compress these sitemaps: sitemap.xml.gz"},
    {"output", "report", CW_PATH, FIELD(program.report), OPTION("report", "FILE"),
     .help =
         "at the end, write a page that shows what is broken, slow or missing on the site, as `crawl report --html` does; with --audit it covers everything"},
    {"output", "audit", CW_BOOL, FIELD(program.audit), .fallback = "false", OPTION("audit", NULL),
     .help =
         "enable everything a report covers: sitemaps, requisites, check_external, check_fragments, soft_404, data, text = plain, dedupe = near and answer_headers for security, unless the file or an option sets them otherwise"},
    {"output", "existing", CW_ENUM, FIELD(existing), .fallback = "refuse", .choices = cw_config_existings,
     .help =
         "if a file for output, links or requests exists: refuse to start, append, or overwrite; a resumed crawl appends to its own"},
    {"output", "verbosity", CW_ENUM, FIELD(program.verbosity), .fallback = "normal", .choices = cw_config_verbosities,
     .changeable = true, .help = "how much to print on standard error"},
    {"output", "progress", CW_ENUM, FIELD(program.progress), .fallback = "auto", .choices = cw_config_progresses,
     OPTION("progress", "FORM"),
     .help =
         "how to show progress: a line redrawn, some lines redrawn (full), lines with their time, those in JSON, or not; auto: full on a terminal, else lines"},
    {"output", "progress_interval", CW_DURATION, FIELD(program.progress_ms), .fallback = "1m", RANGE("250ms", "7d"),
     .changeable = true, .help = "time between two lines of progress = lines or json"},
    {"output", "log", CW_PATH, FIELD(program.log), OPTION("log", "FILE"),
     .help = "append messages to FILE as well; SIGHUP then reopens files instead of ending the crawl"},
    {"output", "log_level", CW_ENUM, FIELD(program.log_level), .fallback = "info", .choices = cw_config_log_levels,
     OPTION("log-level", "LEVEL"), .changeable = true, .help = "least severe messages to log; debug: every request"},
    {"output", "log_format", CW_ENUM, FIELD(program.log_format), .fallback = "text", .choices = cw_config_log_formats,
     OPTION("log-format", "FORM"),
     .help = "text, or a JSON object for each message; of the log, or else of standard error"},

    {"upload", "url", CW_STRING, FIELD(program.upload), OPTION("upload", "s3://BUCKET/PREFIX"),
     .help = "upload WARC files, WACZ and records to this bucket, as `crawl upload` does"},
    {"upload", "endpoint", CW_STRING, FIELD(program.upload_endpoint), OPTION("upload-endpoint", "URL"),
     .help = "the server of the bucket; default: AWS_ENDPOINT_URL of the environment, or Amazon's"},
    {"upload", "region", CW_STRING, FIELD(program.upload_region), OPTION("upload-region", "NAME"),
     .help = "its region; default: AWS_REGION of the environment, or us-east-1"},
    {"upload", "credentials_file", CW_PATH, FIELD(program.upload_credentials),
     .help = "file with the keys, like ~/.aws/credentials; default: AWS_ACCESS_KEY_ID and so on of the environment"},
    {"upload", "delete", CW_BOOL, FIELD(program.upload_delete), .fallback = "false",
     .help = "remove local WARC files and their indexes once they are uploaded"},

    {"webhook", "url", CW_TARGET, FIELD(program.webhooks), OPTION("webhook", "URL"),
     .help = "notify this URL of the end, of changed pages and of walls, by Standard Webhooks; repeatable, at most 8"},
    {"webhook", "secret_file", CW_PATH, FIELD(program.webhook_secret_file), OPTION("webhook-secret-file", "FILE"),
     .help = "file whose first line is the secret that signs them; default: CRAWL_WEBHOOK_SECRET of the environment"},

    {"state", "directory", CW_PATH, FIELD(state), OPTION("state", "DIR"),
     .help =
         "keep the crawl in DIR, made if missing, and resume it after any end, even a kill; redis://HOST/DB?name=NAME: share it with other processes"},
    {"state", "shared", CW_STRING, FIELD(shared),
     .help =
         "share the crawl with other processes through Redis, redis://HOST/DB?name=NAME; --state takes such a URL too"},
    {"state", "lease", CW_DURATION, FIELD(shared_lease_ms), .fallback = "30s", RANGE("100ms", "1h"),
     .help = "shared: how long a process that died keeps its hosts; the same for all processes"},
    {"state", "sync", CW_ENUM, FIELD(state_sync), .fallback = "interval", .choices = cw_config_syncs,
     .help =
         "when progress reaches the disk, which matters only for a power cut: within sync_interval, always at once, or when the system decides"},
    {"state", "sync_interval", CW_DURATION, FIELD(state_sync_ms), .fallback = "1s", RANGE("1ms", "1h"),
     .help = "sync = interval: a power cut loses at most this much progress"},
    {"state", "queue_memory", CW_SIZE, FIELD(state_queue_bytes), .fallback = "256MiB", RANGE("1MiB", "1TiB"),
     .help = "memory for requests about to be fetched; the others are only on disk"},
    {"state", "host_memory", CW_SIZE, FIELD(state_host_bytes), .fallback = "256MiB", RANGE("4KiB", "1TiB"),
     .help =
         "memory for the queue's hosts, some 400 bytes each; beyond it hosts without requests in flight are only on disk"},
    {"state", "cache_memory", CW_SIZE, FIELD(state_cache_bytes), .fallback = "64MiB", RANGE("1MiB", "1TiB"),
     .help = "memory for blocks of the database"},
    {"state", "site_memory", CW_SIZE, FIELD(state_site_bytes), .fallback = "64MiB", RANGE("64KiB", "1TiB"),
     .help = "memory for robots.txt verdicts; the others are only on disk"},

    {"redis", "password_file", CW_PATH, FIELD(redis_password_file),
     .help = "file whose first line is the password for Redis; default: CRAWL_REDIS_PASSWORD of the environment"},
    {"redis", "ca_file", CW_PATH, FIELD(redis_ca_file),
     .help = "rediss: certificates to trust, PEM, instead of the system's"},
    {"redis", "wait_replicas", CW_UINT, FIELD(redis_replicas), .fallback = "0", RANGE("0", "100"),
     .help = "shared: replicas that must have a page's links before it is done; the same for all processes"},
    {"redis", "layout", CW_ENUM, FIELD(redis_layout), .fallback = "crawl", .choices = cw_config_redis_layouts,
     .help =
         "where a shared crawl keeps its seen-set; scrapy-redis: in NAME:dupefilter, shared with spiders there; needs kind = exact and a fingerprint of Scrapy's"},

    {"live", "listen", CW_LISTEN, FIELD(program.listen), OPTION("listen", "ADDR:PORT"),
     .help =
         "show the running crawl at http://ADDR:PORT/, with /stats.json and /metrics; a port alone is on 127.0.0.1; 0: any free one"},
    {"live", "token_file", CW_PATH, FIELD(program.live_token_file),
     .help =
         "file whose first line is the token for controlling the crawl; default: CRAWL_LIVE_TOKEN of the environment, or a token that is made and printed"},

    {"serve", "urlfrontier", CW_LISTEN, FIELD(program.serve.urlfrontier),
     .help =
         "where `crawl serve` listens, like its --urlfrontier; an address that other machines can reach needs TLS and a token"},
    {"serve", "state", CW_PATH, FIELD(program.serve.state), .help = "folder for crawls; made if missing"},
    {"serve", "sync", CW_ENUM, FIELD(program.serve.sync), .fallback = "interval", .choices = cw_config_serve_syncs,
     .help =
         "when acknowledged data reaches the disk, which matters only for a power cut: within a second, or always before the answer"},
    {"serve", "tls_cert", CW_PATH, FIELD(program.serve.tls_cert),
     .help = "certificate for TLS, PEM, followed by its chain"},
    {"serve", "tls_key", CW_PATH, FIELD(program.serve.tls_key), .help = "its private key, PEM, without a passphrase"},
    {"serve", "token_file", CW_PATH, FIELD(program.serve.token_file),
     .help =
         "file whose first line is the token that each call must show; default: CRAWL_SERVE_TOKEN of the environment"},
};

_Static_assert(sizeof keys / sizeof *keys + CW_CONFIG_SCHEMA_HOST_MAX <= CW_CONFIG_SCHEMA_MAX,
               "raise CW_CONFIG_SCHEMA_MAX");

const cw_config_key *cw_config_schema(size_t *count)
{
    *count = sizeof keys / sizeof *keys;
    return keys;
}

const cw_config_key *cw_config_schema_find(crawl_slice section, crawl_slice name)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (cw_is(section, keys[i].section) && cw_is(name, keys[i].name))
            return &keys[i];
    size_t count;
    const cw_config_key *host_keys = cw_config_schema_host(&count);
    for (size_t i = 0; i < count && cw_is(section, "host"); i++)
        if (cw_is(name, host_keys[i].name))
            return &host_keys[i];
    return NULL;
}

const cw_config_key *cw_config_schema_find_full(crawl_slice full)
{
    crawl_slice section = cw_cut(&full, '.');
    return full.size ? cw_config_schema_find(section, full) : NULL;
}

bool cw_config_schema_has_section(crawl_slice section)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (cw_is(section, keys[i].section))
            return true;
    return false;
}
