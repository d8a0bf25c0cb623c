/* The building blocks of a fence that a process puts around itself, or around a program that it will exec. Nothing here
 * allocates, so it may run between fork and exec. */
#pragma once

#include <crawl/base.h>
#include <sys/resource.h>

/* The architecture whose system calls a filter (seccomp) lets through. Not defined: filters do not support this one. */
#if defined(__x86_64__)
#define CW_FENCE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CW_FENCE_ARCH AUDIT_ARCH_AARCH64
#endif

/* True in a build with a sanitizer whose shadow memory takes terabytes of address space, so that memory cannot be
 * limited. GCC and Clang report it in different ways. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CW_FENCE_IS_SANITIZED true
#elif defined(__has_feature)
#define CW_FENCE_IS_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define CW_FENCE_IS_SANITIZED false
#endif

/* The rights of Landlock's first version, which every kernel with Landlock supports. */
#define CW_FENCE_ALL_RIGHTS ((uint64_t)((LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1))

/* Returns a limit (RLIMIT_...) with soft and hard lowered to `most`; a lower hard limit stays. */
struct rlimit cw_fence_lower(int what, struct rlimit limit, rlim_t most);
/* Lowers a limit of this process. False, with errno: it failed. */
bool cw_fence_limit(int what, rlim_t most);

/* Starts a Landlock rule set that forbids all files not allowed later. Returns a descriptor; -1, with errno: ENOSYS or
 * EOPNOTSUPP if this kernel has no Landlock. */
int cw_fence_begin_rules(void);
/* Allows these rights (LANDLOCK_ACCESS_FS_...) on path and below. A path that does not exist needs no rule. False, with
 * errno. */
bool cw_fence_allow(int rules, const char *path, uint64_t rights);
/* Enforces the rules on this process, which must have PR_SET_NO_NEW_PRIVS, and closes them. False, with errno. */
bool cw_fence_enforce_rules(int rules);
