/* The page of the live view, its style and the modules of its script. The build makes them from the files of this
 * folder. */
#pragma once

extern const char cw_live_html[];
extern const char cw_live_css[];
extern const char cw_live_js[];
extern const char cw_live_charts_js[];
extern const char cw_live_controls_js[];
extern const char cw_live_figures_js[];
extern const char cw_live_format_js[];
extern const char cw_live_hosts_js[];
extern const char cw_live_identity_js[];
extern const char cw_live_requests_js[];
extern const char cw_live_workers_js[];
