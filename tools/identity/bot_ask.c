#include "tools/identity/bot_ask.h"

#include "base/clock.h"
#include "tools/common/say.h"
#include "tools/common/status.h"
#include "tools/identity/bot_check.h"

#include <crawl/fetch.h>
#include <event2/event.h>

static const char tool[] = "identity";

typedef struct bot_answer {
    const char *url;
    int status; /* exit status */
} bot_answer;

static void bot_ask_done(void *user, const crawl_response *response)
{
    bot_answer *answer = user;
    answer->status = CW_EXIT_NOTHING;
    if (response->error)
        cw_tool_say(tool, "%s: %s", answer->url, response->error_text);
    else if (response->status != 200)
        cw_tool_say(tool, "%s: status %d, and verifiers want 200 (they follow no redirect)", answer->url,
                    response->status);
    else {
        const cw_bot_directory directory = {.url = crawl_slice_from(answer->url),
                                            .headers = response->headers,
                                            .header_count = response->header_count,
                                            .body = response->body,
                                            .is_answer = true};
        answer->status = cw_bot_check(&directory, cw_wall_ms() / 1000);
    }
}

static crawl_err bot_ask_run(struct event_base *base, const cw_bot_asking *asking, bot_answer *answer,
                             crawl_error *error)
{
    crawl_fetch_options options;
    crawl_fetcher *fetcher = NULL;
    crawl_fetch_options_init(&options, sizeof options);
    options.user_agent = "crawl-identity";
    options.accept = "*/*";
    options.insecure = asking->insecure;
    options.allow_private = asking->allow_private;
    options.max_body_bytes = CRAWL_KEYS_BYTES;
    crawl_err err = crawl_fetcher_create(base, &options, &fetcher, error);
    if (err)
        return err;
    const crawl_fetch_request request = {
        .size = sizeof request, .url = crawl_slice_from(asking->url), .on_done = bot_ask_done, .user = answer};
    err = crawl_fetch(fetcher, &request, NULL);
    if (err)
        crawl_error_set(error, err, "%s: %s", asking->url, crawl_strerror(err));
    while (!err && crawl_fetcher_running(fetcher))
        event_base_loop(base, EVLOOP_ONCE);
    crawl_fetcher_free(fetcher);
    event_base_loop(base, EVLOOP_NONBLOCK); /* which gives the memory of names back */
    return err;
}

int cw_bot_ask(const cw_bot_asking *asking)
{
    bot_answer answer = {.url = asking->url, .status = CW_EXIT_NOTHING};
    crawl_error error = {0};
    struct event_base *base = event_base_new();
    crawl_err err = base ? bot_ask_run(base, asking, &answer, &error) : CRAWL_ENOMEM;
    if (base)
        event_base_free(base);
    if (err)
        cw_tool_say(tool, "%s", error.message[0] ? error.message : crawl_strerror(err));
    return err ? cw_tool_status(err) : answer.status;
}
