/* The page of the live view, live.html, live.css and live.js as they stand in this folder; made into these by the
 * build. */
#ifndef CW_LIVE_PAGE_H
#define CW_LIVE_PAGE_H

extern const char cw_live_html[];
extern const char cw_live_css[];
extern const char cw_live_js[];

#endif
