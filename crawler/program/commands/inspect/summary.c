/* The summary of `crawl inspect`: gathers figures by walks over hosts, requests and notes, then prints them as text or
 * JSON. */
#include "crawler/program/commands/inspect/inspect.h"

#include "base/bytes.h"
#include "base/files/file_read.h"
#include "crawler/program/summary/units.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { DEPTHS = 256 }; /* shown one by one; deeper ones together */

typedef struct gathered {
    cw_inspect *inspect;
    const crawl_frontier_summary *summary;
    uint64_t ready, delayed, urgent; /* urgent ones are in neither of the others */
    uint64_t depth[DEPTHS + 1];
    uint64_t queued_hosts, blocked_hosts, paused_hosts;
    uint64_t robots[CRAWL_HOST_ROBOTS_COUNT], expired, away;
    uint64_t places, seeds;
    char *seeds_cut; /* owned: source of seeds that were not all read; NULL: all were */
    uint64_t database_bytes, log_bytes, filter_bytes;
    bool in_use;
} gathered;

static bool summary_take_host(const crawl_frontier_host *host, void *user)
{
    gathered *g = user;
    bool queued = host->ready + host->delayed > 0;
    g->queued_hosts += queued;
    g->blocked_hosts += queued && host->blocked_ms > g->inspect->now_ms;
    g->paused_hosts += host->pause_ms >= 0;
    return true;
}

static bool take_request(const crawl_lease *request, int64_t due_ms, void *user)
{
    gathered *g = user;
    if (request->urgent) {
        g->urgent++;
        return true;
    }
    *(due_ms >= 0 ? &g->delayed : &g->ready) += 1;
    g->depth[request->depth < DEPTHS ? request->depth : DEPTHS]++;
    return true;
}

static bool summary_take_note(crawl_slice name, crawl_slice bytes, void *user)
{
    gathered *g = user;
    crawl_state_note note;
    switch (crawl_state_note_read(name, bytes, &note)) {
    case CRAWL_STATE_PLACE:
        g->places++;
        g->seeds += note.of_seed;
        break;
    case CRAWL_STATE_SEEDS:
        free(g->seeds_cut);
        g->seeds_cut = strndup(note.seeds_from.data, note.seeds_from.size);
        break;
    case CRAWL_STATE_HOST:
        g->robots[note.robots]++;
        g->expired += note.robots != CRAWL_HOST_ROBOTS_UNKNOWN && g->inspect->now_ms >= note.robots_expires_ms;
        g->away += note.away_until_ms > g->inspect->now_ms;
        break;
    default:
        break;
    }
    return true;
}

/* Adds up the sizes of files. A file may disappear while they are counted. */
static void add_files(gathered *g, const char *directory, bool is_database)
{
    struct stat status;
    DIR *folder = opendir(directory);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (fstatat(dirfd(folder), entry->d_name, &status, 0) || !S_ISREG(status.st_mode))
            continue;
        if (is_database)
            *(cw_ends_with(crawl_slice_from(entry->d_name), ".log") ? &g->log_bytes : &g->database_bytes) +=
                (uint64_t)status.st_size;
        else if (strncmp(entry->d_name, "seen-", 5) == 0)
            g->filter_bytes += (uint64_t)status.st_size;
    }
    if (folder)
        closedir(folder);
}

/* Returns the ID of the process that last locked the directory; 0: not known. */
static long summary_holder(const char *path)
{
    crawl_buf text = {0};
    crawl_err err = cw_read_file(path, 24, &text, NULL);
    long holder = err || !text.size ? 0 : strtol(text.data, NULL, 10);
    crawl_buf_free(&text);
    return holder;
}

/* Returns true if a process holds the lock of the directory. Looks the lock up instead of trying it, which could keep a
 * crawl from it. On btrfs and overlays the table has another device than stat() tells; then the process decides. */
static bool summary_is_locked(const char *path)
{
    char line[256];
    struct stat status;
    bool found = false;
    long holder = summary_holder(path);
    FILE *locks = stat(path, &status) ? NULL : fopen("/proc/locks", "re");
    while (locks && !found && fgets(line, sizeof line, locks)) {
        unsigned major, minor;
        unsigned long inode;
        long process;
        found = strstr(line, "FLOCK") &&
                sscanf(line, "%*s %*s %*s %*s %ld %x:%x:%lu", &process, &major, &minor, &inode) == 4 &&
                inode == status.st_ino && (makedev(major, minor) == status.st_dev || (holder && process == holder));
    }
    if (locks)
        fclose(locks);
    return found;
}

static crawl_err gather_files(gathered *g)
{
    const char *directory = g->inspect->directory;
    crawl_buf database = {0}, lock = {0};
    crawl_err err = crawl_buf_printf(&database, "%s/db", directory);
    if (!err)
        err = crawl_buf_printf(&lock, "%s/lock", directory);
    if (!err) {
        add_files(g, directory, false);
        add_files(g, database.data, true);
        g->in_use = summary_is_locked(lock.data);
    }
    crawl_buf_free(&database);
    crawl_buf_free(&lock);
    return err;
}

static crawl_err summary_gather(gathered *g, crawl_error *error)
{
    crawl_frontier_view *view = g->inspect->view;
    crawl_err err = crawl_frontier_view_hosts(view, summary_take_host, g, error);
    if (!err)
        err = crawl_frontier_view_requests(view, (crawl_slice){0}, take_request, g, error);
    if (!err)
        err = crawl_frontier_view_notes(view, (crawl_slice){0}, summary_take_note, g, error);
    return err ? err : gather_files(g);
}

static const char *const orders[] = {"bfs", "dfs", "best"};

static const char *state_word(const gathered *g)
{
    return g->in_use ? "in use" : g->summary->clean ? "closed" : "not closed: its last run was killed";
}

static uint64_t finished(const gathered *g)
{
    uint64_t queued = g->ready + g->delayed;
    uint64_t visits = g->summary->accepted + g->summary->again;
    return visits > queued ? visits - queued : 0;
}

static void summary_print_queue(const gathered *g)
{
    printf("queue       %" PRIu64 " ready, %" PRIu64 " delayed, %" PRIu64 " urgent\n", g->ready, g->delayed, g->urgent);
    if (g->summary->again || g->summary->forgetting)
        printf("again       %" PRIu64 " were queued for a further visit, %" PRIu64 " are; %" PRIu64
               " are to be forgotten at a date\n",
               g->summary->again, g->summary->revisits, g->summary->forgetting);
    if (g->ready + g->delayed == 0)
        return;
    printf("depth      ");
    for (size_t i = 0; i <= DEPTHS; i++)
        if (g->depth[i])
            printf("  %zu%s: %" PRIu64, i, i == DEPTHS ? " and more" : "", g->depth[i]);
    putchar('\n');
}

static void summary_print_text(const gathered *g)
{
    const crawl_frontier_summary *s = g->summary;
    printf("directory   %s: %s\n", g->inspect->directory, state_word(g));
    printf("order       %s\n", orders[s->order]);
    printf("seen        %s, capacity %" PRIu64 ", fpr %g\n", crawl_bloom_kind_name(s->seen.kind), s->seen.capacity,
           s->seen.fpr);
    printf("keys        %.*s\n", (int)s->fingerprints.size, s->fingerprints.data);
    printf("requests    %" PRIu64 " found, %" PRIu64 " seen before, %" PRIu64 " taken, %" PRIu64 " of them finished\n",
           s->pushed, s->seen_refused, s->accepted, finished(g));
    summary_print_queue(g);
    printf("hosts       %" PRIu64 " known, %" PRIu64 " with requests queued, %" PRIu64 " of them blocked, %" PRIu64
           " with a pause of their own\n",
           s->hosts, g->queued_hosts, g->blocked_hosts, g->paused_hosts);
    printf("robots.txt  %" PRIu64 " with rules, %" PRIu64 " absent, %" PRIu64 " refused; %" PRIu64 " of them expired\n",
           g->robots[CRAWL_HOST_ROBOTS_RULES], g->robots[CRAWL_HOST_ROBOTS_ABSENT],
           g->robots[CRAWL_HOST_ROBOTS_REFUSED], g->expired);
    printf("scope       %" PRIu64 " places, %" PRIu64 " of them seeds'\n", g->places, g->seeds);
    if (g->seeds_cut)
        printf("seeds       being read, or missing since a run was ended while it read %s\n", g->seeds_cut);
    printf("disk        %s database, %s its write-ahead log, %s snapshot of the seen-set\n",
           cw_program_size(g->database_bytes).text, cw_program_size(g->log_bytes).text,
           cw_program_size(g->filter_bytes).text);
}

static json_t *depths(const gathered *g)
{
    char key[24];
    json_t *object = json_object();
    for (size_t i = 0; i <= DEPTHS; i++) {
        if (!g->depth[i])
            continue;
        snprintf(key, sizeof key, "%zu%s", i, i == DEPTHS ? "+" : "");
        json_object_set_new(object, key, json_integer((json_int_t)g->depth[i]));
    }
    return object;
}

#define INT(value) (json_int_t)(value)

static json_t *summary_to_json(const gathered *g)
{
    const crawl_frontier_summary *s = g->summary;
    json_t *options =
        json_pack("{s:s, s:s, s:I, s:f, s:o}", "order", orders[s->order], "seen", crawl_bloom_kind_name(s->seen.kind),
                  "capacity", INT(s->seen.capacity), "fpr", s->seen.fpr, "keys", cw_tool_json_text(s->fingerprints));
    json_t *requests = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "pushed", INT(s->pushed), "seen",
                                 INT(s->seen_refused), "accepted", INT(s->accepted), "finished", INT(finished(g)),
                                 "again", INT(s->again), "forgetting", INT(s->forgetting));
    json_t *queue = json_pack("{s:I, s:I, s:I, s:I, s:o}", "ready", INT(g->ready), "delayed", INT(g->delayed), "urgent",
                              INT(g->urgent), "revisits", INT(s->revisits), "depth", depths(g));
    json_t *hosts = json_pack("{s:I, s:I, s:I, s:I}", "known", INT(s->hosts), "queued", INT(g->queued_hosts), "blocked",
                              INT(g->blocked_hosts), "paused", INT(g->paused_hosts));
    json_t *robots = json_pack("{s:I, s:I, s:I, s:I}", "rules", INT(g->robots[CRAWL_HOST_ROBOTS_RULES]), "absent",
                               INT(g->robots[CRAWL_HOST_ROBOTS_ABSENT]), "refused",
                               INT(g->robots[CRAWL_HOST_ROBOTS_REFUSED]), "expired", INT(g->expired));
    json_t *scope = json_pack("{s:I, s:I}", "places", INT(g->places), "seeds", INT(g->seeds));
    json_t *disk = json_pack("{s:I, s:I, s:I}", "database", INT(g->database_bytes), "log", INT(g->log_bytes), "seen",
                             INT(g->filter_bytes));
    return json_pack("{s:o, s:b, s:b, s:s?, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "directory",
                     cw_tool_json_text(crawl_slice_from(g->inspect->directory)), "in_use", (int)g->in_use, "clean",
                     (int)s->clean, "seeds_missing", g->seeds_cut, "options", options, "requests", requests, "queue",
                     queue, "hosts", hosts, "robots", robots, "scope", scope, "disk", disk);
}

crawl_err cw_inspect_summary(cw_inspect *inspect, crawl_error *error)
{
    gathered g = {.inspect = inspect, .summary = crawl_frontier_view_summary(inspect->view)};
    crawl_err err = summary_gather(&g, error);
    if (!err && inspect->jsonl)
        err = cw_tool_json_print(summary_to_json(&g));
    else if (!err)
        summary_print_text(&g);
    free(g.seeds_cut);
    return err;
}
