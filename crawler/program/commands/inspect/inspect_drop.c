/* `crawl inspect redis://... --drop`. What is deleted does not come back, so a person is asked. */
#include "crawler/program/commands/inspect/inspect.h"
#include "crawler/program/summary/units.h"
#include "tools/common/status.h"

#include <crawl/shared_view.h>
#include <event2/event.h>
#include <inttypes.h>
#include <unistd.h>

typedef struct inspect_drop {
    cw_remote *remote;
    const char *name;
    uint64_t keys;
    crawl_err err;
    crawl_error *error;
} inspect_drop;

static void inspect_drop_on_dropped(void *user, crawl_err err, const crawl_error *error, uint64_t keys)
{
    inspect_drop *drop = user;
    drop->keys = keys;
    drop->err = err ? crawl_error_set(drop->error, err, "%s, %s: %s, after %" PRIu64 " keys",
                                      cw_remote_name(drop->remote), drop->name, error->message, keys)
                    : CRAWL_OK;
    event_base_loopbreak(cw_remote_base(drop->remote));
}

/* Does the person agree? *agreed is false where not. */
static crawl_err inspect_drop_agree(const char *name, const cw_inspect_standing *standing, bool *agreed,
                                    crawl_error *error)
{
    char answer[8] = "";
    if (!isatty(STDIN_FILENO))
        return crawl_error_set(error, CRAWL_EINVAL, "--drop deletes a crawl: where nobody can be asked, add --yes");
    fprintf(stderr, "%s: %" PRIu64 " request%s finished, %" PRIu64 " queued. Delete all of it? (type 'yes'): ", name,
            standing->finished, cw_program_plural(standing->finished), standing->queued);
    *agreed = fgets(answer, sizeof answer, stdin) && strcmp(answer, "yes\n") == 0;
    return CRAWL_OK;
}

static crawl_err inspect_drop_carry_out(inspect_drop *drop)
{
    enum { PATIENCE_MS = 3600 * 1000 }; /* a server that is there answers a part of it within ten seconds */
    drop->err = crawl_error_set(drop->error, CRAWL_ENET, "%s: it does not answer", cw_remote_name(drop->remote));
    crawl_err err =
        crawl_shared_drop(cw_remote_redis(drop->remote), drop->name, inspect_drop_on_dropped, drop, drop->error);
    if (err)
        return err;
    cw_remote_run(drop->remote, PATIENCE_MS);
    if (!drop->err && !drop->keys)
        return crawl_error_set(drop->error, CRAWL_ABSENT, "%s, %s: there is no crawl of this name",
                               cw_remote_name(drop->remote), drop->name);
    return drop->err;
}

crawl_err cw_inspect_drop(cw_inspect *inspect, cw_remote *remote, const char *name, const cw_inspect_standing *standing,
                          crawl_error *error)
{
    inspect_drop drop = {.remote = remote, .name = name, .error = error};
    bool agreed = true;
    crawl_err err = CRAWL_OK;
    if (standing->alive) {
        inspect->status = CW_EXIT_IN_USE;
        return crawl_error_set(error, CRAWL_ESTATE, "%s, %s: %zu worker%s alive: end the crawl first",
                               cw_remote_name(remote), name, standing->alive, standing->alive == 1 ? " is" : "s are");
    }
    if (!inspect->yes)
        err = inspect_drop_agree(name, standing, &agreed, error);
    if (!err && agreed)
        err = inspect_drop_carry_out(&drop);
    if (err)
        return err;
    if (!agreed) {
        inspect->status = CW_EXIT_NOTHING;
        return puts("nothing was deleted") < 0 ? CRAWL_EIO : CRAWL_OK;
    }
    if (inspect->jsonl)
        return cw_inspect_print(json_pack("{s:I}", "keys", (json_int_t)drop.keys));
    return printf("%s: %" PRIu64 " keys deleted\n", name, drop.keys) < 0 ? CRAWL_EIO : CRAWL_OK;
}
