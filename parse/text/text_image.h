/* The URL of an image among the attributes of its element. */
#pragma once

#include "parse/html/html_token.h"

/* Returns the raw URL that a script loads, if there is one: what src names then only keeps its place. Else that of src,
 * or the first of srcset. Empty: none. */
crawl_slice cw_text_image_url(const cw_html_attributes *attributes);
