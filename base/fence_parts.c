#include "base/fence_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

/* At the soft limit of processor time the process gets SIGXCPU, which tells why it ends; at the hard limit SIGKILL. */
struct rlimit cw_fence_lower(int what, struct rlimit limit, rlim_t most)
{
    bool is_time = what == RLIMIT_CPU;
    rlim_t hard = most + is_time, soft = is_time && limit.rlim_cur < most ? limit.rlim_cur : most;
    limit.rlim_max = limit.rlim_max < hard ? limit.rlim_max : hard;
    limit.rlim_cur = limit.rlim_max < soft ? limit.rlim_max : soft;
    return limit;
}

bool cw_fence_limit(int what, rlim_t most)
{
    struct rlimit limit;
    if (getrlimit(what, &limit))
        return false;
    limit = cw_fence_lower(what, limit, most);
    return !setrlimit(what, &limit);
}

int cw_fence_begin_rules(void)
{
    const struct landlock_ruleset_attr all = {.handled_access_fs = CW_FENCE_ALL_RIGHTS};
    return (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0);
}

bool cw_fence_allow(int rules, const char *path, uint64_t rights)
{
    int place = open(path, O_PATH | O_CLOEXEC);
    if (place < 0)
        return errno == ENOENT || errno == EACCES;
    struct landlock_path_beneath_attr beneath = {.allowed_access = rights, .parent_fd = place};
    bool is_added = !syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
    close(place);
    return is_added;
}

bool cw_fence_enforce_rules(int rules)
{
    bool holds = !syscall(SYS_landlock_restrict_self, rules, 0);
    close(rules);
    return holds;
}
