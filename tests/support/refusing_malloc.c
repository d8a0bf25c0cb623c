/* Refuses one allocation of a program: number REFUSE_AT, counted from main() on. Loaded by LD_PRELOAD. Writes the
 * number of allocations to the file REFUSE_COUNT at exit. For glibc. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*main_function)(int, char **, char **);

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);

static atomic_long count;
static atomic_long refused_at = -1; /* -1: main() has not begun */
static main_function begins;

static int is_refused(void)
{
    if (refused_at < 0 || ++count != refused_at)
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return is_refused() ? NULL : __libc_malloc(size);
}

void *calloc(size_t number, size_t size)
{
    return is_refused() ? NULL : __libc_calloc(number, size);
}

void *realloc(void *block, size_t size)
{
    return is_refused() ? NULL : __libc_realloc(block, size);
}

static int begin(int argc, char **argv, char **environment)
{
    const char *at = getenv("REFUSE_AT");
    refused_at = at ? atol(at) : 0;
    return begins(argc, argv, environment);
}

int __libc_start_main(main_function program, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end)
{
    int (*start)(main_function, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
    void *found = dlsym(RTLD_NEXT, "__libc_start_main");
    memcpy(&start, &found, sizeof start);
    begins = program;
    return start(begin, argc, argv, init, fini, rtld_fini, stack_end);
}

__attribute__((destructor)) static void end(void)
{
    long counted = count;
    refused_at = -1;
    const char *path = getenv("REFUSE_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%ld\n", counted);
    fclose(file);
}
