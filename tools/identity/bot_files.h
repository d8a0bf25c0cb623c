/* The texts that the maker of a bot publishes or edits. */
#pragma once

#include <crawl/base.h>

/* Facts about a bot. Borrowed. */
typedef struct cw_bot {
    const char *name;  /* product token (RFC 9309, 2.2.1) */
    const char *url;   /* of the page about it */
    const char *card;  /* URL of its card */
    const char *agent; /* URL of its directory */
    const char *user_agent;
    const char *key; /* its thumbprint */
    const char *key_file;
    const char *contact; /* an address that somebody reads; NULL: none */
    const char *purpose; /* in words; "": none */
    const char *ranges;  /* URL of the list of its addresses (JAFAR); NULL: none */
    const char *renders; /* render.render of its crawls; NULL: never */
} cw_bot;

/* Append the card for registries of bots (draft-meunier-webbotauth-registry-04), as JSON; the page for people who find
 * the bot in their logs, as HTML; and a configuration for crawling. CRAWL_ENOMEM. */
crawl_err cw_bot_card(const cw_bot *bot, crawl_buf *out);
crawl_err cw_bot_page(const cw_bot *bot, crawl_buf *out);
crawl_err cw_bot_config(const cw_bot *bot, crawl_buf *out);
