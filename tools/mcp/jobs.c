#include "tools/mcp/jobs.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/files/replace.h"
#include "tools/mcp/common.h"
#include "tools/mcp/handles.h"
#include "tools/mcp/holds.h"
#include "tools/mcp/outgoing.h"
#include "tools/mcp/tally.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    JOBS_RUNNING = 4,
    JOBS_MOST = 64,
    TURN_MS = 100,
    TELL_MS = 500,
    GRACE_MS = 5000, /* for a child to end by itself, and again after SIGTERM */
    END_MS = 500     /* likewise, if nobody waits for its answer */
};

static int64_t jobs_now(void)
{
    return cw_now_us() / 1000;
}

/* ---- commands ---- */

void cw_mcp_command_add(cw_mcp_job *job, const char *word)
{
    json_array_append_new(job->command, json_string_nocheck(word));
}

void cw_mcp_command(cw_mcp_job *job, const char *tool)
{
    json_decref(job->command);
    job->command = json_array();
    job->wanted = (cw_mcp_limits){0};
    job->is_started = true;
    cw_mcp_command_add(job, job->server->program.data);
    if (tool)
        cw_mcp_command_add(job, tool);
}

void cw_mcp_command_set(cw_mcp_job *job, const char *option, const char *value)
{
    cw_mcp_command_add(job, option);
    cw_mcp_command_add(job, value);
}

void cw_mcp_command_file(cw_mcp_job *job, const char *option, const crawl_buf *folder, const char *name)
{
    crawl_buf path = {0};
    cw_tool_memory_must(crawl_buf_printf(&path, "%s/%s", folder->data, name));
    if (option)
        cw_mcp_command_add(job, option);
    cw_mcp_command_add(job, path.data);
    crawl_buf_free(&path);
}

/* Sets the name for robots.txt. "": that in the User-Agent. */
static void jobs_set_agent(cw_mcp_job *job, const char *agent)
{
    crawl_buf text = {0};
    cw_tool_memory_must(crawl_buf_printf(&text, "politeness.robots_agent=%s", agent));
    cw_mcp_command_set(job, "--set", text.data);
    crawl_buf_free(&text);
}

/* Adds all settings that limit where a crawl may go, so that a continued crawl keeps none of an earlier server. */
static void jobs_add_guard(cw_mcp_job *job, const crawl_config *settings)
{
    bool obeys_robots = crawl_config_number(settings, "politeness.robots");
    const char *hosts = crawl_config_text(settings, "politeness.internal_hosts");
    const char *ports = crawl_config_text(settings, "politeness.private_ports");
    const char *agent = crawl_config_text(settings, "politeness.robots_agent");
    bool is_private = job->server->allow_private || crawl_config_number(settings, "fetch.allow_private");
    cw_mcp_command_add(job, "--no-trust-seeds");
    cw_mcp_command_add(job, is_private ? "--allow-private" : "--no-allow-private");
    cw_mcp_command_set(job, "--set", obeys_robots ? "politeness.robots=true" : "politeness.robots=false");
    jobs_set_agent(job, agent ? agent : "");
    cw_mcp_command_set(job, "--internal-hosts", hosts ? hosts : "");
    cw_mcp_command_set(job, "--private-ports", ports ? ports : "");
}

void cw_mcp_command_settings(cw_mcp_job *job)
{
    const cw_mcp_server *server = job->server;
    cw_mcp_command_set(job, "--config", server->config);
    if (server->user_agent)
        cw_mcp_command_set(job, "--user-agent", server->user_agent);
    jobs_add_guard(job, server->settings);
}

static int64_t jobs_least(int64_t wanted, int64_t most)
{
    return wanted && wanted < most ? wanted : most;
}

void cw_mcp_command_crawl(cw_mcp_job *job, const cw_mcp_limits *wanted, bool links)
{
    const cw_mcp_server *server = job->server;
    cw_mcp_command(job, NULL);
    job->wanted = (cw_mcp_limits){.pages = jobs_least(wanted->pages, server->call.pages),
                                  .bytes = jobs_least(wanted->bytes, server->call.bytes),
                                  .ms = jobs_least(wanted->ms, server->call.ms)};
    cw_mcp_command_settings(job);
    cw_mcp_command_set(job, "--progress", "none");
    cw_mcp_command_set(job, "--log-format", "json");
    cw_mcp_command_file(job, "--output", &job->place, CW_MCP_RECORDS);
    cw_mcp_command_file(job, "--requests", &job->place, CW_MCP_REQUESTS);
    if (links)
        cw_mcp_command_file(job, "--links", &job->place, CW_MCP_LINKS);
    else
        cw_mcp_command_set(job, "--set", "output.links=");
}

/* ---- the list ---- */

cw_mcp_job *cw_mcp_jobs_add(cw_mcp_server *server, const cw_mcp_caller *caller, json_t *arguments)
{
    cw_mcp_job **at = &server->jobs, *job;
    for (unsigned count = 0; *at; at = &(*at)->next)
        if (++count >= JOBS_MOST)
            return NULL;
    job = *at = cw_tool_memory_granted(calloc(1, sizeof *job));
    job->server = server;
    job->caller = *caller;
    json_incref(job->caller.id);
    json_incref(job->caller.token);
    job->arguments = arguments ? json_incref(arguments) : json_object();
    job->hosts = json_array();
    return job;
}

void cw_mcp_jobs_drop(cw_mcp_job *job)
{
    cw_mcp_job **at = &job->server->jobs;
    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
    if (job->folder.size)
        cw_remove_folder(job->folder.data);
    if (job->drops_state)
        cw_remove_folder(job->state.data);
    if (job->place.size)
        rmdir(job->place.data); /* of a crawl that has left nothing: fails if it has */
    json_decref(job->caller.id);
    json_decref(job->caller.token);
    json_decref(job->arguments);
    json_decref(job->hosts);
    json_decref(job->command);
    crawl_buf_free(&job->folder);
    crawl_buf_free(&job->place);
    crawl_buf_free(&job->handle);
    crawl_buf_free(&job->state);
    free(job);
}

static cw_mcp_job *jobs_find(const cw_mcp_server *server, const json_t *id)
{
    for (cw_mcp_job *job = server->jobs; job; job = job->next)
        if (job->stage != CW_MCP_COOLS && !job->is_silent && json_equal(job->caller.id, id))
            return job;
    return NULL;
}

bool cw_mcp_jobs_have(const cw_mcp_server *server, const json_t *id)
{
    return jobs_find(server, id) != NULL;
}

void cw_mcp_jobs_cancel(cw_mcp_server *server, const json_t *id)
{
    cw_mcp_job *job = jobs_find(server, id);
    if (!job)
        return;
    job->is_silent = true;
    job->deadline_ms = 0;
}

/* ---- budgets ---- */

static void jobs_limit(cw_mcp_job *job, const char *option, int64_t limit, const char *unit)
{
    char word[64];
    snprintf(word, sizeof word, "%s=%lld%s", option, (long long)limit, unit);
    json_array_insert_new(job->command, 1, json_string(word));
}

static bool jobs_has_left(const cw_mcp_server *server)
{
    return server->left.pages > 0 && server->left.bytes > 0 && server->left.ms > 0;
}

/* Grants the job what it wants, as far as the server has it. Returns false if nothing is left; the job was answered. */
static bool jobs_grant(cw_mcp_job *job)
{
    cw_mcp_limits *left = &job->server->left, *granted = &job->granted;
    if (!jobs_has_left(job->server)) {
        cw_mcp_refuse(job,
                      "The limits of this server are used up: %lld pages, %lld bytes and %lld seconds are left. "
                      "Whoever runs it can raise --total-pages, --total-bytes and --total-time.",
                      (long long)left->pages, (long long)left->bytes, (long long)left->ms / 1000);
        return false;
    }
    granted->pages = jobs_least(job->wanted.pages, left->pages);
    granted->bytes = jobs_least(job->wanted.bytes, left->bytes);
    granted->ms = jobs_least(job->wanted.ms, left->ms);
    left->pages -= granted->pages;
    left->bytes -= granted->bytes;
    left->ms -= granted->ms;
    jobs_limit(job, "--max-pages", granted->pages, "");
    jobs_limit(job, "--max-bytes", granted->bytes, "");
    jobs_limit(job, "--max-time", granted->ms, "ms");
    return true;
}

/* Returns true if later fetches may use the state of this one: it came to its end, or the next would go on with its
 * URLs, and all was answered, or robots.txt may have been out of reach. */
static bool jobs_is_state_good(const cw_mcp_job *job, const cw_mcp_tally *tally)
{
    cw_mcp_words words = {0};
    cw_mcp_common_words(job, &words);
    bool is_whole = cw_starts_with(crawl_buf_slice(&words.ended), "nothing left to fetch");
    cw_mcp_common_words_free(&words);
    return is_whole && tally->pages && !tally->unanswered;
}

static int64_t jobs_rest(int64_t granted, int64_t used)
{
    return used < granted ? granted - used : 0;
}

/* Returns the unused part of the grant. */
static void jobs_settle(cw_mcp_job *job, int64_t now)
{
    cw_mcp_limits *left = &job->server->left, *granted = &job->granted;
    cw_mcp_tally tally = {0};
    if (!granted->pages)
        return;
    cw_mcp_tally_count(&job->place, &tally);
    job->drops_state = job->state.size && !jobs_is_state_good(job, &tally);
    left->pages += jobs_rest(granted->pages, (int64_t)(tally.pages - job->pages_before));
    left->bytes += jobs_rest(granted->bytes, (int64_t)(tally.bytes - job->bytes_before));
    left->ms += jobs_rest(granted->ms, now - job->began_ms);
    *granted = (cw_mcp_limits){0};
    job->ready_ms = now + cw_mcp_tally_requests(&job->place, job->server->holds);
}

/* ---- children ---- */

static void jobs_become(const cw_mcp_job *job, char **words)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    setpgid(0, 0);
    int in = open("/dev/null", O_RDONLY), folder = open(job->folder.data, O_PATH | O_DIRECTORY);
    int out = openat(folder, CW_MCP_OUT, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int err = openat(folder, "err", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
        _exit(127);
    close_range(STDERR_FILENO + 1, ~0u, 0);
    execv(words[0], words);
    _exit(127);
}

/* Notes what the crawl has, which an earlier call may have changed while this one waited. */
static void jobs_note_before(cw_mcp_job *job)
{
    cw_mcp_tally tally = {0};
    cw_mcp_tally_count(&job->place, &tally);
    job->pages_before = tally.pages;
    job->bytes_before = tally.bytes;
    cw_mcp_tally_more(job);
    job->pages = 0;
}

static void jobs_start(cw_mcp_job *job, int64_t now)
{
    if (job->wanted.pages && (cw_mcp_holds_refuse(job) || !jobs_grant(job))) {
        job->stage = CW_MCP_COOLS;
        return;
    }
    size_t count = json_array_size(job->command);
    char **words = cw_tool_memory_granted(calloc(count + 1, sizeof *words));
    for (size_t i = 0; i < count; i++)
        words[i] = (char *)json_string_value(json_array_get(job->command, i));
    if (job->granted.pages)
        jobs_note_before(job);
    job->stage = CW_MCP_RUNS;
    job->is_ending = false;
    job->began_ms = job->told_ms = now;
    job->deadline_ms = now + (job->granted.ms ? job->granted.ms : job->server->call.ms) + GRACE_MS;
    job->child = fork();
    if (job->child == 0)
        jobs_become(job, words);
    if (job->child > 0)
        setpgid(job->child, job->child); /* in both processes, so that the group exists from now on */
    free(words);
}

/* Ends a child. The job keeps its place if it has a further one. */
static void jobs_end(cw_mcp_job *job, int status, int64_t now)
{
    job->child = 0;
    jobs_settle(job, now);
    job->is_started = false;
    if (!job->is_silent)
        job->ended(job, status);
    job->stage = job->is_started ? CW_MCP_WAITS : CW_MCP_COOLS;
}

/* Returns true if the child has written more than anybody will read. */
static bool jobs_floods(const cw_mcp_job *job)
{
    crawl_buf path = {0};
    struct stat out;
    cw_tool_memory_must(crawl_buf_printf(&path, "%s/" CW_MCP_OUT, job->folder.data));
    bool floods = stat(path.data, &out) == 0 && out.st_size > CW_MCP_OUT_MOST;
    crawl_buf_free(&path);
    return floods;
}

static void jobs_watch(cw_mcp_job *job, int64_t now)
{
    int how = 0;
    if (job->child < 0 || waitpid(job->child, &how, WNOHANG) == job->child) {
        jobs_end(job, job->child > 0 && WIFEXITED(how) ? WEXITSTATUS(how) : -1, now);
        return;
    }
    if (now >= job->deadline_ms || (!job->is_ending && jobs_floods(job))) {
        kill(-job->child, job->is_ending ? SIGKILL : SIGTERM);
        job->is_ending = true;
        job->deadline_ms = now + GRACE_MS;
    }
    if (job->caller.token && !job->is_silent && job->granted.pages && now >= job->told_ms + TELL_MS) {
        job->told_ms = now;
        if (cw_mcp_tally_more(job))
            cw_mcp_progress(&job->caller, job->pages, job->granted.pages);
    }
}

/* ---- turns ---- */

static bool jobs_share_host(const cw_mcp_job *one, const cw_mcp_job *other)
{
    size_t i, k;
    json_t *a, *b;
    json_array_foreach(one->hosts, i, a)
    {
        json_array_foreach(other->hosts, k, b)
        {
            if (json_equal(a, b))
                return true;
        }
    }
    return false;
}

static bool jobs_may_start(const cw_mcp_job *job)
{
    unsigned running = 0;
    bool comes_back = false; /* a part of what was granted */
    for (const cw_mcp_job *other = job->server->jobs; other; other = other->next) {
        running += other->stage == CW_MCP_RUNS;
        comes_back |= other->granted.pages > 0;
    }
    if (job->wanted.pages && comes_back && !jobs_has_left(job->server))
        return false;
    int64_t wait = job->wanted.pages ? cw_mcp_holds_wait(job) : 0;
    if (wait && wait <= job->wanted.ms)
        return false;
    for (const cw_mcp_job *other = job->server->jobs; other != job; other = other->next)
        if (jobs_share_host(job, other))
            return false;
    return running < JOBS_RUNNING;
}

int cw_mcp_jobs_turn(cw_mcp_server *server)
{
    int64_t now = jobs_now();
    for (cw_mcp_job *job = server->jobs, *next; job; job = next) {
        next = job->next;
        if (job->stage == CW_MCP_RUNS)
            jobs_watch(job, now);
        if (job->stage == CW_MCP_WAITS && job->is_silent)
            job->stage = CW_MCP_COOLS;
        if (job->stage == CW_MCP_COOLS && now >= job->ready_ms)
            cw_mcp_jobs_drop(job);
        else if (job->stage == CW_MCP_WAITS && jobs_may_start(job))
            jobs_start(job, now);
    }
    return server->jobs ? TURN_MS : -1;
}

static bool jobs_run(const cw_mcp_server *server, int signal_number)
{
    bool any = false;
    for (cw_mcp_job *job = server->jobs; job; job = job->next)
        if (job->stage == CW_MCP_RUNS && job->child > 0) {
            kill(-job->child, signal_number);
            if (waitpid(job->child, NULL, signal_number == SIGKILL ? 0 : WNOHANG) == job->child)
                job->stage = CW_MCP_COOLS;
            else
                any = true;
        }
    return any;
}

void cw_mcp_jobs_stop(cw_mcp_server *server)
{
    int64_t end = jobs_now() + END_MS;
    struct timespec wait = {.tv_nsec = 20000000};
    for (bool any = jobs_run(server, SIGTERM); any && jobs_now() < end; any = jobs_run(server, 0))
        nanosleep(&wait, NULL);
    jobs_run(server, SIGKILL);
    while (server->jobs)
        cw_mcp_jobs_drop(server->jobs);
}
