/* User and password in URLs (RFC 3986, 3.2.1): they are taken out, so that no record, link or file has them. */
#ifndef CW_SCOPE_USERINFO_H
#define CW_SCOPE_USERINFO_H

#include <crawl/url.h>

/* Does the URL have a user or a password? */
bool cw_scope_userinfo_is_there(const crawl_url *url);

/* Takes user and password out of the URL, and appends them, decoded, to user and password (NULL: not wanted).
 * CRAWL_ENOMEM: url is as it was. */
crawl_err cw_scope_userinfo_take(crawl_url *url, crawl_buf *user, crawl_buf *password);

#endif
