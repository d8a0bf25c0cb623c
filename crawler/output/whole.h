/* An exchange with all members of this version, from a caller whose version of the library may be older. */
#pragma once

#include "base/sized.h"

#include <crawl/engine.h>

/* Storage for such an exchange. */
typedef struct cw_output_exchange_room {
    crawl_exchange exchange;
    crawl_response response;
} cw_output_exchange_room;

/* Returns given, or *room with the same contents if given or its response is shorter than this version's, or if there
 * is no response: that counts as one without a status. NULL: a size is wrong. */
static inline const crawl_exchange *cw_output_whole(const crawl_exchange *given, cw_output_exchange_room *room)
{
    const crawl_exchange *exchange = cw_sized(&room->exchange, sizeof room->exchange, given);
    if (!exchange || (exchange->response && exchange->response->size == sizeof room->response))
        return exchange;
    room->exchange = *exchange;
    room->response = (crawl_response){.size = sizeof room->response, .ip = ""};
    room->exchange.response =
        exchange->response ? cw_sized(&room->response, sizeof room->response, exchange->response) : &room->response;
    return room->exchange.response ? &room->exchange : NULL;
}
