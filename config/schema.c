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

/* The field of a row, and the kind of text that it takes. */
#define FIELD(field) .offset = offsetof(crawl_config, field), .size = sizeof((crawl_config *)0)->field
#define RANGE(low, high) .min = low, .max = high
#define OPTION(name, value) .option = name, .argument = value

static const cw_config_key keys[] = {
    {"crawl", "seeds", CW_PATH, FIELD(seeds), OPTION("seeds", "FILE"), .letter = 's',
     .help =
         "requests to start from, a URL or a JSON object per line, also by gzip or zstd; -: standard input; "
         "redis://HOST/DB?list=KEY: a list of a Redis server"},
    {"crawl", "wait", CW_BOOL, FIELD(wait), .fallback = "false", OPTION("wait", NULL),
     .help = "seeds of a Redis list: wait for more when it is empty, until the crawl is stopped"},
    {"crawl", "depth", CW_UINT, FIELD(depth), .fallback = "3", RANGE("0", "1000000"), OPTION("depth", "N"),
     .letter = 'd', .help = "links followed away from a seed; 0: the seeds alone"},
    {"crawl", "order", CW_ENUM, FIELD(order), .fallback = "bfs", .choices = cw_config_orders, OPTION("order", "ORDER"),
     .help = "breadth first, depth first, or best first: seeds by their priority, links by what their URL is worth"},
    {"crawl", "scope", CW_ENUM, FIELD(scope), .fallback = "domain", .choices = cw_config_scopes,
     OPTION("scope", "SCOPE"), .help = "which links belong to the crawl, relative to the seeds"},
    {"crawl", "requisites", CW_BOOL, FIELD(requisites), .fallback = "false", OPTION("requisites", NULL),
     .help =
         "ask for all that a page needs to be shown too: style sheets, scripts, images, fonts, frames, from any host; "
         "always with mirror"},
    {"crawl", "check_external", CW_BOOL, FIELD(check_external), .fallback = "false", OPTION("check-external", NULL),
     .help =
         "ask links that lead out of the scope once, by HEAD or else by GET, whether something is there; nothing is "
         "followed there, and they do not count as pages"},
    {"crawl", "check_fragments", CW_BOOL, FIELD(check_fragments), .fallback = "false", OPTION("check-fragments", NULL),
     .help = "put the ids of HTML pages into their records, for a report to tell links to a #name that is not there"},
    {"crawl", "soft_404", CW_BOOL, FIELD(soft_404), .fallback = "false", OPTION("soft-404", NULL),
     .help = "tell pages that are not there, with status 200, by asking each host for up to three that cannot be; "
             "count them as errors, so that a report has them as broken"},
    {"crawl", "include", CW_RULE, OPTION("include", "RE"), .include = true,
     .help = "take URLs that match; repeatable, the last match of all rules decides"},
    {"crawl", "exclude", CW_RULE, OPTION("exclude", "RE"), .include = false,
     .help = "leave out URLs that match; repeatable, the last match of all rules decides"},
    {"crawl", "max_pages", CW_COUNT, FIELD(max_pages), .fallback = "0", RANGE("0", "1000000T"),
     OPTION("max-pages", "N"), .changeable = true, .help = "stop after so many requests of one run; 0: no limit"},
    {"crawl", "max_time", CW_DURATION, FIELD(max_time_ms), .fallback = "0", RANGE("0", "36500d"),
     OPTION("max-time", "D"), .changeable = true, .help = "stop a run after so long; 0: no limit"},
    {"crawl", "max_bytes", CW_SIZE, FIELD(max_bytes), .fallback = "0", RANGE("0", "1000000TiB"),
     OPTION("max-bytes", "B"), .changeable = true, .help = "stop after so much was fetched in one run; 0: no limit"},
    {"crawl", "max_pages_per_host", CW_COUNT, FIELD(max_pages_per_host), .fallback = "0", RANGE("0", "1000000T"),
     OPTION("max-pages-per-host", "N"),
     .help = "pages asked for of one host; what is queued beyond is refused; 0: no limit"},
    {"crawl", "max_pages_per_domain", CW_COUNT, FIELD(max_pages_per_domain), .fallback = "0", RANGE("0", "1000000T"),
     .help = "pages asked for of one registrable domain, by the public suffix list; 0: no limit"},
    {"crawl", "max_url", CW_SIZE, FIELD(max_url), .fallback = "4KiB", RANGE("0", "64KiB"),
     .help = "longer links are left out; 0: no limit"},
    {"crawl", "max_path_depth", CW_UINT, FIELD(max_path_depth), .fallback = "50", RANGE("0", "1000"),
     .help = "links with more segments in their path are left out; 0: no limit"},
    {"crawl", "max_repeats", CW_UINT, FIELD(max_repeats), .fallback = "4", RANGE("0", "1000"),
     .help =
         "links whose path has a segment, or a sequence of up to 16, more than so many times in a row are left out; 0: no limit"},
    {"crawl", "max_queries", CW_COUNT, FIELD(max_queries), .fallback = "0", RANGE("0", "1000G"),
     .help = "distinct queries of one path; links to further ones are left out; 0: no limit"},
    {"crawl", "max_sessions", CW_COUNT, FIELD(max_sessions), .fallback = "3", RANGE("0", "1000G"),
     .help = "URLs of one page that differ by a session id alone (@sessions of drop_params); links to further ones are "
             "left out; 0: no limit"},
    {"crawl", "max_queued", CW_COUNT, FIELD(max_queued), .fallback = "100M", RANGE("0", "1000000T"),
     .help = "requests queued at once, about 130 bytes each; new links beyond are left out; 0: no limit"},
    {"crawl", "max_hosts", CW_COUNT, FIELD(max_hosts), .fallback = "10M", RANGE("0", "1000000T"),
     .help = "hosts known, about 300 bytes each; links to further ones are left out; 0: no limit"},
    {"crawl", "workers", CW_UINT, FIELD(workers), .fallback = "0", RANGE("0", "1024"), OPTION("workers", "N"),
     .help = "threads, each with its own event loop; 0: as many as processors; more of them rest while these "
             "compute"},
    {"crawl", "sitemaps", CW_BOOL, FIELD(sitemaps), .fallback = "false", OPTION("sitemaps", NULL),
     .help = "take URLs from the sitemaps of the seeds' sites: those that robots.txt names, and /sitemap.xml"},
    {"crawl", "find_feeds", CW_BOOL, FIELD(find_feeds), .fallback = "false", OPTION("find-feeds", NULL),
     .help =
         "look for a feed of each seed's site at up to ten usual places, one after the other, and take URLs from it"},
    {"crawl", "llms_txt", CW_BOOL, FIELD(llms_txt), .fallback = "false", OPTION("llms-txt", NULL),
     .help = "take the links in the lists of /llms.txt of the seeds' sites as seeds in scope"},

    {"seen", "kind", CW_ENUM, FIELD(seen.kind), .fallback = "scalable", .word = kind_word, OPTION("seen", "KIND"),
     .help = "how URLs seen are remembered"},
    {"seen", "capacity", CW_COUNT, FIELD(seen.capacity), .fallback = "1M", RANGE("1k", "1000G"),
     OPTION("capacity", "N"),
     .help = "URLs there is room for: of bloom in all, of rotating in one window, of the others to start with"},
    {"seen", "fpr", CW_DOUBLE, FIELD(seen.fpr), .fallback = "1e-4", RANGE("1e-9", "0.5"), OPTION("fpr", "P"),
     .help = "rate of new URLs lost as falsely seen, of the whole; exact and digest lose none"},
    {"seen", "growth", CW_DOUBLE, FIELD(seen.growth), .fallback = "2", RANGE("1", "16"),
     .help = "scalable, counting: capacity of each filter of the chain over the one before"},
    {"seen", "tightening", CW_DOUBLE, FIELD(seen.tightening), .fallback = "0.85", RANGE("0.05", "0.95"),
     .help = "scalable, counting: false-positive rate of each filter of the chain over the one before"},
    {"seen", "max_memory", CW_SIZE, FIELD(seen.max_bytes), .fallback = "0", RANGE("0", "1024TiB"),
     .help = "memory for the filter; at the limit the rate of a chain rises, and a table takes no more; 0: no limit"},
    {"seen", "window", CW_DURATION, FIELD(seen.window_ms), .fallback = "0", RANGE("0", "36500d"),
     .help = "rotating: URLs are forgotten after so long, or after capacity others; 0: after capacity others alone"},
    {"seen", "generations", CW_UINT, FIELD(seen.generations), .fallback = "4", RANGE("2", "16"),
     .help = "rotating: parts of the window, of which the oldest is forgotten at once"},
    {"seen", "canonical", CW_ENUM, FIELD(canonical), .fallback = "default", .choices = cw_config_profiles,
     .help = "canonical form that URLs are known by"},
    {"seen", "fingerprint", CW_ENUM, FIELD(fingerprint), .fallback = "default", .choices = cw_config_fingerprints,
     .help = "fingerprint that requests are known by; those of Scrapy go with canonical = w3lib, and bring it along"},
    {"seen", "drop_params", CW_STRING, FIELD(drop_params), OPTION("drop-params", "LIST"),
     .help =
         "query parameters that make no other page: names, prefix*, @sessions, @tracking; fetched they are all the same"},

    {"seen", "forget_after", CW_DURATION, FIELD(forget_after_ms), .fallback = "0", RANGE("0", "36500d"),
     .help =
         "counting, table, digest, exact: a URL is forgotten so long after it was fetched, and fetched again when it is "
         "found again; 0: "
         "never"},
    {"seen", "forget_failed_after", CW_DURATION, FIELD(forget_failed_after_ms), .fallback = "0", RANGE("0", "36500d"),
     .help = "the same for one that failed: no answer, or a status of 400 and up; 0: never"},

    {"revisit", "revisit", CW_BOOL, FIELD(revisit), .fallback = "false", OPTION("revisit", NULL), .third = "due",
     .help =
         "go on when all is fetched: visit each page again, the more often the more often it changes; --revisit=due: visit "
         "what is due, and end"},
    {"revisit", "interval", CW_DURATION, FIELD(revisit_interval_ms), .fallback = "1d", RANGE("1ms", "36500d"),
     .help = "till the second visit of a page, or a tenth of the page's age if that is longer"},
    {"revisit", "min_interval", CW_DURATION, FIELD(revisit_min_ms), .fallback = "10m", RANGE("1ms", "36500d"),
     .help = "shortest time between two visits of a page"},
    {"revisit", "max_interval", CW_DURATION, FIELD(revisit_max_ms), .fallback = "90d", RANGE("1ms", "36500d"),
     .help = "longest time between two visits of a page"},
    {"revisit", "gone", CW_UINT, FIELD(revisit_gone), .fallback = "3", RANGE("0", "255"),
     .help = "a page that was answered with 404 or 410 so often in a row is not visited again; 0: it is"},

    {"politeness", "delay", CW_DURATION, FIELD(delay_ms), .fallback = "250ms", RANGE("0ms", "1d"), OPTION("delay", "D"),
     .changeable = true,
     .help = "least pause between two requests to one host; 0: none, however long its answers take"},
    {"politeness", "random_delay", CW_PERCENT, FIELD(random_delay), .fallback = "0%", RANGE("0%", "90%"),
     OPTION("random-delay", "P"),
     .help = "draw each pause between so much shorter and so much longer, never below what robots.txt asks for"},
    {"politeness", "host_rate_limit", CW_RATE, FIELD(host_rate_limit), .fallback = "0", RANGE("0", "1000G"),
     .help = "bytes a second that transfers from one host may receive together; 0: no limit but fetch.rate_limit"},
    {"politeness", "per_host", CW_UINT, FIELD(per_host), .fallback = "2", RANGE("1", "1000"), OPTION("per-host", "N"),
     .help = "requests at once to one host"},
    {"politeness", "adaptive", CW_BOOL, FIELD(adaptive), .fallback = "true", OPTION("adaptive", NULL),
     .help =
         "let the pause follow the host's answer time: a host that is slow or answers 429 or 503 is asked less often"},
    {"politeness", "target", CW_DOUBLE, FIELD(target), .fallback = "1", RANGE("0.01", "1000"),
     .help =
         "adaptive: requests to a host that are under way on average; 1: as often as it answers; 0.2: it rests 4/5 of the time"},
    {"politeness", "max_delay", CW_DURATION, FIELD(max_delay_ms), .fallback = "30s", RANGE("0ms", "1d"),
     .help = "adaptive: the longest pause"},
    {"politeness", "rate_headers", CW_BOOL, FIELD(rate_headers), .fallback = "true", OPTION("rate-headers", NULL),
     .help = "keep to the quotas that hosts state in RateLimit and X-RateLimit headers"},
    {"politeness", "per_ip", CW_BOOL, FIELD(per_ip), .fallback = "false", OPTION("per-ip", NULL),
     .help = "delay and per_host hold for all hosts at one address together"},
    {"politeness", "per_address", CW_UINT, FIELD(per_address), .fallback = "8", RANGE("0", "1000"),
     .help = "without per_ip: requests at once to one address of the internet, of all hosts there; 0: any number"},
    {"politeness", "address_delay", CW_DOUBLE, FIELD(address_delay), .fallback = "0.125", RANGE("0", "1"),
     .help = "likewise the least pause between two of them, as a part of delay"},
    {"politeness", "per_address_private", CW_BOOL, FIELD(per_address_private), .fallback = "false",
     .help = "per_address and address_delay hold at loopback and private addresses too"},
    {"politeness", "backoff", CW_DURATION, FIELD(backoff_ms), .fallback = "1s", RANGE("0ms", "1d"),
     .help = "a host is left alone for so long after two failures in a row (no answer, a 5xx), doubled for each more"},
    {"politeness", "max_backoff", CW_DURATION, FIELD(max_backoff_ms), .fallback = "2m", RANGE("0ms", "7d"),
     .help = "longest of these"},
    {"politeness", "give_up", CW_UINT, FIELD(give_up), .fallback = "10", RANGE("0", "1000000"),
     .help = "failures in a row after which a host is given up: what is queued for it is refused; 0: never"},
    {"politeness", "away", CW_DURATION, FIELD(away_ms), .fallback = "30m", RANGE("1ms", "36500d"),
     .help = "a host that was given up is tried again by one request after so long"},
    {"politeness", "wall_backoff", CW_DURATION, FIELD(wall_backoff_ms), .fallback = "1m", RANGE("0ms", "1h"),
     .help = "leave a host alone for so long after two walls in a row, doubled for each further one; 0: never"},
    {"politeness", "robots", CW_BOOL, FIELD(robots), .fallback = "true", OPTION("robots", NULL),
     .help = "obey robots.txt"},
    {"politeness", "respect", CW_FLAGS, FIELD(respect), .fallback = "none", .choices = cw_config_uses,
     OPTION("respect", "USES"),
     .help = "keep only the record of a page whose site refuses one of these uses by AI: train, input, search"},
    {"politeness", "robots_agent", CW_TOKEN, FIELD(robots_agent), .fallback = "crawl",
     .help = "product token looked for in robots.txt (RFC 9309, 2.2.1)"},
    {"politeness", "max_crawl_delay", CW_DURATION, FIELD(max_crawl_delay_ms), .fallback = "30s", RANGE("0ms", "1d"),
     .help = "a longer Crawl-delay of a robots.txt is taken as this"},
    {"politeness", "retries", CW_UINT, FIELD(retries), .fallback = "2", RANGE("0", "100"), OPTION("retries", "N"),
     .help = "attempts after the first"},
    {"politeness", "retry_delay", CW_DURATION, FIELD(retry_delay_ms), .fallback = "1s", RANGE("0ms", "1d"),
     .help = "pause before the first retry, doubled for each further one"},
    {"politeness", "max_retry_delay", CW_DURATION, FIELD(max_retry_delay_ms), .fallback = "5m", RANGE("0ms", "7d"),
     .help = "a request that would have to wait longer is given up"},
    {"politeness", "max_redirects", CW_UINT, FIELD(max_redirects), .fallback = "10", RANGE("0", "100"),
     OPTION("max-redirects", "N"), .help = "redirects followed in a row"},
    {"politeness", "internal_hosts", CW_STRING, FIELD(internal_hosts), OPTION("internal-hosts", "LIST"),
     .help =
         "names of hosts, or *.domain, that may stand for private addresses; for any other name these are refused, a seed's too"},
    {"politeness", "private_ports", CW_STRING, FIELD(private_ports), OPTION("private-ports", "LIST"),
     .help = "ports asked at private addresses besides those that seeds name: numbers and ranges, as 8080 9000-9100"},
    {"politeness", "trust_seeds", CW_BOOL, FIELD(trust_seeds), .fallback = "true", OPTION("trust-seeds", NULL),
     .help = "let seeds open private addresses and ports that browsers block"},

    {"fetch", "connections", CW_UINT, FIELD(connections), .fallback = "64", RANGE("1", "65535"),
     OPTION("connections", "N"), .changeable = true,
     .help = "transfers at once in all; fewer, and said, where the process may not open so many files"},
    {"fetch", "idle_connections", CW_UINT, FIELD(idle_connections), .fallback = "0", RANGE("0", "65535"),
     .help =
         "connections kept open besides until their host has its next turn; 0: 1024, or as many as transfers at once if that is more; fewer where the process may not open so many files"},
    {"fetch", "user_agent", CW_STRING, FIELD(user_agent), .fallback = "crawl", .versioned = true,
     OPTION("user-agent", "S"), .help = "User-Agent header; a crawler of good manners names a page about itself there"},
    {"fetch", "timeout", CW_DURATION, FIELD(timeout_ms), .fallback = "1m", RANGE("0ms", "1d"), OPTION("timeout", "D"),
     .help = "longest time of a whole transfer; 0: no limit"},
    {"fetch", "connect_timeout", CW_DURATION, FIELD(connect_timeout_ms), .fallback = "15s", RANGE("1ms", "1h"),
     .help = "longest time until a connection stands"},
    {"fetch", "low_speed_time", CW_DURATION, FIELD(low_speed_ms), .fallback = "20s", RANGE("0ms", "1d"),
     .help = "a transfer that is too slow for this long ends; 0: never"},
    {"fetch", "low_speed_bytes", CW_SIZE, FIELD(low_speed_bytes), .fallback = "100", RANGE("0", "1GiB"),
     .help = "bytes a second below which a transfer is too slow"},
    {"fetch", "rate_limit", CW_RATE, FIELD(rate_limit), .fallback = "0", RANGE("0", "1000G"),
     OPTION("rate-limit", "RATE"), .changeable = true,
     .help = "bytes a second that all transfers may receive together, as 500k or 2M; 0: no limit"},
    {"fetch", "max_header", CW_SIZE, FIELD(max_header_bytes), .fallback = "256KiB", RANGE("1KiB", "16MiB"),
     .help = "largest header of an answer"},
    {"fetch", "max_body", CW_SIZE, FIELD(max_body_bytes), .fallback = "16MiB", RANGE("0", "1TiB"),
     .help = "largest body of an answer, decoded; 0: no limit"},
    {"fetch", "body_memory", CW_SIZE, FIELD(body_memory_bytes), .fallback = "256MiB", RANGE("0", "1TiB"),
     .help =
         "memory of all bodies under way; beyond it those that began last wait, but for pages up to 128 KiB; two bodies of "
         "max_body for each worker come on top; 0: no limit"},
    {"fetch", "http2", CW_BOOL, FIELD(http2), .fallback = "true", .help = "HTTP/2 where a server offers it over TLS"},
    {"fetch", "cookies", CW_BOOL, FIELD(cookies), .fallback = "false", OPTION("cookies", NULL), .help = "keep cookies"},
    {"fetch", "insecure", CW_BOOL, FIELD(insecure), .fallback = "false", OPTION("insecure", NULL),
     .help = "do not verify certificates"},
    {"fetch", "allow_private", CW_BOOL, FIELD(allow_private), .fallback = "false", OPTION("allow-private", NULL),
     .help =
         "ask hosts at loopback and private addresses too, though no seed names them; at link-local ones by their address alone"},
    {"fetch", "ca_file", CW_PATH, FIELD(ca_file), .help = "certificates to trust, PEM, in place of the system's"},
    {"fetch", "interface", CW_STRING, FIELD(interface_name), OPTION("interface", "NAME"),
     .help = "network interface or local address to send from"},
    {"fetch", "header", CW_COMMON, FIELD(headers), OPTION("header", "LINE"),
     .help = "a header sent with every request to every host; repeatable, the last of a name holds"},
    {"fetch", "proxy", CW_PROXY, FIELD(proxy), OPTION("proxy", "URL"),
     .help =
         "proxy that all is asked through: http, https, socks5, or socks5h, which resolves names too; the environment's are "
         "ignored"},
    {"fetch", "no_proxy", CW_STRING, FIELD(no_proxy),
     .help = "hosts asked without the proxy, apart by commas: names, with those below them, and addresses"},
    {"fetch", "client_cert", CW_PATH, FIELD(client_cert), .help = "certificate shown to servers that ask for one, PEM"},
    {"fetch", "client_key", CW_PATH, FIELD(client_key), .help = "its private key, PEM, if it is in another file"},
    {"fetch", "cookies_file", CW_PATH, FIELD(cookies_file), OPTION("cookies-file", "FILE"),
     .help = "cookies to start with, in Netscape's format; turns cookies on"},
    {"fetch", "cookies_save", CW_PATH, FIELD(cookies_save), OPTION("cookies-save", "FILE"),
     .help = "write the cookies there, at the end and, unless processes share the crawl, every half minute; turns "
             "cookies on"},
    {"fetch", "max_cookies", CW_SIZE, FIELD(max_cookies), .fallback = "256MiB", RANGE("64KiB", "1TiB"),
     .help =
         "memory for cookies that servers set, some 250 bytes each; beyond it those go that were used least recently"},
    {"fetch", "hsts", CW_BOOL, FIELD(hsts), .fallback = "false", OPTION("hsts", NULL),
     .help = "ask hosts by https alone that want it so (Strict-Transport-Security)"},
    {"fetch", "withheld", CW_STRING, FIELD(withheld),
     .help = "secrets that were left out where this was printed, and must be set again before a crawl starts"},
    {"fetch", "resolver", CW_ENUM, FIELD(resolver), .fallback = "evdns", .choices = cw_config_resolvers,
     .help =
         "who resolves names: evdns asks the name servers itself; system asks the C library, with a thread for each lookup"},
    {"fetch", "dns_servers", CW_STRING, FIELD(dns_servers),
     .help = "evdns: name servers, ADDRESS or ADDRESS:PORT between commas, in place of those of /etc/resolv.conf"},
    {"fetch", "dns_timeout", CW_DURATION, FIELD(dns_timeout_ms), .fallback = "10s", RANGE("10ms", "1h"),
     .help = "evdns: longest time for a name, before the times of the transfer begin"},

    {"identity", "key_file", CW_PATH, FIELD(identity_key_file),
     .help = "Ed25519 private key that signs requests: PEM or JWK, readable by its owner alone"},
    {"identity", "agent", CW_STRING, FIELD(identity_agent),
     .help = "https URL of the public key, sent as Signature-Agent"},
    {"identity", "sign", CW_ENUM, FIELD(identity_sign), .fallback = "never", .choices = cw_config_signs,
     .help = "sign requests (Web Bot Auth); asked: only where an answer asks for it, with Accept-Signature"},
    {"identity", "form", CW_ENUM, FIELD(identity_form), .fallback = "dictionary", .choices = cw_config_sign_forms,
     .help = "form of Signature-Agent: dictionary, as in the draft, or string, which some servers still expect"},
    {"identity", "components", CW_ENUM, FIELD(identity_components), .fallback = "full",
     .choices = cw_config_sign_components,
     .help = "full: sign host, method, path and query; minimal: the host alone, where a proxy rewrites paths"},
    {"identity", "http", CW_BOOL, FIELD(identity_http), .fallback = "false",
     .help = "sign plain http requests too; anybody on the way can read and use their signature"},

    {"parse", "html", CW_ENUM, FIELD(html), .fallback = "scan", .choices = cw_config_extractors,
     .help = "how links of HTML pages are found: scan, or libxml2, which takes longer to find the same"},
    {"parse", "follow", CW_FLAGS, FIELD(follow), .fallback = "a area link frame iframe refresh",
     .choices = cw_config_elements, OPTION("links-from", "WORDS"),
     .help =
         "where links are followed from: elements, those of pages, or some by their names; scripts: script-data, URLs in "
         "JSON and under names like href, script-text, strings that look like one, data-href, attributes for "
         "scripts, and script, the files of scripts"},
    {"parse", "lazy", CW_NAMES, FIELD(lazy), .fallback = CRAWL_PAGE_LAZY,
     .help = "requisites: attributes that scripts load images from, 32 at most"},
    {"parse", "obey_nofollow", CW_BOOL, FIELD(obey_nofollow), .fallback = "true", OPTION("obey-nofollow", NULL),
     .help = "obey nofollow: of rel, of meta robots and of X-Robots-Tag"},
    {"parse", "pdf", CW_BOOL, FIELD(pdf), .fallback = "false", OPTION("pdf", NULL),
     .help = "read PDFs too: title, text and links, by crawl-pdf, a process behind a fence for each"},
    {"parse", "preprocess", CW_COMMAND, FIELD(preprocess), OPTION("preprocess", "TYPE=COMMAND"),
     .help = "have COMMAND make HTML, or text, of what is of this media type, on its standard input, and read that in "
             "its place; no shell; repeatable"},

    {"render", "render", CW_ENUM, FIELD(render), .fallback = "never", .choices = cw_config_renders,
     OPTION("render", "WHEN"),
     .help = "run the scripts of pages in a headless Chromium, whose requests are the crawl's; auto: where a page says "
             "little without them"},
    {"render", "pages", CW_PATTERN, FIELD(render_pages), OPTION("render-pages", "RE"),
     .help = "render what has a URL that matches, and nothing else; repeatable: one match is enough"},
    {"render", "browser", CW_PATH, FIELD(render_browser), .help = "the browser, in place of chromium-headless-shell"},
    {"render", "images", CW_BOOL, FIELD(render_images), .fallback = "false",
     .help = "fetch the pictures, fonts and media of pages that are rendered; always with screenshots"},
    {"render", "post", CW_BOOL, FIELD(render_post), .fallback = "false",
     .help = "send what scripts send by POST and other methods, which may change something"},
    {"render", "open", CW_UINT, FIELD(render_open), .fallback = "4", RANGE("1", "64"),
     .help = "pages in the browser at once, some 20 MiB each"},
    {"render", "cache", CW_SIZE, FIELD(render_cache_bytes), .fallback = "64MiB", RANGE("0", "1TiB"),
     .help = "memory for scripts, style sheets and other parts that several pages share"},

    {"dedupe", "kind", CW_ENUM, FIELD(dedupe), .fallback = "off", .choices = cw_config_dedupes,
     OPTION("dedupe", "KIND"),
     .help = "tell pages that are the same as one before: off, exact by body, or near by text too"},
    {"dedupe", "distance", CW_UINT, FIELD(dedupe_distance), .fallback = "3", RANGE("0", "7"),
     .help = "near: bits of 64 in which the SimHash of two pages may differ"},
    {"dedupe", "max_pages", CW_COUNT, FIELD(dedupe_max_pages), .fallback = "1M", RANGE("1", "1G"),
     .help = "pages remembered, about 170 bytes each, near 300; further ones are compared and not remembered"},
    {"dedupe", "follow_duplicates", CW_BOOL, FIELD(follow_duplicates), .fallback = "true",
     OPTION("follow-duplicates", NULL), .help = "follow the links of pages that are the same as one before"},

    {"output", "output", CW_PATH, FIELD(output), OPTION("output", "FILE"), .letter = 'o',
     .help =
         "records in JSON Lines, or in CSV where FILE ends in .csv; -: standard output; redis://HOST/DB?list=KEY or "
         "?stream=KEY: to a Redis server; exec:COMMAND: to a process that acknowledges them"},
    {"output", "keep", CW_PATTERN, FIELD(keep), OPTION("keep", "RE"),
     .help = "record, keep and archive what has a URL that matches, and nothing else; repeatable: one match is enough"},
    {"output", "keep_type", CW_MEDIA_TYPE, FIELD(keep_types), OPTION("keep-type", "TYPE"),
     .help = "likewise what is of this media type, application/pdf or image/*; repeatable; with keep, both must hold"},
    {"output", "digest", CW_ENUM, FIELD(digest), .fallback = "sha1", .choices = cw_config_digests,
     OPTION("digest", "KIND"),
     .help =
         "digest of bodies in records; none saves the time for it, and is not for --bodies and --dedupe, which have "
         "it all the same"},
    {"output", "text", CW_ENUM, FIELD(text), .fallback = "none", .choices = cw_config_texts, OPTION("text", "FORM"),
     .help =
         "what pages say, in their records and, with warc, in WET files: plain or markdown without navigation, footers and "
         "the like; all and all-markdown with them"},
    {"output", "data", CW_BOOL, FIELD(data), .fallback = "false", OPTION("data", NULL),
     .help =
         "what pages say of themselves, in their records: JSON-LD, microdata, RDFa Lite, OpenGraph, language, description, "
         "canonical link, translations, headings, images without alt"},
    {"output", "answer_headers", CW_HEADERS, FIELD(answer_headers), OPTION("answer-headers", "LIST"),
     .help = "headers of answers that their records have: names between commas or spaces, as server,x-cache"},
    {"output", "requests", CW_PATH, FIELD(requests), OPTION("requests", "FILE"),
     .help = "a line in JSON Lines for every request that left, robots.txt and retries too, as `crawl audit` reads it"},
    {"output", "links", CW_PATH, FIELD(links), OPTION("links", "FILE"),
     .help = "links in JSON Lines, or in CSV: where each leads and what became of it; -: standard output"},
    {"output", "fields", CW_PATH, FIELD(fields), OPTION("fields", "FILE"),
     .help = "values of pages by the rules of [extract NAME]: a table if FILE ends in .csv, else JSON Lines"},
    {"output", "bodies", CW_PATH, FIELD(bodies), OPTION("bodies", "DIR"),
     .help = "folder for the decoded bodies of 2xx answers, each once, named by its SHA-1: DIR/ab/cdef..."},
    {"output", "mirror", CW_PATH, FIELD(mirror), OPTION("mirror", "DIR"),
     .help =
         "offline copy: files of the pages and links between them, to be opened in a browser; a folder that is not there, "
         "empty, or of an earlier run"},
    {"output", "screenshots", CW_PATH, FIELD(screenshots), OPTION("screenshots", "DIR"),
     .help = "folder for a picture of each page that is rendered, PNG, as records name it"},
    {"output", "warc", CW_PATH, FIELD(warc), OPTION("warc", "PREFIX"),
     .help = "WARC/1.1 files of all requests and answers, named PREFIX-TIME-NUMBER.warc.gz, and an index of each"},
    {"output", "warc_size", CW_SIZE, FIELD(warc_size), .fallback = "1GiB", RANGE("1MiB", "1TiB"),
     .help = "a WARC file that has reached this size is finished, and the next one begun"},
    {"output", "sitemap", CW_PATH, FIELD(sitemap), OPTION("write-sitemap", "DIR"),
     .help = "sitemaps of the pages that came well, for search engines: DIR/sitemap.xml, or an index of several"},
    {"output", "sitemap_gzip", CW_BOOL, FIELD(sitemap_gzip), .fallback = "false", OPTION("sitemap-gzip", NULL),
     .help = "these compressed: sitemap.xml.gz"},
    {"output", "report", CW_PATH, FIELD(report), OPTION("report", "FILE"),
     .help = "a page about the site, made at the end of the crawl, as `crawl report --html` makes it of its records"},
    {"output", "existing", CW_ENUM, FIELD(existing), .fallback = "refuse", .choices = cw_config_existings,
     .help =
         "files for output, links and requests that are there: refuse to start, append, or overwrite; a crawl that goes on "
         "appends to its own"},
    {"output", "verbosity", CW_ENUM, FIELD(verbosity), .fallback = "normal", .choices = cw_config_verbosities,
     .changeable = true, .help = "how much is said on standard error"},
    {"output", "progress", CW_ENUM, FIELD(progress), .fallback = "auto", .choices = cw_config_progresses,
     OPTION("progress", "FORM"),
     .help =
         "what is said while it crawls: a line in place, some lines in place, lines with their time, those in JSON, or "
         "nothing; auto is full on a terminal, else lines"},
    {"output", "progress_interval", CW_DURATION, FIELD(progress_ms), .fallback = "1m", RANGE("250ms", "7d"),
     .changeable = true, .help = "between two of the lines with their time"},
    {"output", "log", CW_PATH, FIELD(log), OPTION("log", "FILE"),
     .help =
         "write the messages into FILE too, behind those that are there; SIGHUP then opens the files anew in place of "
         "ending the crawl"},
    {"output", "log_level", CW_ENUM, FIELD(log_level), .fallback = "info", .choices = cw_config_log_levels,
     OPTION("log-level", "LEVEL"), .changeable = true,
     .help = "what the log has, with what is above it; debug: every request"},
    {"output", "log_format", CW_ENUM, FIELD(log_format), .fallback = "text", .choices = cw_config_log_formats,
     OPTION("log-format", "FORM"),
     .help = "lines with their time, or a JSON object for each message; of the log, or else of standard error"},

    {"state", "directory", CW_PATH, FIELD(state), OPTION("state", "DIR"),
     .help = "keep the crawl in DIR, where it goes on after any end, also a kill; made if it is not there; "
             "redis://HOST/DB?name=NAME: share it with other processes"},
    {"state", "shared", CW_STRING, FIELD(shared),
     .help = "a crawl that processes share through Redis, redis://HOST/DB?name=NAME; --state takes such a URL as well"},
    {"state", "lease", CW_DURATION, FIELD(shared_lease_ms), .fallback = "30s", RANGE("100ms", "1h"),
     .help = "shared: how long the hosts of a process that has died stay with it; the same for all processes"},
    {"state", "sync", CW_ENUM, FIELD(state_sync), .fallback = "interval", .choices = cw_config_syncs,
     .help =
         "when it reaches the disk, which matters for a power cut alone: within sync_interval, always at once, or never by us"},
    {"state", "sync_interval", CW_DURATION, FIELD(state_sync_ms), .fallback = "1s", RANGE("1ms", "1h"),
     .help = "sync = interval: a power cut loses at most the progress of so long"},
    {"state", "queue_memory", CW_SIZE, FIELD(state_queue_bytes), .fallback = "256MiB", RANGE("1MiB", "1TiB"),
     .help = "memory for requests that are about to be fetched; the others are on disk alone"},
    {"state", "cache_memory", CW_SIZE, FIELD(state_cache_bytes), .fallback = "64MiB", RANGE("1MiB", "1TiB"),
     .help = "memory for blocks of the database"},
    {"state", "site_memory", CW_SIZE, FIELD(state_site_bytes), .fallback = "64MiB", RANGE("64KiB", "1TiB"),
     .help = "memory for robots.txt verdicts; the others are on disk alone"},

    {"redis", "password_file", CW_PATH, FIELD(redis_password_file),
     .help = "file whose first line is the password for Redis; else CRAWL_REDIS_PASSWORD in the environment is"},
    {"redis", "ca_file", CW_PATH, FIELD(redis_ca_file),
     .help = "rediss: certificates to trust, PEM, in place of the system's"},
    {"redis", "wait_replicas", CW_UINT, FIELD(redis_replicas), .fallback = "0", RANGE("0", "100"),
     .help = "shared: so many replicas must have the links of a page before it is done; the same for all processes"},
    {"redis", "layout", CW_ENUM, FIELD(redis_layout), .fallback = "crawl", .choices = cw_config_redis_layouts,
     .help =
         "where a shared crawl keeps what was seen; scrapy-redis: in NAME:dupefilter, together with the spiders there; "
         "needs kind = exact and a fingerprint of Scrapy's"},

    {"live", "listen", CW_LISTEN, FIELD(listen), OPTION("listen", "ADDR:PORT"),
     .help =
         "show the running crawl at http://ADDR:PORT/, with /stats.json and /metrics; a port alone is of 127.0.0.1; 0: a "
         "free one"},
    {"live", "token_file", CW_PATH, FIELD(live_token_file),
     .help =
         "file whose first line is the token by which the page controls the crawl; else CRAWL_LIVE_TOKEN in the environment "
         "is, else one is made and printed"},

    {"serve", "urlfrontier", CW_LISTEN, FIELD(serve_urlfrontier),
     .help = "where `crawl serve` listens, as by its --urlfrontier; beyond this machine it needs TLS and a token"},
    {"serve", "state", CW_PATH, FIELD(serve_state), .help = "folder in which it keeps crawls; made if it is not there"},
    {"serve", "sync", CW_ENUM, FIELD(serve_sync), .fallback = "interval", .choices = cw_config_serve_syncs,
     .help =
         "when what was acknowledged reaches the disk, which matters for a power cut alone: within a second, or always before"},
    {"serve", "tls_cert", CW_PATH, FIELD(serve_tls_cert),
     .help = "certificate for TLS, PEM, and behind it those that lead to its root"},
    {"serve", "tls_key", CW_PATH, FIELD(serve_tls_key), .help = "its private key, PEM, without a passphrase"},
    {"serve", "token_file", CW_PATH, FIELD(serve_token_file),
     .help =
         "file whose first line is the token that each call must show; else CRAWL_SERVE_TOKEN in the environment is"},
};

_Static_assert(sizeof keys / sizeof *keys + CW_CONFIG_SCHEMA_HOST_MAX <= CW_CONFIG_SCHEMA_MAX,
               "raise CW_CONFIG_SCHEMA_MAX");

static const cw_config_flag flags[] = {
    {"quiet", 'q', "output", "verbosity", "quiet", "say nothing but errors"},
    {"verbose", 'v', "output", "verbosity", "verbose", "say more"},
    {"append", 0, "output", "existing", "append", "add to files of records, links and requests that are there"},
    {"overwrite", 0, "output", "existing", "overwrite", "replace files of records, links and requests that are there"},
};

const cw_config_key *cw_config_schema(size_t *count)
{
    *count = sizeof keys / sizeof *keys;
    return keys;
}

const cw_config_flag *cw_config_schema_flags(size_t *count)
{
    *count = sizeof flags / sizeof *flags;
    return flags;
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
