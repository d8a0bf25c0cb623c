/* The scripts of this folder: the bytes of its .lua files, each followed by a NUL. */
#pragma once

extern const char cw_shared_common_lua[];
extern const char cw_shared_queue_lua[];
extern const char cw_shared_seen_lua[];
extern const char cw_shared_session_lua[];
extern const char cw_shared_later_lua[];
extern const char cw_shared_join_lua[];
extern const char cw_shared_feed_lua[];
extern const char cw_shared_push_lua[];
extern const char cw_shared_take_lua[];
extern const char cw_shared_renew_lua[];
extern const char cw_shared_write_lua[];
extern const char cw_shared_settle_lua[];
extern const char cw_shared_restore_lua[];
extern const char cw_shared_counted_lua[];
extern const char cw_shared_run_lua[];
extern const char cw_shared_bodies_lua[];
extern const char cw_shared_notes_lua[];
extern const char cw_shared_stir_lua[];
extern const char cw_shared_tickets_lua[];
extern const char cw_shared_turns_lua[];
extern const char cw_shared_figures_lua[];
extern const char cw_shared_report_lua[];
extern const char cw_shared_crew_lua[];
extern const char cw_shared_view_lua[];
extern const char cw_shared_find_lua[];
extern const char cw_shared_check_lua[];
extern const char cw_shared_jar_lua[];
extern const char cw_shared_jars_check_lua[];
extern const char cw_shared_cookies_lua[];
