/* The folder with a bot's key and the files published about it. */
#pragma once

#include <crawl/identity.h>

/* Maximum number of further keys in a directory. */
#define CW_BOT_MAX_ALSO 8

/* Arguments for making a folder. Borrowed. */
typedef struct cw_bot_making {
    const char *folder;
    const char *url;                   /* of the page about the bot; NULL: the folder has its settings */
    const char *name;                  /* product token */
    const char *also[CW_BOT_MAX_ALSO]; /* files of further keys */
    size_t also_count;
    int64_t days;                           /* validity of the directory's signatures */
    const char *contact, *purpose, *ranges; /* as in cw_bot */
    bool renders;
} cw_bot_making;

/* Makes a folder, which may exist, a key in it, which may not, and all files about them. Errors as those of files, with
 * words. CRAWL_EINVAL: a URL is not https. */
crawl_err cw_bot_make(const cw_bot_making *making, crawl_error *error);
/* Rewrites the directory of a folder's key, and signs it. */
crawl_err cw_bot_renew(const cw_bot_making *making, crawl_error *error);

/* Checks the directory in a folder as if a server had answered it (bot_check.h). Returns an exit status. */
int cw_bot_check_folder(const char *folder);
