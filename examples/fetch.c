/* The fetcher alone: one transfer on your own libevent loop. Usage: fetch URL */
#include <crawl/fetch.h>
#include <event2/event.h>
#include <stdio.h>

static void on_done(void *user, const crawl_response *response)
{
    (void)user;
    if (response->error)
        fprintf(stderr, "%s: %s\n", crawl_fetch_error_name(response->error), response->error_text);
    fprintf(stderr, "%d, %zu bytes from %s in %.1f ms\n", response->status, response->body.size, response->ip,
            response->elapsed_ms);
    fwrite(response->body.data, 1, response->body.size, stdout);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: fetch URL\n");
        return 2;
    }
    struct event_base *loop = event_base_new();
    crawl_fetch_options options;
    crawl_fetch_options_init(&options, sizeof options);
    options.user_agent = "example/1.0";
    options.allow_private = true; /* the user chose the URL; the default is to ask public addresses only */
    crawl_fetcher *fetcher;
    crawl_error error;
    if (!loop || crawl_fetcher_create(loop, &options, &fetcher, &error)) {
        fprintf(stderr, "%s\n", loop ? error.message : "no event loop");
        return 1;
    }
    crawl_fetch_request request = {.size = sizeof request, .url = crawl_slice_from(argv[1]), .on_done = on_done};
    crawl_err err = crawl_fetch(fetcher, &request, NULL);
    if (err)
        fprintf(stderr, "%s: %s\n", argv[1], crawl_strerror(err));
    while (crawl_fetcher_running(fetcher) && event_base_loop(loop, EVLOOP_ONCE) == 0)
        ;
    crawl_fetcher_free(fetcher);
    event_base_free(loop);
    return err ? 1 : 0;
}
