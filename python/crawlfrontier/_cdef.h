/* Made by python/make-cdef from include/crawl; tests compare the two. */

#define CRAWL_VERSION_MAJOR 0
#define CRAWL_VERSION_MINOR 1
#define CRAWL_VERSION_PATCH 0

typedef enum crawl_err {
    CRAWL_OK = 0,

    CRAWL_EXISTS,
    CRAWL_ABSENT,
    CRAWL_AGAIN,
    CRAWL_DRAINED,
    CRAWL_FULL,
    CRAWL_REFUSED,

    CRAWL_EINVAL,
    CRAWL_ENOMEM,
    CRAWL_EPARSE,
    CRAWL_EIO,
    CRAWL_ENET,
    CRAWL_ECORRUPT,
    CRAWL_ESTATE,
    CRAWL_ERR_COUNT
} crawl_err;

const char *crawl_strerror(crawl_err err);

const char *crawl_version(void);

typedef struct crawl_error {
    crawl_err code;
    unsigned line;
    unsigned column;
    char message[512];
} crawl_error;

typedef struct crawl_slice {
    const char *data;
    size_t size;
} crawl_slice;

typedef struct crawl_buf {
    char *data;
    size_t size;
    size_t capacity;
} crawl_buf;

void crawl_buf_free(crawl_buf *buf);

crawl_err crawl_buf_reserve(crawl_buf *buf, size_t more);
crawl_err crawl_buf_append(crawl_buf *buf, const void *data, size_t size);
crawl_err crawl_buf_append_char(crawl_buf *buf, char c);
crawl_err crawl_buf_append_text(crawl_buf *buf, const char *text);

#define CRAWL_URL_MAX_INPUT 65536

const char *crawl_unicode_version(void);

typedef struct crawl_url crawl_url;

crawl_url *crawl_url_create(void);
void crawl_url_free(crawl_url *url);

crawl_err crawl_url_parse(crawl_url *url, crawl_slice input, const crawl_url *base, const char *charset);

crawl_err crawl_url_copy(crawl_url *to, const crawl_url *from);

crawl_slice crawl_url_href(const crawl_url *url);
crawl_slice crawl_url_request(const crawl_url *url);
crawl_slice crawl_url_scheme(const crawl_url *url);
crawl_slice crawl_url_username(const crawl_url *url);
crawl_slice crawl_url_password(const crawl_url *url);
crawl_slice crawl_url_hostname(const crawl_url *url);
crawl_slice crawl_url_port(const crawl_url *url);
crawl_slice crawl_url_path(const crawl_url *url);
crawl_slice crawl_url_query(const crawl_url *url);
crawl_slice crawl_url_fragment(const crawl_url *url);
bool crawl_url_has_query(const crawl_url *url);
bool crawl_url_has_fragment(const crawl_url *url);

bool crawl_url_is_http(const crawl_url *url);

unsigned crawl_url_effective_port(const crawl_url *url);

crawl_err crawl_url_origin(const crawl_url *url, crawl_buf *out);

crawl_err crawl_href_origin(crawl_slice href, crawl_buf *scratch, crawl_slice *out);

crawl_err crawl_url_canonical(const crawl_url *url, crawl_buf *out);

typedef enum crawl_profile {
    CRAWL_PROFILE_DEFAULT,
    CRAWL_PROFILE_W3LIB,
    CRAWL_PROFILE_SURT
} crawl_profile;

typedef struct crawl_drop_params crawl_drop_params;

crawl_err crawl_drop_params_create(crawl_slice list, crawl_drop_params **out, crawl_error *error);
void crawl_drop_params_free(crawl_drop_params *params);

typedef struct crawl_canonical_options {
    crawl_profile profile;
    const crawl_drop_params *drop;
    const char *charset;
    bool keep_fragment;
    bool drop_blank;
} crawl_canonical_options;

crawl_err crawl_url_canonical_by(const crawl_url *url, const crawl_canonical_options *options,
                                           crawl_buf *out);

crawl_err crawl_text_canonical(crawl_slice text, const crawl_canonical_options *options, crawl_buf *out);

typedef crawl_err (*crawl_canonical_step)(void *user, const char *what, crawl_slice text);
crawl_err crawl_canonical_steps(crawl_slice input, const crawl_url *base,
                                          const crawl_canonical_options *options, crawl_canonical_step step,
                                          void *user);

#define CRAWL_BLOOM_KINDS 7
#define CRAWL_BLOOM_LABEL_MAX 63

typedef enum crawl_bloom_kind {
    CRAWL_BLOOM_SCALABLE,
    CRAWL_BLOOM_COUNTING,
    CRAWL_BLOOM_EXACT,
    CRAWL_BLOOM_CLASSIC,
    CRAWL_BLOOM_TABLE,
    CRAWL_BLOOM_ROTATING,
    CRAWL_BLOOM_DIGEST
} crawl_bloom_kind;

typedef struct crawl_bloom crawl_bloom;

typedef struct crawl_bloom_options {
    crawl_bloom_kind kind;
    uint64_t capacity;
    double fpr;
    double growth;
    double tightening;
    uint64_t max_bytes;
    uint64_t seed;
    uint64_t bits;
    uint32_t hashes;
    uint32_t generations;
    uint64_t window_ms;
    uint32_t shards;
} crawl_bloom_options;

void crawl_bloom_options_init(crawl_bloom_options *options);

const char *crawl_bloom_kind_name(crawl_bloom_kind kind);

crawl_err crawl_bloom_kind_named(const char *name, crawl_bloom_kind *out);

bool crawl_bloom_kind_forgets(crawl_bloom_kind kind);

crawl_err crawl_bloom_create(const crawl_bloom_options *options, crawl_bloom **out, crawl_error *error);
void crawl_bloom_free(crawl_bloom *bloom);

crawl_err crawl_bloom_add(crawl_bloom *bloom, const void *key, size_t size, uint32_t *where);

crawl_err crawl_bloom_add_many(crawl_bloom *bloom, const void *keys, size_t key_size, size_t count,
                                         uint8_t *fresh, uint32_t *where);

crawl_err crawl_bloom_add_slices(crawl_bloom *bloom, const crawl_slice *keys, size_t count, uint8_t *fresh,
                                           uint32_t *where);

crawl_err crawl_bloom_test(const crawl_bloom *bloom, const void *key, size_t size);
void crawl_bloom_test_many(const crawl_bloom *bloom, const void *keys, size_t key_size, size_t count,
                                     uint8_t *present);
void crawl_bloom_test_slices(const crawl_bloom *bloom, const crawl_slice *keys, size_t count,
                                       uint8_t *present);

typedef struct crawl_bloom_found {
    uint32_t filter;
    uint32_t filters;
    double fpr;
} crawl_bloom_found;

crawl_err crawl_bloom_find(const crawl_bloom *bloom, const void *key, size_t size, crawl_bloom_found *out);

crawl_err crawl_bloom_forget(crawl_bloom *bloom, const void *key, size_t size, uint32_t where);

crawl_err crawl_bloom_forget_many(crawl_bloom *bloom, const void *keys, size_t key_size, size_t count,
                                            const uint32_t *where, uint8_t *gone);

void crawl_bloom_advance(crawl_bloom *bloom, uint64_t now_ms);

typedef struct crawl_bloom_stats {
    uint64_t count;
    uint64_t capacity;
    uint64_t bytes;
    double fill;
    double fpr;
    double fpr_now;
    double fpr_by_count;
    double expected_false;
    uint64_t saturated;
    uint64_t refused;
    uint64_t bits;
    uint32_t hashes;
    uint32_t filters;
} crawl_bloom_stats;

void crawl_bloom_stats_get(const crawl_bloom *bloom, crawl_bloom_stats *out);

crawl_err crawl_bloom_stats_of(const crawl_bloom *bloom, uint32_t index, crawl_bloom_stats *out);

crawl_bloom_kind crawl_bloom_kind_of(const crawl_bloom *bloom);

const crawl_bloom_options *crawl_bloom_options_of(const crawl_bloom *bloom);

crawl_err crawl_bloom_set_label(crawl_bloom *bloom, const char *label);

const char *crawl_bloom_label(const crawl_bloom *bloom);

void crawl_bloom_size(uint64_t keys, double fpr, uint64_t *bits, uint32_t *hashes);

double crawl_bloom_rate(uint64_t keys, uint64_t bits, uint32_t hashes);

crawl_err crawl_bloom_save(const crawl_bloom *bloom, const char *path, crawl_error *error);

crawl_err crawl_bloom_load(const char *path, crawl_bloom **out, crawl_error *error);

crawl_err crawl_bloom_map(const char *path, crawl_bloom **out, crawl_error *error);

crawl_err crawl_bloom_validate(const char *path, crawl_error *error);

#define CRAWL_FINGERPRINT_SIZE 20

typedef struct crawl_fingerprint {
    uint8_t bytes[20];
} crawl_fingerprint;

typedef struct crawl_fingerprinter crawl_fingerprinter;

crawl_fingerprinter *crawl_fingerprinter_create(void);
void crawl_fingerprinter_free(crawl_fingerprinter *fingerprinter);

crawl_err crawl_fingerprint_request(crawl_fingerprinter *fingerprinter, crawl_slice method,
                                              crawl_slice canonical, crawl_slice body, crawl_fingerprint *out);

typedef enum crawl_fingerprint_kind {
    CRAWL_FINGERPRINT_DEFAULT,
    CRAWL_FINGERPRINT_SCRAPY_26,
    CRAWL_FINGERPRINT_SCRAPY_27
} crawl_fingerprint_kind;

typedef struct crawl_fingerprint_header {
    crawl_slice name;
    crawl_slice value;
} crawl_fingerprint_header;

typedef struct crawl_fingerprint_options {
    crawl_fingerprint_kind kind;
    const crawl_slice *include_headers;
    size_t include_count;
} crawl_fingerprint_options;

crawl_err crawl_fingerprint_by(crawl_fingerprinter *fingerprinter, const crawl_fingerprint_options *options,
                                         crawl_slice method, crawl_slice canonical, crawl_slice body,
                                         const crawl_fingerprint_header *headers, size_t header_count,
                                         crawl_fingerprint *out);

crawl_err crawl_fingerprint_urls(crawl_fingerprinter *fingerprinter, crawl_fingerprint_kind kind,
                                           const crawl_slice *urls, size_t count, crawl_fingerprint *out,
                                           uint8_t *valid);

crawl_err crawl_fingerprint_bytes(crawl_fingerprinter *fingerprinter, crawl_slice bytes,
                                            crawl_fingerprint *out);

void crawl_fingerprint_hex(const crawl_fingerprint *fingerprint, char out[41]);

void crawl_fingerprint_base32(const crawl_fingerprint *fingerprint, char out[33]);

crawl_err crawl_fingerprint_parse(crawl_slice hex, crawl_fingerprint *out);

typedef crawl_err (*crawl_fingerprint_take)(void *user, const crawl_fingerprint *fingerprint);

#define CRAWL_MEMO_MAX 4096
#define CRAWL_SHARE_MAX 1000
#define CRAWL_NOTE_MAX 1048576
#define CRAWL_HELD_ORIGIN 272
#define CRAWL_HELD_HOSTS 3

typedef struct crawl_frontier crawl_frontier;

typedef enum crawl_order {
    CRAWL_ORDER_BFS,
    CRAWL_ORDER_DFS,
    CRAWL_ORDER_BEST
} crawl_order;

typedef enum crawl_sync {
    CRAWL_SYNC_INTERVAL,
    CRAWL_SYNC_ALWAYS,
    CRAWL_SYNC_NEVER
} crawl_sync;

typedef struct crawl_frontier_options {
    crawl_order order;
    crawl_bloom_options seen;
    int64_t pause_ms;
    unsigned per_host;
    bool confirm_start;
    uint64_t max_queued;
    uint64_t max_hosts;
    void (*on_ready)(void *user);
    void *user;

    crawl_sync sync;
    uint32_t sync_ms;
    uint64_t window_bytes;
    uint64_t cache_bytes;
    const char *fingerprints;
} crawl_frontier_options;

void crawl_frontier_options_init(crawl_frontier_options *options);

crawl_err crawl_frontier_create(const crawl_frontier_options *options, crawl_frontier **out,
                                          crawl_error *error);

void crawl_frontier_free(crawl_frontier *frontier);

unsigned crawl_frontier_files(void);

crawl_err crawl_frontier_open(const char *directory, const crawl_frontier_options *options, int64_t now_ms,
                                        crawl_frontier **out, crawl_error *error);

crawl_err crawl_frontier_close(crawl_frontier *frontier, crawl_error *error);

crawl_err crawl_frontier_sync(crawl_frontier *frontier);

crawl_err crawl_frontier_failure(crawl_frontier *frontier, crawl_error *error);

typedef struct crawl_request {
    crawl_slice url;
    crawl_fingerprint fingerprint;
    crawl_slice method;
    crawl_slice headers;
    crawl_slice body;
    int32_t priority;
    uint32_t depth;
    uint32_t tag;
    crawl_slice memo;
    bool revisit;
} crawl_request;

typedef enum crawl_pushed {
    CRAWL_PUSHED_NEW = 0,
    CRAWL_PUSHED_SEEN,
    CRAWL_PUSHED_INVALID,
    CRAWL_PUSHED_FULL
} crawl_pushed;

crawl_err crawl_frontier_push(crawl_frontier *frontier, const crawl_request *requests, size_t count,
                                        crawl_slice parent, uint8_t *results, size_t *accepted, int64_t now_ms);

crawl_err crawl_frontier_push_urls(crawl_frontier *frontier, crawl_fingerprinter *fingerprinter,
                                             const crawl_slice *urls, size_t count, const crawl_request *like,
                                             crawl_slice parent, uint8_t *results, size_t *accepted, int64_t now_ms);

crawl_err crawl_frontier_push_urgent(crawl_frontier *frontier, const crawl_request *request, int64_t now_ms);

typedef struct crawl_lease {
    uint64_t id;
    crawl_slice url;
    crawl_slice origin;
    crawl_fingerprint fingerprint;
    crawl_slice method;
    crawl_slice headers;
    crawl_slice body;
    crawl_slice parent;
    int32_t priority;
    uint32_t depth;
    uint32_t tag;
    crawl_slice memo;
    uint32_t attempt;
    uint32_t visit;
    bool urgent;
} crawl_lease;

crawl_err crawl_frontier_pop(crawl_frontier *frontier, int64_t now_ms, crawl_lease *lease, int64_t *wait_ms);

crawl_err crawl_frontier_start(crawl_frontier *frontier, uint64_t lease, int64_t now_ms);

typedef enum crawl_outcome {
    CRAWL_DONE_FINISHED,
    CRAWL_DONE_RETRY,
    CRAWL_DONE_RETURN,
    CRAWL_DONE_FORGET
} crawl_outcome;

crawl_err crawl_frontier_done(crawl_frontier *frontier, uint64_t lease, crawl_outcome outcome, int64_t at_ms,
                                        int64_t now_ms);

crawl_err crawl_frontier_done_again(crawl_frontier *frontier, uint64_t lease, int64_t at_ms, crawl_slice memo,
                                              int64_t now_ms);

crawl_err crawl_frontier_block(crawl_frontier *frontier, crawl_slice origin, int64_t until_ms,
                                         int64_t now_ms);

crawl_err crawl_frontier_set_pause(crawl_frontier *frontier, crawl_slice origin, int64_t pause_ms,
                                             int64_t now_ms);

crawl_err crawl_frontier_set_share(crawl_frontier *frontier, crawl_slice origin, uint32_t share,
                                             int64_t now_ms);

crawl_err crawl_frontier_note_set(crawl_frontier *frontier, crawl_slice name, crawl_slice note);

crawl_err crawl_frontier_note_get(crawl_frontier *frontier, crawl_slice name, crawl_buf *note);

crawl_err crawl_frontier_notes(crawl_frontier *frontier, crawl_slice prefix,
                                         bool (*each)(crawl_slice name, crawl_slice note, void *user), void *user);

typedef struct crawl_frontier_stats {
    uint64_t queued;
    uint64_t leased;
    uint64_t hosts;
    uint64_t hosts_queued;
    uint64_t hosts_blocked;
    uint64_t pushed;
    uint64_t accepted;
    uint64_t seen;
    uint64_t full;
    uint64_t finished;
    uint64_t again;
    uint64_t revisits;
    uint64_t forgetting;
    uint64_t bytes;
    uint64_t disk_bytes;
    crawl_bloom_stats filter;
} crawl_frontier_stats;

void crawl_frontier_stats_get(crawl_frontier *frontier, int64_t now_ms, crawl_frontier_stats *out);

typedef enum crawl_standing {
    CRAWL_STANDING_READY,
    CRAWL_STANDING_PAUSED,
    CRAWL_STANDING_BUSY,
    CRAWL_STANDING_BLOCKED,
    CRAWL_STANDING_DATED,
    CRAWL_STANDING_COUNT
} crawl_standing;

typedef struct crawl_held_host {
    char origin[272];
    crawl_standing standing;
    uint64_t queued;
    int64_t opens_ms;
} crawl_held_host;

typedef struct crawl_frontier_binding {
    uint64_t queued;
    uint64_t leased;
    uint64_t hosts[CRAWL_STANDING_COUNT];
    int64_t due_ms;
    crawl_held_host due;

    crawl_held_host most_queued[3];
    unsigned most_queued_count;
} crawl_frontier_binding;

void crawl_frontier_binding_get(crawl_frontier *frontier, int64_t now_ms, crawl_frontier_binding *out);

typedef struct crawl_frontier_view crawl_frontier_view;

crawl_err crawl_frontier_view_open(const char *directory, crawl_frontier_view **out, crawl_error *error);
void crawl_frontier_view_free(crawl_frontier_view *view);

typedef struct crawl_frontier_summary {
    crawl_order order;
    crawl_bloom_options seen;
    crawl_slice fingerprints;
    bool clean;
    uint64_t pushed, accepted;
    uint64_t seen_refused, full;
    uint64_t again;
    uint64_t revisits;
    uint64_t forgetting;
    uint64_t hosts;
    uint64_t snapshot;
    uint64_t bytes;
} crawl_frontier_summary;

const crawl_frontier_summary *crawl_frontier_view_summary(const crawl_frontier_view *view);

typedef struct crawl_frontier_host {
    crawl_slice origin;
    int64_t pause_ms;
    int64_t blocked_ms;
    int64_t started_ms;
    uint32_t share;
    uint64_t ready;
    uint64_t delayed;
    uint64_t urgent;
    bool has_note;
} crawl_frontier_host;

crawl_err crawl_frontier_view_hosts(crawl_frontier_view *view,
                                              bool (*each)(const crawl_frontier_host *host, void *user), void *user,
                                              crawl_error *error);

crawl_err crawl_frontier_view_host(crawl_frontier_view *view, crawl_slice origin, crawl_frontier_host *out,
                                             crawl_error *error);

crawl_err crawl_frontier_view_requests(crawl_frontier_view *view, crawl_slice origin,
                                                 bool (*each)(const crawl_lease *request, int64_t due_ms, void *user),
                                                 void *user, crawl_error *error);

crawl_err crawl_frontier_view_notes(crawl_frontier_view *view, crawl_slice prefix,
                                              bool (*each)(crawl_slice name, crawl_slice note, void *user), void *user,
                                              crawl_error *error);

crawl_err crawl_frontier_view_filter(crawl_frontier_view *view, crawl_bloom_stats *out, crawl_error *error);

crawl_err crawl_frontier_view_seen(crawl_frontier_view *view, const crawl_fingerprint *fingerprint,
                                             crawl_bloom_found *where, crawl_error *error);

crawl_err crawl_frontier_view_check(crawl_frontier_view *view,
                                              void (*report)(const char *violation, void *user), void *user,
                                              uint64_t *violations, crawl_error *error);

crawl_err crawl_frontier_seen(crawl_frontier *frontier, const crawl_fingerprint *fingerprint);

crawl_err crawl_frontier_libraries(crawl_buf *out);

#define CRAWL_PAGE_MAX_LINKS 100000
#define CRAWL_PAGE_MAX_HREF 16384
#define CRAWL_PAGE_MAX_TITLE 1024
#define CRAWL_PAGE_MAX_LINK_TEXT 256
#define CRAWL_PAGE_MAX_TEXT 1048576
#define CRAWL_LINK_PAGES 63
#define CRAWL_LINK_ALL 131071
#define CRAWL_COLUMN_ALL 127

typedef enum crawl_link_kind {

    CRAWL_LINK_A = 1 << 0,
    CRAWL_LINK_AREA = 1 << 1,
    CRAWL_LINK_LINK = 1 << 2,
    CRAWL_LINK_FRAME = 1 << 3,
    CRAWL_LINK_IFRAME = 1 << 4,
    CRAWL_LINK_REFRESH = 1 << 5,

    CRAWL_LINK_IMG = 1 << 6,
    CRAWL_LINK_SOURCE = 1 << 7,
    CRAWL_LINK_SCRIPT = 1 << 8,
    CRAWL_LINK_FORM = 1 << 9,
    CRAWL_LINK_VIDEO = 1 << 10,
    CRAWL_LINK_AUDIO = 1 << 11,
    CRAWL_LINK_TRACK = 1 << 12,
    CRAWL_LINK_EMBED = 1 << 13,
    CRAWL_LINK_OBJECT = 1 << 14,
    CRAWL_LINK_INPUT = 1 << 15,
    CRAWL_LINK_BODY = 1 << 16
} crawl_link_kind;

typedef struct crawl_link {
    crawl_slice href;
    crawl_slice rel;
    crawl_slice text;
    const char *tag;
    const char *attr;
    crawl_link_kind kind;
    bool nofollow;
} crawl_link;

enum { CRAWL_ROBOTS_NOINDEX = 1, CRAWL_ROBOTS_NOFOLLOW = 2 };

typedef struct crawl_page crawl_page;

typedef enum crawl_extractor {
    CRAWL_EXTRACTOR_SCAN,
    CRAWL_EXTRACTOR_LIBXML2
} crawl_extractor;

typedef enum crawl_document {
    CRAWL_DOCUMENT_HTML,
    CRAWL_DOCUMENT_XHTML,
    CRAWL_DOCUMENT_FEED,
    CRAWL_DOCUMENT_OTHER,
    CRAWL_DOCUMENT_SITEMAP
} crawl_document;

crawl_document crawl_document_of_content_type(crawl_slice content_type);

crawl_document crawl_document_of(crawl_slice content_type, crawl_slice bytes);

crawl_page *crawl_page_create(void);
void crawl_page_free(crawl_page *page);

void crawl_page_set_extractor(crawl_page *page, crawl_extractor extractor);
void crawl_page_set_kinds(crawl_page *page, unsigned kinds);

enum { CRAWL_TEXT_LINKS = 1, CRAWL_TEXT_PAGE = 2 };
void crawl_page_set_text(crawl_page *page, unsigned texts);

crawl_err crawl_page_set_agent(crawl_page *page, const char *agent);

crawl_err crawl_page_parse(crawl_page *page, crawl_slice html, const crawl_url *url, const char *charset);

crawl_err crawl_page_parse_as(crawl_page *page, crawl_document document, crawl_slice bytes,
                                        const crawl_url *url, const char *charset);

const crawl_link *crawl_page_links(const crawl_page *page, size_t *count);

typedef enum crawl_link_column {
    CRAWL_COLUMN_TAG = 1 << 0,
    CRAWL_COLUMN_ATTR = 1 << 1,
    CRAWL_COLUMN_URL = 1 << 2,
    CRAWL_COLUMN_W3LIB = 1 << 3,
    CRAWL_COLUMN_REL = 1 << 4,
    CRAWL_COLUMN_NOFOLLOW = 1 << 5,
    CRAWL_COLUMN_TEXT = 1 << 6
} crawl_link_column;

crawl_err crawl_page_table(const crawl_page *page, unsigned columns, crawl_buf *out);

bool crawl_page_links_cut(const crawl_page *page);
const crawl_url *crawl_page_base(const crawl_page *page);
const char *crawl_page_charset(const crawl_page *page);
crawl_slice crawl_page_title(const crawl_page *page);
crawl_slice crawl_page_text(const crawl_page *page);
unsigned crawl_page_robots(const crawl_page *page);

crawl_slice crawl_page_canonical(const crawl_page *page);

bool crawl_page_refresh(const crawl_page *page, double *delay, crawl_slice *href);

typedef struct crawl_header_link {
    crawl_slice href;
    crawl_slice rel;
    crawl_slice anchor;
} crawl_header_link;

bool crawl_link_header_next(crawl_slice *rest, crawl_header_link *link);

crawl_err crawl_refresh_header(crawl_slice value, double *delay, crawl_slice *href);

unsigned crawl_robots_tag(crawl_slice value, const char *agent);

const char *crawl_charset_name(crawl_slice label);

const char *crawl_charset_of_content_type(crawl_slice content_type);

const char *crawl_charset_sniff(crawl_slice html, const char *transport);

crawl_err crawl_page_libraries(crawl_buf *out);

#define CRAWL_ROBOTS_MAX_SIZE 512000
#define CRAWL_ROBOTS_MAX_SITEMAPS 1000
#define CRAWL_ROBOTS_MAX_SITEMAP_SIZE 2048
#define CRAWL_ROBOTS_MAX_WORK 16777216

typedef struct crawl_robots crawl_robots;

crawl_err crawl_robots_parse(crawl_slice body, crawl_slice agent, crawl_robots **out);
void crawl_robots_free(crawl_robots *robots);

size_t crawl_robots_bytes(const crawl_robots *robots);

bool crawl_robots_agent_valid(crawl_slice agent);

typedef struct crawl_robots_verdict {
    bool allowed;
    unsigned line;
    crawl_slice rule;
} crawl_robots_verdict;

crawl_robots_verdict crawl_robots_check(const crawl_robots *robots, const crawl_url *url);

double crawl_robots_delay(const crawl_robots *robots);

size_t crawl_robots_sitemap_count(const crawl_robots *robots);
crawl_slice crawl_robots_sitemap(const crawl_robots *robots, size_t index);

typedef enum crawl_robots_effect {
    CRAWL_ROBOTS_PARSE,
    CRAWL_ROBOTS_REDIRECT,
    CRAWL_ROBOTS_ALLOW_ALL,
    CRAWL_ROBOTS_DISALLOW_ALL
} crawl_robots_effect;

crawl_robots_effect crawl_robots_effect_of(int status);

#define CRAWL_SITEMAP_MAX_ENTRIES 50000
#define CRAWL_SITEMAP_MAX_BYTES 52428800
#define CRAWL_SITEMAP_MAX_LOCATION 8192
#define CRAWL_SITEMAP_MAX_RATIO 200

typedef enum crawl_sitemap_type {
    CRAWL_SITEMAP_UNKNOWN,
    CRAWL_SITEMAP_URLSET,
    CRAWL_SITEMAP_INDEX,
    CRAWL_SITEMAP_TEXT,
    CRAWL_SITEMAP_RSS,
    CRAWL_SITEMAP_ATOM
} crawl_sitemap_type;

const char *crawl_sitemap_type_name(crawl_sitemap_type type);

typedef struct crawl_sitemap_entry {
    const crawl_url *url;
    bool is_sitemap;
    crawl_slice lastmod_text;
    int64_t lastmod;
    const char *changefreq;
    double priority;
} crawl_sitemap_entry;

typedef crawl_err (*crawl_sitemap_on_entry)(void *user, const crawl_sitemap_entry *entry);

typedef struct crawl_sitemap_options {
    const crawl_url *url;
    uint64_t max_entries;
    uint64_t max_bytes;
    crawl_sitemap_on_entry on_entry;
    void *user;
} crawl_sitemap_options;

typedef struct crawl_sitemap crawl_sitemap;

crawl_err crawl_sitemap_create(const crawl_sitemap_options *options, crawl_sitemap **out);
void crawl_sitemap_free(crawl_sitemap *sitemap);

crawl_err crawl_sitemap_feed(crawl_sitemap *sitemap, crawl_slice bytes);

crawl_err crawl_sitemap_end(crawl_sitemap *sitemap);

typedef struct crawl_sitemap_stats {
    crawl_sitemap_type type;
    uint64_t entries;
    uint64_t skipped;
    uint64_t bytes;
    bool compressed;
    bool full;
    bool none;
    bool broken;
} crawl_sitemap_stats;

void crawl_sitemap_stats_get(const crawl_sitemap *sitemap, crawl_sitemap_stats *out);

