/* The folder with a bot's key and what is published of it. */
#pragma once

#include <crawl/identity.h>

/* The most keys of other files that a directory has besides. */
#define CW_BOT_MAX_ALSO 8

/* The plan of a folder. Borrowed. */
typedef struct cw_bot_making {
    const char *folder;
    const char *url;                   /* of the page about the bot; NULL: its settings stand in the folder */
    const char *name;                  /* a product token */
    const char *also[CW_BOT_MAX_ALSO]; /* files of further keys */
    size_t also_count;
    int64_t days;                           /* that the signatures of the directory hold */
    const char *contact, *purpose, *ranges; /* as in cw_bot */
    bool renders;
} cw_bot_making;

/* Makes a folder, which may be there, a key in it, which may not, and all files about them. Errors as of files, with
 * words. CRAWL_EINVAL: a URL is none of https. */
crawl_err cw_bot_make(const cw_bot_making *making, crawl_error *error);
/* Writes the directory of a folder's key anew, and signs it. */
crawl_err cw_bot_renew(const cw_bot_making *making, crawl_error *error);

/* Reads the directory that stands in a folder and checks it as if it was answered (bot_check.h). An exit status. */
int cw_bot_check_folder(const char *folder);
