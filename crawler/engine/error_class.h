/* The classes of errors that records have: their names, and which of them a failed transfer is of. */
#ifndef CW_ENGINE_ERROR_CLASS_H
#define CW_ENGINE_ERROR_CLASS_H

#include <crawl/engine.h>
#include <crawl/fetch.h>

crawl_error_class cw_engine_class_of(crawl_fetch_error error);

#endif
