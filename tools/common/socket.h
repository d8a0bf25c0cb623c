/* The socket of the live view. */
#pragma once

#include <crawl/config.h>

/* Binds and listens, at the first address that the name has and that can be bound; localhost is 127.0.0.1. *socket is
 * the caller's, non-blocking; url gets "http://ADDRESS:PORT/" as it is bound. CRAWL_EIO: error says why.
 * CRAWL_ENOMEM. */
crawl_err cw_tool_socket_open(const crawl_listen *at, int *socket, crawl_buf *url, crawl_error *error);
