/* The socket of the live view. */
#pragma once

#include <crawl/config.h>

/* Binds and listens at the first usable address of the name; localhost is 127.0.0.1. *socket is owned by the caller,
 * and non-blocking; url gets "http://ADDRESS:PORT/" as bound. CRAWL_EIO: error says why. CRAWL_ENOMEM. */
crawl_err cw_tool_socket_open(const crawl_listen *at, int *socket, crawl_buf *url, crawl_error *error);
