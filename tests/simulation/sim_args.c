#include "tests/simulation/sim_args.h"

#include "tests/simulation/sim_redis.h"
#include "tests/simulation/sim_world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((format(printf, 2, 3))) static void add_arg(sim_args *args, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    if (args->count == SIM_ARGS_MAX || vasprintf(&args->words[args->count++], format, values) < 0)
        abort();
    va_end(values);
}

/* Each of several processes has its own files. */
static const char *file_name(const char *word, uint32_t birth, char out[SIM_NAME_SIZE])
{
    if (sim_world_now->plan.processes)
        snprintf(out, SIM_NAME_SIZE, "%s.%u.jsonl", word, birth);
    else
        snprintf(out, SIM_NAME_SIZE, "%s.jsonl", word);
    return out;
}

const char *sim_args_records(uint32_t birth, char out[SIM_NAME_SIZE])
{
    return file_name("records", birth, out);
}

char *sim_args_state(char out[SIM_STATE_SIZE])
{
    if (sim_world_now->plan.processes)
        snprintf(out, SIM_STATE_SIZE, "unix:%s?name=shop", sim_redis_socket());
    else
        snprintf(out, SIM_STATE_SIZE, "state");
    return out;
}

void sim_args_of_audit(sim_args *args)
{
    char name[SIM_NAME_SIZE];
    add_arg(args, "%s", CRAWL_AUDIT);
    for (uint32_t i = 0; i == 0 || i < sim_world_now->births; i++)
        add_arg(args, "%s", file_name("requests", i, name));
}

void sim_args_of_plan(sim_args *args)
{
    const sim_plan *plan = &sim_world_now->plan;
    char name[SIM_NAME_SIZE];
    char state[SIM_STATE_SIZE];
    uint32_t birth = plan->processes ? sim_world_now->births++ : 0;
    add_arg(args, "crawl");
    add_arg(args, "--seeds=seeds");
    add_arg(args, "--output=%s", sim_args_records(birth, name));
    add_arg(args, "--requests=%s", file_name("requests", birth, name));
    add_arg(args, "--depth=%u", plan->depth);
    add_arg(args, "--order=%s", plan->order);
    add_arg(args, "--seen=%s", plan->seen);
    add_arg(args, "--workers=%u", plan->workers);
    add_arg(args, "--per-host=%u", plan->per_host);
    add_arg(args, "--delay=%ums", plan->delay_ms);
    add_arg(args, "--retries=%u", plan->retries);
    add_arg(args, "--set=politeness.max_redirects=%u", plan->redirects);
    if (plan->connections)
        add_arg(args, "--connections=%u", plan->connections);
    if (!plan->adaptive)
        add_arg(args, "--no-adaptive");
    if (plan->processes)
        add_arg(args, "--set=state.lease=%dms", SIM_LEASE_MS);
    if (plan->kept)
        add_arg(args, "--state=%s", sim_args_state(state));
    if (plan->kept && plan->hosts > SIM_HOSTS_FEW)
        add_arg(args, "--set=state.site_memory=64KiB");
    if (plan->kept && plan->hosts > SIM_HOSTS_MANY)
        add_arg(args, "--set=state.host_memory=1MiB");
    else if (plan->kept && plan->hosts % 2) /* keeps ten hosts in memory if nothing else holds more */
        add_arg(args, "--set=state.host_memory=4KiB");
    if (plan->cookies)
        add_arg(args, "--cookies");
    if (plan->sitemaps)
        add_arg(args, "--sitemaps");
    if (plan->per_ip)
        add_arg(args, "--per-ip");
    if (plan->days)
        add_arg(args, "--set=output.progress_interval=7d");
    if (plan->revisit_s)
        add_arg(args, "--revisit");
    if (plan->revisit_s && !plan->days) {
        add_arg(args, "--set=revisit.interval=%us", plan->revisit_s);
        add_arg(args, "--set=revisit.min_interval=%us", plan->revisit_s / 3);
        add_arg(args, "--set=revisit.gone=1");
    }
    if (plan->max_seconds)
        add_arg(args, "--max-time=%us", plan->max_seconds);
    if (plan->max_pages)
        add_arg(args, "--max-pages=%u", plan->max_pages);
}
