#include "crawler/program/live/where.h"

#include "tools/common/messages/message.h"

/* The token goes to standard error alone: a log may be read by others. */
static void say_token(const cw_live *live)
{
    crawl_buf shown = {0};
    if (crawl_buf_printf(&shown, "crawl: to control it: %s#token=%s\n", cw_live_url(live), cw_live_made_token(live)) ==
        CRAWL_OK)
        cw_message_put(&(cw_message){
            .level = CW_MESSAGE_INFO,
            .text = crawl_slice_from("crawl: the token to control it stands on standard error\n"),
            .shown = crawl_buf_slice(&shown),
        });
    crawl_buf_free(&shown);
}

void cw_live_say_where(const cw_live *live, const char *listen)
{
    crawl_listen asked = {{0}, 0};
    crawl_listen_parse(crawl_slice_from(listen), &asked);
    cw_message_say(asked.port ? CW_MESSAGE_INFO : CW_MESSAGE_ASKED, "live at %s", cw_live_url(live));
    if (cw_live_made_token(live))
        say_token(live);
}
