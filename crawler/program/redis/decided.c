#include "crawler/program/redis/decided.h"

#include "base/error.h"
#include "crawler/program/redis/remote.h"

#include <crawl/explain.h>
#include <crawl/shared_view.h>
#include <event2/event.h>
#include <jansson.h>
#include <stdlib.h>

struct cw_remote_decided {
    json_t *values; /* by their names */
    struct event_base *base;
    crawl_err err;
};

enum { PATIENCE_MS = 3000 };

static void decided_on_viewed(void *user, crawl_err err, const crawl_error *error, const crawl_shared_picture *picture)
{
    cw_remote_decided *decided = user;
    (void)error;
    decided->err = err;
    for (size_t i = 0; !decided->err && i < picture->decided_count; i++) {
        const crawl_shared_decided *one = &picture->decided[i];
        json_t *value = json_stringn_nocheck(one->value.data, one->value.size);
        if (!value || json_object_set_new_nocheck(decided->values, one->name.data, value))
            decided->err = CRAWL_ENOMEM;
    }
    event_base_loopbreak(decided->base);
}

/* CRAWL_ABSENT: it is not there, or cannot be asked. */
static crawl_err decided_ask(cw_remote_decided *decided, const crawl_config *config)
{
    static const char *const names[] = {"name", NULL};
    cw_remote *remote = NULL;
    crawl_error error = {0};
    crawl_err err = cw_remote_open(config->shared, names, config, &remote, &error);
    if (!err) {
        const crawl_shared_view_options options = {
            .size = sizeof options, .name = cw_remote_url(remote)->values[0], .decided = true};
        decided->base = cw_remote_base(remote);
        decided->err = CRAWL_ABSENT;
        err = crawl_shared_view(cw_remote_redis(remote), &options, decided_on_viewed, decided, &error);
        if (!err)
            cw_remote_run(remote, PATIENCE_MS);
        err = err ? err : decided->err;
    }
    cw_remote_close(remote);
    return err && err != CRAWL_ENOMEM ? CRAWL_ABSENT : err;
}

crawl_err cw_remote_decided_ask(const crawl_config *config, cw_remote_decided **out)
{
    *out = NULL;
    cw_remote_decided *decided = calloc(1, sizeof *decided);
    if (decided)
        decided->values = json_object();
    crawl_err err = decided && decided->values ? decided_ask(decided, config) : CRAWL_ENOMEM;
    if (!err) {
        *out = decided;
        return CRAWL_OK;
    }
    cw_remote_decided_free(decided);
    return err == CRAWL_ABSENT ? CRAWL_OK : err;
}

crawl_err cw_remote_decided_take(const cw_remote_decided *decided, crawl_config *config, crawl_error *error)
{
    const char *name;
    json_t *value;
    crawl_err err = CRAWL_OK;
    json_object_foreach(decided->values, name, value)
    {
        crawl_slice text = crawl_slice_of(json_string_value(value), json_string_length(value));
        err = err ? err : crawl_shared_adopt(config, crawl_slice_from(name), text, error);
    }
    return err;
}

void cw_remote_decided_free(cw_remote_decided *decided)
{
    if (!decided)
        return;
    json_decref(decided->values);
    free(decided);
}
