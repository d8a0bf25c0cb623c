/* Asks a server for a directory of keys. */
#ifndef CW_BOT_ASK_H
#define CW_BOT_ASK_H

#include <stdbool.h>

/* How it is asked. */
typedef struct cw_bot_asking {
    const char *url;
    bool insecure;      /* certificates are not verified */
    bool allow_private; /* at private addresses too */
} cw_bot_asking;

/* Asks once, follows no redirect, as verifiers do, and checks the answer (bot_check.h). An exit status. */
int cw_bot_ask(const cw_bot_asking *asking);

#endif
