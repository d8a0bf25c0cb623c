/* The face of an answer: its bytes without the differences between URLs of one page that differ only by a parameter.
 * Answers with one face say the same and lead to the same pages. Pure. */
#pragma once

#include <crawl/base.h>

/* Replaces *out with the face of a body, for a parameter with this name. It leaves out the parameter in URLs ("?", "&"
 * and "&amp;" too), the tags <input>, <select> and <option>, which show it, and the time of the answer next to its date
 * ("made at 2026-11-29 10:00:04"). answered_ms: the date of the answer, since 1970. CRAWL_ENOMEM. */
crawl_err cw_scope_face(crawl_slice body, crawl_slice param, int64_t answered_ms, crawl_buf *out);
