#include "tools/serve/urlfrontier/service.h"

#include "tools/common/say.h"
#include "tools/serve/urlfrontier/handout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define ROOM ((off_t)8 << 20) /* free bytes required in a directory before its database is reopened */

enum { EVERY_MS = 1000 };

/* Returns 0 if there is room in the directory, or the errno. */
static int why_no_room(const char *directory)
{
    crawl_buf path = {0};
    int why = crawl_buf_printf(&path, "%s/room", directory) ? ENOMEM : 0;
    int file = why ? -1 : open(path.data, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (!why && file < 0)
        why = errno;
    if (file >= 0) {
        why = posix_fallocate(file, 0, ROOM);
        close(file);
        unlink(path.data);
    }
    crawl_buf_free(&path);
    return why;
}

static void say_failing(cw_service *service, const char *directory, const char *why)
{
    if (!service->is_failing)
        cw_tool_say("serve", "%s: %s; puts to it fail until it is repaired", directory, why);
    service->is_failing = true;
}

/* Closes a crawl that failed. Writes that failed were not acknowledged. The crawl is reopened together with the other
 * missing ones. */
static void close_failed(cw_service *service, size_t at)
{
    cw_service_handout_leave_crawl(service->crawls[at]);
    (void)cw_service_crawl_close(service->crawls[at], NULL);
    service->crawls[at] = service->crawls[--service->count];
    service->lacks = true;
}

static bool open_lacking(cw_service *service)
{
    crawl_error error = {0};
    service->lacks = cw_service_open_crawls(service, &error) != CRAWL_OK;
    if (service->lacks)
        say_failing(service, service->directory, error.message);
    return !service->lacks;
}

/* Returns true if no crawl has failed. */
static bool close_all_failed(cw_service *service)
{
    bool is_sound = true;
    for (size_t i = service->count; i > 0; i--) {
        cw_service_crawl *crawl = service->crawls[i - 1];
        if (!crawl->has_failed)
            continue;
        int why = why_no_room(crawl->directory);
        is_sound = false;
        say_failing(service, crawl->directory, why ? strerror(why) : "it could not be written");
        if (!why)
            close_failed(service, i - 1);
    }
    return is_sound;
}

void cw_service_mend(cw_service *service)
{
    int64_t now_ms = cw_service_now(service);
    if (now_ms < service->mend_ms)
        return;
    service->mend_ms = now_ms + EVERY_MS;
    bool is_sound = close_all_failed(service);
    if (service->lacks)
        is_sound = open_lacking(service) && is_sound;
    if (service->is_failing && is_sound) {
        service->is_failing = false;
        cw_tool_say("serve", "%s: it is written again", service->directory);
    }
}
