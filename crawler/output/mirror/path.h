/* The path of a URL in an offline copy. A rule decides it, without a look at existing files, and no two URLs have the
 * same path, even if the file system ignores case. docs/mirror.md has the rules.
 *
 * All paths are ASCII. A mark precedes anything that is not in the URL: two lower-case hexadecimal digits for a byte
 * that a file name should not have, or a letter for an annotation. */
#pragma once

#include <crawl/url.h>

/* Maximum number of bytes in a name. File systems take 255, encrypting ones as few as 143 and usually more; the rest is
 * left for what users append. */
#define CW_MIRROR_MAX_NAME 200u
/* Maximum number of bytes in a path. Linux takes 4096, including the path of the folder. */
#define CW_MIRROR_MAX_PATH 1000u

/* Shells take this mark literally, unlike the mark of copies begun by older versions. */
#define CW_MIRROR_MARK '+'
#define CW_MIRROR_OLD_MARK '!'

/* Appends the path of the document at url, ignoring fragment and user, served with this Content-Type (empty: none). The
 * path is relative, with names separated by "/". No name is empty, "." or "..", ends with "." or is a device of
 * Windows, and the first does not begin with ".". The type only decides the extension. CRAWL_EINVAL: not http(s).
 * CRAWL_ENOMEM. In both cases out is unchanged. */
crawl_err cw_mirror_path(char mark, const crawl_url *url, crawl_slice content_type, crawl_buf *out);

/* Appends the relative URL from one file of the copy to another, by their paths. It needs no escaping in attributes or
 * CSS. CRAWL_ENOMEM. */
crawl_err cw_mirror_path_link(crawl_slice from, crawl_slice to, crawl_buf *out);
