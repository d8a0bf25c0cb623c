/* Suggests the name that was probably meant by a mistyped key or section, for "did you mean". */
#pragma once

#include <crawl/base.h>

/* "; did you mean ..." for a key or a section that the schema does not have; "" if nothing is near. */
typedef struct cw_config_suggestion {
    char text[96];
} cw_config_suggestion;

cw_config_suggestion cw_config_suggest_key(crawl_slice section, crawl_slice name);
cw_config_suggestion cw_config_suggest_section(crawl_slice section);
cw_config_suggestion cw_config_suggest_full(crawl_slice full); /* "section.name" */
