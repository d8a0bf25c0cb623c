/* Extensions of files in an offline copy: a browser that opens a file knows its type by these alone. */
#ifndef CW_MIRROR_EXTENSION_H
#define CW_MIRROR_EXTENSION_H

#include <crawl/base.h>

/* The extension of a name, in its own case, without the dot: up to 10 letters and digits behind its last dot, a letter
 * among them. Empty: it has none. */
crawl_slice cw_mirror_extension_of(crawl_slice name);

/* The extension that a file of this Content-Type needs behind its own one, which may be empty; static. NULL: it needs
 * none. A file of a type that is not known here keeps its extension, unless browsers run the scripts of such files. */
const char *cw_mirror_extension_added(crawl_slice own, crawl_slice content_type);

#endif
