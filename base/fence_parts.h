/* The parts of which a process builds a fence around itself, or around a program that it is about to become. Between
 * fork and exec too: nothing here allocates. */
#pragma once

#include <crawl/base.h>
#include <sys/resource.h>

/* The architecture of system calls that a filter (seccomp) lets through. Not defined: filters do not know this one. */
#if defined(__x86_64__)
#define CW_FENCE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CW_FENCE_ARCH AUDIT_ARCH_AARCH64
#endif

/* Is this built with a sanitizer whose shadows take terabytes of addresses, so that memory cannot be limited? GCC and
 * Clang say so in their own ways. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CW_FENCE_IS_SANITIZED true
#elif defined(__has_feature)
#define CW_FENCE_IS_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define CW_FENCE_IS_SANITIZED false
#endif

/* The rights of Landlock's first version, which each kernel has that has Landlock. */
#define CW_FENCE_ALL_RIGHTS ((uint64_t)((LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1))

/* A limit (RLIMIT_...), soft and hard, lowered to `most`; a lower hard one stays. */
struct rlimit cw_fence_lower(int what, struct rlimit limit, rlim_t most);
/* Lowers it for this process. False, with errno: it failed. */
bool cw_fence_limit(int what, rlim_t most);

/* Begins a set of rules of Landlock: no file may be used but those that are allowed. Returns a descriptor; -1, with
 * errno: ENOSYS or EOPNOTSUPP, this kernel has none. */
int cw_fence_begin_rules(void);
/* Allows path, and what is below it, to be used by these rights (LANDLOCK_ACCESS_FS_...). A path that is not there
 * needs no rule. False, with errno. */
bool cw_fence_allow(int rules, const char *path, uint64_t rights);
/* Has the rules hold for this process, without new privileges (PR_SET_NO_NEW_PRIVS), and closes them. False, with
 * errno. */
bool cw_fence_enforce_rules(int rules);
