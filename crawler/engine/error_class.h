/* The classes of errors that records have: their names, and which of them a failed transfer is of. */
#ifndef CW_ERROR_CLASS_H
#define CW_ERROR_CLASS_H

#include <crawl/engine.h>
#include <crawl/fetch.h>

crawl_error_class cw_error_class_of(crawl_fetch_error error);

#endif
