/* Measures the cost of a shared crawl for its Redis server by the server's own figures, its processor time and the
 * commands it received. Other load on the machine changes these less than elapsed time.
 *
 *   redis-server --port 7777 --save '' & bench_redis redis://127.0.0.1:7777 [--keys N]
 *
 * The database must be empty, and is emptied at the end. Measures first each way to keep a seen-set: microseconds of
 * the server's processor and bytes for a new key, and microseconds for a seen one. Ways with a round trip per question
 * have fewer keys; a bitmap of a chosen size has no bytes per key. Then the memory of a queued URL, by the number of
 * URLs per host. Then a simulated crawl of 200 hosts and 5000 pages with 144 links each, to the 25 pages of the same
 * host and 119 anywhere, in sessions of 5 pages, with links sent after every 40: commands by name per page, their
 * microseconds by INFO commandstats, and all of the server's processor time. */
#include "base/bytes.h"
#include "bench/programs/keys.h"
#include "bench/programs/measure.h"
#include "shared/protocol/outbox.h"

#include <event2/event.h>
#include <math.h>

enum { BATCH = 500, HOSTS = 200, PAGES_OF_HOST = 25, PAGES = HOSTS * PAGES_OF_HOST, LINKS = 144, WINDOW = 5 };

typedef struct world {
    struct event_base *base;
    crawl_redis_url url;
    crawl_redis *redis;
    crawl_buf answer;
    size_t owed;
} world;

/* ---- asking ---- */

static void on_answer(void *user, const crawl_redis_answer *said)
{
    world *w = user;
    require(!said->fault, said->words);
    crawl_buf_clear(&w->answer);
    if (said->reply->type == CRAWL_REDIS_TEXT)
        require(!crawl_buf_append(&w->answer, said->reply->text.data, said->reply->text.size), "no memory");
    else
        require(!crawl_buf_printf(&w->answer, "%lld", (long long)said->reply->number), "no memory");
    w->owed--;
}

static void settle(world *w)
{
    while (w->owed)
        event_base_loop(w->base, EVLOOP_ONCE);
}

static void send_words(world *w, const crawl_slice *words, size_t count)
{
    require(!crawl_redis_send(w->redis, words, count, on_answer, w), "a request cannot be sent");
    w->owed++;
}

static const char *ask(world *w, const char *a, const char *b)
{
    const crawl_slice words[] = {crawl_slice_from(a), crawl_slice_from(b ? b : "")};
    send_words(w, words, b ? 2 : 1);
    settle(w);
    return w->answer.data;
}

static double figure(world *w, const char *section, const char *name)
{
    const char *at = strstr(ask(w, "INFO", section), name);
    require(at, name);
    return strtod(at + strlen(name), NULL);
}

static double processor_us(world *w)
{
    double user = figure(w, "cpu", "used_cpu_user_main_thread:");
    return 1e6 * (user + figure(w, "cpu", "used_cpu_sys_main_thread:"));
}

/* ---- seen-sets ---- */

static void add_hex(world *w, uint64_t key)
{
    char print[KEY];
    char hex[2 * KEY + 1];
    make_key(key, print);
    cw_hex_encode(print, KEY, hex);
    const crawl_slice words[] = {crawl_slice_from("SADD"), crawl_slice_from("seen"), crawl_slice_from(hex)};
    send_words(w, words, 3);
    settle(w); /* one round trip each, as its users do */
}

/* Returns how many of a key's bits were set before, with one round trip each. */
static unsigned each_bit(world *w, const char *command, uint64_t key, uint64_t bits)
{
    unsigned had = 0;
    for (uint64_t bit = 0; bit < bits; bit++) {
        char place[24];
        snprintf(place, sizeof place, "%llu", (unsigned long long)(mix(key * 16 + bit) % (1u << 28)));
        const crawl_slice words[] = {crawl_slice_from(command), crawl_slice_from("seen"), crawl_slice_from(place),
                                     crawl_slice_from("1")};
        send_words(w, words, strcmp(command, "SETBIT") == 0 ? 4 : 3);
        settle(w);
        had += *w->answer.data == '1';
    }
    return had;
}

static void add_bits(world *w, uint64_t key)
{
    (void)each_bit(w, "GETBIT", key, 6);
    (void)each_bit(w, "SETBIT", key, 6);
}

static unsigned each_bit_locked(world *w, const char *command, uint64_t key)
{
    const crawl_slice lock[] = {crawl_slice_from("SET"), crawl_slice_from("lock"), crawl_slice_from("1"),
                                crawl_slice_from("NX")};
    send_words(w, lock, 4);
    settle(w);
    unsigned had = each_bit(w, command, key, 10);
    ask(w, "DEL", "lock");
    return had;
}

static void add_locked_bits(world *w, uint64_t key)
{
    if (each_bit_locked(w, "GETBIT", key) < 10)
        (void)each_bit_locked(w, "SETBIT", key);
}

static void on_pushed(void *user, crawl_redis_fault fault, const char *words)
{
    world *w = user;
    require(!fault, words);
    w->owed--;
}

static cw_shared *shared_of(world *w, cw_shared_seen seen, uint64_t capacity)
{
    cw_shared *shared;
    crawl_error error = {0};
    const cw_shared_options options = {.redis = w->redis,
                                       .name = "bench",
                                       .worker = "bench",
                                       .seen = seen,
                                       .rate = 0.001,
                                       .capacity = capacity,
                                       .lease_ms = 60000};
    require(!cw_shared_create(&options, &shared, &error), error.message);
    return shared;
}

enum { URL = 60 };

/* Pushes keys in batches, of_host of them for each host. Each has a URL of 60 bytes, which is part of the cost of a new
 * key. */
static void push_keys(world *w, cw_shared *shared, uint64_t count, uint64_t of_host)
{
    static uint8_t prints[BATCH][KEY];
    static char origins[BATCH][40];
    static cw_shared_request requests[BATCH];
    static const char url[URL + 1] = "https://host.example/a/path/of/the/usual/length/page000.html";
    for (uint64_t done = 0; done < count; done += BATCH) {
        uint8_t fates[BATCH] = {0};
        for (size_t i = 0; i < BATCH; i++) {
            int size = snprintf(origins[i], sizeof origins[i], "https://host%llu.example",
                                (unsigned long long)((done + i) / of_host));
            make_key(done + i, (char *)prints[i]);
            requests[i] = (cw_shared_request){.origin = crawl_slice_of(origins[i], (size_t)size),
                                              .print = prints[i],
                                              .level = 1,
                                              .bytes = crawl_slice_of(url, URL)};
        }
        w->owed++;
        bool has_news = false;
        require(!cw_shared_push(shared, requests, BATCH, fates, &has_news, on_pushed, w), "a push cannot be sent");
        settle(w);
    }
}

static void print_row(world *w, const char *name, double started_us, double bytes, uint64_t keys, double again_us)
{
    double all = processor_us(w) - started_us - again_us;
    printf("%-44s %8.2f us %8.2f us %8.1f\n", name, all / (double)keys, again_us / (double)keys, bytes / (double)keys);
}

static void measure_way(world *w, const char *name, void (*add)(world *w, uint64_t key), uint64_t keys)
{
    double before = figure(w, "memory", "used_memory:");
    double started = processor_us(w);
    for (uint64_t i = 0; i < keys; i++)
        add(w, i);
    double bytes = figure(w, "memory", "used_memory:") - before;
    double again = processor_us(w);
    for (uint64_t i = 0; i < keys; i++)
        add(w, i);
    print_row(w, name, started, add == add_hex ? bytes : NAN, keys, processor_us(w) - again);
    ask(w, "FLUSHDB", NULL);
}

static void measure_shared(world *w, const char *name, cw_shared_seen seen, uint64_t keys)
{
    cw_shared *shared = shared_of(w, seen, keys);
    double before = figure(w, "memory", "used_memory:");
    double started = processor_us(w);
    push_keys(w, shared, keys, BATCH);
    double bytes = figure(w, "memory", "used_memory:") - before;
    double again = processor_us(w);
    push_keys(w, shared, keys, BATCH);
    print_row(w, name, started, bytes, keys, processor_us(w) - again);
    cw_shared_free(shared);
    ask(w, "FLUSHDB", NULL);
}

/* Prints the bytes of a queued URL beyond its length, with its part of the seen-set. */
static void measure_queue(world *w, uint64_t keys, uint64_t of_host)
{
    cw_shared *shared = shared_of(w, CW_SHARED_SCALABLE, keys);
    double before = figure(w, "memory", "used_memory:");
    push_keys(w, shared, keys, of_host);
    printf("a queued URL beyond its length, %3llu of a host  %22s %8.1f\n", (unsigned long long)of_host, "",
           (figure(w, "memory", "used_memory:") - before) / (double)keys - URL);
    cw_shared_free(shared);
    ask(w, "FLUSHDB", NULL);
}

/* ---- a crawl ---- */

typedef struct crawl_made_up {
    world *world;
    cw_shared *shared;
    cw_shared_outbox *outbox;
    size_t pages_owed;
    size_t pages;
    bool found;
} crawl_made_up;

static cw_shared_request request_of(unsigned page, char text[80], uint8_t print[KEY])
{
    int origin = snprintf(text, 80, "https://host%u.example", page / PAGES_OF_HOST);
    int size = origin + snprintf(text + origin, 80 - (size_t)origin, "/a/path/of/the/usual/length/page%u.html", page);
    make_key(page, (char *)print);
    return (cw_shared_request){.origin = crawl_slice_of(text, (size_t)origin),
                               .print = print,
                               .level = 1,
                               .bytes = crawl_slice_of(text, (size_t)size)};
}

static void add_link(cw_shared_page *of, unsigned page)
{
    char text[80];
    uint8_t print[KEY];
    const cw_shared_request request = request_of(page, text, print);
    crawl_err err = cw_shared_page_add(of, &request);
    require(!err || err == CRAWL_EXISTS, "no memory");
}

static void on_page(void *user, const cw_shared_page_links *links)
{
    crawl_made_up *c = user;
    (void)links;
    c->pages_owed--;
}

static void follow(crawl_made_up *c, unsigned page)
{
    cw_shared_page *of = cw_shared_page_begin(c->outbox);
    require(of, "no memory");
    unsigned host = page / PAGES_OF_HOST;
    for (unsigned i = 0; i < PAGES_OF_HOST; i++)
        add_link(of, host * PAGES_OF_HOST + i);
    for (unsigned i = PAGES_OF_HOST; i < LINKS; i++)
        add_link(of, (unsigned)(mix((uint64_t)page * LINKS + i) % PAGES));
    c->pages_owed++;
    c->pages++;
    cw_shared_page_end(of, on_page, c);
}

static void on_written(void *user, const cw_shared_written *written)
{
    crawl_made_up *c = user;
    require(!written->fault && !written->is_stale, "a session was refused");
    c->world->owed--;
}

/* A number precedes the ".html" of each URL. */
static unsigned page_of(crawl_slice url)
{
    size_t end = url.size - 5;
    size_t start = end;
    while (cw_is_digit((unsigned char)url.data[start - 1]))
        start--;
    return (unsigned)strtoul(url.data + start, NULL, 10);
}

/* Crawls a session. Its pages are done by one write, which ends it: at once, since nothing is killed here. */
static void crawl_session(crawl_made_up *c, const cw_shared_session *session)
{
    cw_shared_change changes[CW_SHARED_WINDOW_MAX];
    for (size_t i = 0; i < session->item_count; i++) {
        follow(c, page_of(session->items[i].bytes));
        changes[i] = (cw_shared_change){.how = CW_SHARED_FINISHED, .id = session->items[i].id};
    }
    const cw_shared_write write = {.origin = session->origin,
                                   .token = session->token,
                                   .pause_ms = CW_SHARED_SAME,
                                   .open_ms = CW_SHARED_SAME,
                                   .changes = changes,
                                   .change_count = session->item_count,
                                   .is_end = true};
    c->world->owed++;
    require(!cw_shared_write_session(c->shared, &write, on_written, c), "a session cannot be written");
}

static void on_taken(void *user, const cw_shared_taken *taken)
{
    crawl_made_up *c = user;
    require(!taken->fault, taken->words);
    c->world->owed--;
    c->found = c->found || taken->count;
    for (size_t i = 0; i < taken->count; i++)
        crawl_session(c, &taken->sessions[i]);
}

static void flush(crawl_made_up *c)
{
    while (c->pages_owed) {
        cw_shared_outbox_flush(c->outbox);
        event_base_loop(c->world->base, EVLOOP_ONCE);
    }
}

static void run_crawl(crawl_made_up *c)
{
    size_t flushed = 0;
    cw_shared_page *seeds = cw_shared_page_begin(c->outbox);
    require(seeds, "no memory");
    add_link(seeds, 0);
    c->pages_owed++;
    cw_shared_page_end(seeds, on_page, c);
    flush(c);
    for (c->found = true; c->found;) {
        c->found = false;
        for (unsigned p = 0; p < CW_SHARED_PARTITIONS; p++) {
            c->world->owed++;
            require(!cw_shared_take(c->shared, p, 4, WINDOW, 0, on_taken, c), "a take cannot be sent");
            settle(c->world);
            if (c->pages - flushed >= 40)
                flush(c);
            flushed = c->pages_owed ? flushed : c->pages;
        }
        flush(c);
    }
}

static void print_commands(world *w, size_t pages)
{
    crawl_slice rest = crawl_slice_from(ask(w, "INFO", "commandstats"));
    while (rest.size) {
        crawl_slice line = cw_trim(cw_cut_line(&rest));
        if (!cw_take_text(&line, "cmdstat_"))
            continue;
        crawl_slice name = cw_cut(&line, ':');
        cw_take_text(&line, "calls=");
        double calls = strtod(line.data, NULL);
        (void)cw_cut(&line, ',');
        cw_take_text(&line, "usec=");
        double us = strtod(line.data, NULL);
        if (calls / (double)pages >= 0.01)
            printf("  %-20.*s %8.2f calls %8.2f us\n", (int)name.size, name.data, calls / (double)pages,
                   us / (double)pages);
    }
}

static void on_joined(void *user, crawl_err err, const crawl_error *error, bool made)
{
    world *w = user;
    require(!err && made, error ? error->message : "the crawl is there");
    w->owed--;
}

/* Joins the crawl, as real workers do: from then on each script checks that the crawl exists. */
static void join(world *w, cw_shared *shared)
{
    w->owed++;
    require(!cw_shared_join(shared, NULL, 0, false, on_joined, w), "the crawl cannot be joined");
    settle(w);
}

static void measure_crawl(world *w)
{
    crawl_made_up c = {.world = w, .shared = shared_of(w, CW_SHARED_SCALABLE, 100000)};
    const cw_shared_outbox_options options = {.shared = c.shared, .remembers = 1 << 16};
    require(!cw_shared_outbox_create(&options, &c.outbox), "no memory");
    join(w, c.shared);
    const crawl_slice reset[] = {crawl_slice_from("CONFIG"), crawl_slice_from("RESETSTAT")};
    send_words(w, reset, 2);
    settle(w);
    double started = processor_us(w);
    run_crawl(&c);
    double all = processor_us(w) - started;
    printf("\na crawl of %zu pages, %d links each: %.1f us of the server's processor a page, %.0f links answered\n"
           "in a second of it; scripts are evalsha, what they call stands below as well, and its time is in theirs:\n",
           c.pages, LINKS, all / (double)c.pages, 1e6 * LINKS * (double)c.pages / all);
    print_commands(w, c.pages);
    cw_shared_free(c.shared);
    cw_shared_outbox_free(c.outbox);
    ask(w, "FLUSHDB", NULL);
}

int main(int argc, char **argv)
{
    world w = {.base = event_base_new()};
    crawl_error error = {0};
    uint64_t keys = argc == 4 && strcmp(argv[2], "--keys") == 0 ? strtoull(argv[3], NULL, 10) : 100000;
    require(argc == 2 || argc == 4, "usage: bench_redis redis://HOST[:PORT][/DB] [--keys N]");
    keys = keys / BATCH * BATCH;
    require(keys > 0, "too few keys");
    require(!crawl_redis_url_parse(crawl_slice_from(argv[1]), (const char *const[]){NULL}, &w.url, &error),
            error.message);
    const crawl_redis_options options = {.size = sizeof options, .base = w.base, .url = &w.url};
    require(!crawl_redis_open(&options, &w.redis, &error), error.message);
    require(strcmp(ask(&w, "DBSIZE", NULL), "0") == 0, "the database is not empty");
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("%llu keys                                     new         seen     bytes\n", (unsigned long long)keys);
    measure_way(&w, "SADD of 40 digits, a round trip each", add_hex, keys / 10);
    measure_way(&w, "6 GETBIT and 6 SETBIT, a round trip each", add_bits, keys / 100);
    measure_way(&w, "10 GETBIT, 10 SETBIT, a lock around each", add_locked_bits, keys / 100);
    measure_shared(&w, "shared, scalable 0.001, queued with 60 bytes", CW_SHARED_SCALABLE, keys);
    measure_shared(&w, "shared, exact, queued with 60 bytes", CW_SHARED_EXACT, keys);
    for (uint64_t of_host = 1; of_host <= 100; of_host *= 10)
        measure_queue(&w, keys, of_host);
    measure_crawl(&w);
    crawl_redis_free(w.redis);
    crawl_redis_url_free(&w.url);
    event_base_loop(w.base, EVLOOP_NONBLOCK);
    event_base_free(w.base);
    crawl_buf_free(&w.answer);
    return 0;
}
