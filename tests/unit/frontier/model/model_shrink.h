/* Shortens a failing list of steps: delta debugging (Zeller, Hildebrandt 2002) leaves out stretches of steps, ever
 * smaller ones, as long as the rest still fails in any way. Links are then left out and numbers set to 0 in the same
 * way.
 *
 * Each run is a separate process, so a list that makes the frontier crash or hang can be shortened too. */
#pragma once

#include "tests/unit/frontier/model/model_list.h"
#include "tests/unit/frontier/model/model_run.h"

#include <sys/wait.h>
#include <time.h>

/* No list takes MODEL_RUN_S. With one run that hangs and all of MODEL_SHRINK_S, a test ends before ctest's limit.
 * Planted faults have no limit. */
enum { MODEL_RUNS = 3000, MODEL_RUN_S = 120, MODEL_SHRINK_S = 60 };

typedef enum model_way {
    MODEL_IN_PLACE,
    MODEL_APART,
    MODEL_SILENT /* apart, with a sanitizer's report suppressed */
} model_way;

/* ThreadSanitizer cannot start threads after a fork. */
#ifdef __SANITIZE_THREAD__
enum { MODEL_CAN_FORK = false };
#else
enum { MODEL_CAN_FORK = true };
#endif

static inline void run_as_child(const model_list *list, const char *path, bool silent, int out)
{
    char text[MODEL_TEXT] = "";
    if (silent && !freopen("/dev/null", "w", stderr))
        _exit(1);
    alarm(MODEL_RUN_S);
    model_run(list, path, text);
    ssize_t written = write(out, text, sizeof text);
    _exit(written != (ssize_t)sizeof text);
}

static inline void wait_for_child(pid_t child, int in, char text[MODEL_TEXT])
{
    int status = 0;
    bool whole = read(in, text, MODEL_TEXT) == MODEL_TEXT;
    cr_assert_eq(waitpid(child, &status, 0), child);
    if (whole && status == 0)
        return;
    if (WIFSIGNALED(status))
        snprintf(text, MODEL_TEXT, "ended by signal %d", WTERMSIG(status));
    else
        snprintf(text, MODEL_TEXT, "ended with status %d", WEXITSTATUS(status));
}

static inline void run_apart(const model_list *list, const char *path, bool silent, char text[MODEL_TEXT])
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0)
        run_as_child(list, path, silent, ends[1]);
    close(ends[1]);
    wait_for_child(child, ends[0], text);
    close(ends[0]);
}

/* Like model_run, in a temporary directory. */
static inline bool model_holds(const model_list *list, model_way way, char text[MODEL_TEXT])
{
#ifdef DURABLE
    directory made = make_directory();
    const char *path = made.path;
#else
    const char *path = NULL;
#endif
    *text = 0;
    if (way != MODEL_IN_PLACE && MODEL_CAN_FORK)
        run_apart(list, path, way == MODEL_SILENT, text);
    else
        model_run(list, path, text);
#ifdef DURABLE
    remove_directory(path);
#endif
    return !*text;
}

typedef struct shrinker {
    model_list list; /* the shortest failing list */
    model_list next; /* to be tried */
    char text[MODEL_TEXT];
    unsigned runs;
    time_t until; /* when the list is short enough */
} shrinker;

static inline void copy_list(model_list *to, const model_list *from)
{
    to->setup = from->setup;
    to->count = from->count;
    memcpy(to->steps, from->steps, from->count * sizeof *from->steps);
}

/* Returns true if `next` fails too. It is then the shortest. */
static inline bool still_fails(shrinker *s)
{
    char text[MODEL_TEXT];
    if (s->runs >= MODEL_RUNS || time(NULL) > s->until)
        return false;
    s->runs++;
    if (model_holds(&s->next, MODEL_SILENT, text))
        return false;
    copy_list(&s->list, &s->next);
    memcpy(s->text, text, sizeof text);
    return true;
}

/* Leaves out a stretch; if the rest does not fail, tries it with the stretch's time still passing. */
static inline bool leave_out(shrinker *s, size_t begin, size_t size)
{
    model_list *next = &s->next;
    int64_t ahead = 0;
    copy_list(next, &s->list);
    size = size < next->count - begin ? size : next->count - begin;
    for (size_t i = begin; i < begin + size; i++)
        ahead += next->steps[i].ahead;
    next->count -= size;
    memmove(next->steps + begin, next->steps + begin + size, (next->count - begin) * sizeof *next->steps);
    if (still_fails(s))
        return true;
    if (!ahead || begin == next->count)
        return false;
    next->steps[begin].ahead += ahead;
    return still_fails(s);
}

/* Leaves out stretches of this size. Returns true if any was left out. */
static inline bool leave_out_all(shrinker *s, size_t size)
{
    bool any = false;
    for (size_t begin = 0; begin < s->list.count;) {
        bool gone = leave_out(s, begin, size);
        begin += gone ? 0 : size;
        any |= gone;
    }
    return any;
}

static inline void shrink_steps(shrinker *s)
{
    for (size_t size = s->list.count / 2; size > 1; size /= 2)
        leave_out_all(s, size);
    while (leave_out_all(s, 1)) {
    }
}

static inline bool drop_link(shrinker *s, size_t at, size_t link)
{
    model_step *step = &s->next.steps[at];
    copy_list(&s->next, &s->list);
    step->count--;
    memmove(step->links + link, step->links + link + 1, (step->count - link) * sizeof *step->links);
    memset(&step->links[step->count], 0, sizeof *step->links);
    return still_fails(s);
}

/* Each of these simplifies one field of a step. */
static inline void no_wait(model_step *step)
{
    step->ahead = 0;
}
static inline void first_lease(model_step *step)
{
    step->pick = 0;
}
static inline void no_memo(model_step *step)
{
    step->memo = 0;
    for (size_t i = 0; i < step->count; i++)
        step->links[i].memo = 0;
}
static inline void no_order(model_step *step)
{
    for (size_t i = 0; i < step->count; i++) {
        step->links[i].depth = 0;
        step->links[i].priority = 0;
    }
}
static inline void no_revisit(model_step *step)
{
    for (size_t i = 0; i < step->count; i++)
        step->links[i].revisit = false;
}

static inline void make_plain(shrinker *s, size_t at)
{
    static void (*const changes[])(model_step *) = {no_wait, first_lease, no_memo, no_order, no_revisit};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        copy_list(&s->next, &s->list);
        changes[i](&s->next.steps[at]);
        if (memcmp(&s->next.steps[at], &s->list.steps[at], sizeof *s->list.steps) != 0)
            still_fails(s);
    }
    for (size_t link = s->list.steps[at].count; link-- > 0 && s->list.steps[at].count > 1;)
        drop_link(s, at, link);
}

/* Shortens s->list, which fails. */
static inline void shrink(shrinker *s)
{
    bool is_planted = s->list.setup.fault != MODEL_SOUND;
    s->until = is_planted ? INT64_MAX : time(NULL) + MODEL_SHRINK_S;
    shrink_steps(s);
    for (size_t at = 0; at < s->list.count; at++)
        make_plain(s, at);
    shrink_steps(s);
}
