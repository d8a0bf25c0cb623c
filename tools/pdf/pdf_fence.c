#include "tools/pdf/pdf_text.h"

#include "base/fence_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef CW_FENCE_ARCH
#error "crawl-pdf knows the system calls of x86-64 and arm64 alone: configure with -DCRAWL_PDF=OFF"
#endif

#define MEMORY_MAX ((rlim_t)512 << 20)
#define OUTPUT_MAX ((rlim_t)64 << 20)
#define PROCESSOR_MAX_S ((rlim_t)20)
#define WALL_MAX_S 60u

static bool pdf_fence_limits(void)
{
    alarm(WALL_MAX_S); /* for manual use */
    return (CW_FENCE_IS_SANITIZED || cw_fence_limit(RLIMIT_AS, MEMORY_MAX)) &&
           cw_fence_limit(RLIMIT_CPU, PROCESSOR_MAX_S) && cw_fence_limit(RLIMIT_FSIZE, OUTPUT_MAX) &&
           cw_fence_limit(RLIMIT_CORE, 0);
}

static bool pdf_fence_landlock(void)
{
    int rules = cw_fence_begin_rules();
    if (rules < 0)
        return errno == ENOSYS || errno == EOPNOTSUPP;
    if (cw_fence_allow(rules, "/usr/share/poppler", LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR))
        return cw_fence_enforce_rules(rules);
    close(rules);
    return false;
}

/* --- system calls --- */

static const unsigned pdf_fence_calls[] = {
    __NR_read,         __NR_readv,          __NR_pread64,      __NR_write,       __NR_writev,
    __NR_lseek,        __NR_close,          __NR_fstat,        __NR_newfstatat,  __NR_statx,
    __NR_fcntl,        __NR_getdents64,     __NR_readlinkat,   __NR_faccessat,   __NR_brk,
    __NR_mremap,       __NR_munmap,         __NR_madvise,      __NR_futex,       __NR_getrandom,
    __NR_rt_sigaction, __NR_rt_sigprocmask, __NR_rt_sigreturn, __NR_sigaltstack, __NR_clock_gettime,
    __NR_gettimeofday, __NR_getrusage,      __NR_getpid,       __NR_gettid,      __NR_sched_yield,
    __NR_uname,        __NR_sysinfo,        __NR_exit,         __NR_exit_group,  __NR_sched_getaffinity,
};

enum { CALLS = sizeof pdf_fence_calls / sizeof *pdf_fence_calls };

/* Calls that are allowed unless their third argument has one of these bits. */
static const struct {
    unsigned call, bits;
} pdf_fence_bits[] = {
    {__NR_openat, O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND},
    {__NR_mmap, PROT_EXEC},
    {__NR_mprotect, PROT_EXEC},
};

enum { BITS = sizeof pdf_fence_bits / sizeof *pdf_fence_bits };

typedef struct fence_program {
    struct sock_filter steps[5 + 2 * CALLS + 5 * BITS];
    unsigned short count;
} fence_program;

static void fence_program_add(fence_program *program, struct sock_filter step)
{
    program->steps[program->count++] = step;
}

/* Makes the filter. All other calls fail as forbidden, which poppler and the C library can handle. */
static void fence_program_make(fence_program *program)
{
    const struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_filter forbid = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    fence_program_add(program,
                      (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)));
    fence_program_add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CW_FENCE_ARCH, 1, 0));
    fence_program_add(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
    fence_program_add(program,
                      (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
    for (size_t i = 0; i < CALLS; i++) {
        fence_program_add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, pdf_fence_calls[i], 0, 1));
        fence_program_add(program, allow);
    }
    for (size_t i = 0; i < BITS; i++) {
        fence_program_add(program,
                          (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, pdf_fence_bits[i].call, 0, 4));
        fence_program_add(
            program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])));
        fence_program_add(program,
                          (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, pdf_fence_bits[i].bits, 0, 1));
        fence_program_add(program, forbid);
        fence_program_add(program, allow);
    }
    fence_program_add(program, forbid);
}

static bool pdf_fence_filter(void)
{
    fence_program program = {0};
    fence_program_make(&program);
    const struct sock_fprog filter = {.len = program.count, .filter = program.steps};
    return !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0);
}

const char *cw_pdf_fence_raise(void)
{
    if (!pdf_fence_limits())
        return "limits";
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || !pdf_fence_landlock())
        return "landlock";
    return pdf_fence_filter() ? NULL : "filter";
}
