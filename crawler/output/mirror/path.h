/* The path of a URL in an offline copy: by rule, without a look at what is there, and no two URLs have the same one,
 * not even where the file system ignores case. docs/mirror.md states the rules.
 *
 * All paths are of ASCII. A mark leads what is not in the URL: two lower-case hexadecimal digits for a byte that a file
 * name should not hold, or a letter for a remark of ours. */
#pragma once

#include <crawl/url.h>

/* The most bytes of a name. File systems take 255, those that encrypt names as few as 143 and usually more; the rest is
 * room for what users append. */
#define CW_MIRROR_MAX_NAME 200u
/* The most bytes of a path. Linux takes 4096, with that of the folder before it. */
#define CW_MIRROR_MAX_PATH 1000u

/* No shell takes it for anything but itself, which is not so with the mark of copies that older versions began. */
#define CW_MIRROR_MARK '+'
#define CW_MIRROR_OLD_MARK '!'

/* Appends the path of what is at url, fragment and user aside, served with this Content-Type (empty: none): relative,
 * its parts apart by "/"; none of them is empty, "." or "..", begins with "." where it is the first, ends with "." or
 * is a device of Windows. The type decides about an extension alone. CRAWL_EINVAL: not http(s). CRAWL_ENOMEM. In both
 * cases out is as it was. */
crawl_err cw_mirror_path(char mark, const crawl_url *url, crawl_slice content_type, crawl_buf *out);

/* Appends the relative URL that leads from a file of the copy to another, by their paths; it stands in any attribute
 * and in CSS as it is. CRAWL_ENOMEM. */
crawl_err cw_mirror_path_link(crawl_slice from, crawl_slice to, crawl_buf *out);
