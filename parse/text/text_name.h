/* What the names of an element say of it, which are its classes and its identifier. */
#ifndef CW_TEXT_NAME_H
#define CW_TEXT_NAME_H

#include <crawl/base.h>

/* CW_SECTION_ bits. */
unsigned cw_text_name_flags(crawl_slice class, crawl_slice id);

#endif
