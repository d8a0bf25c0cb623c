/* The words of settings that accept one of a few, and their values; each list ends with {0}. */
#pragma once

#include "config/schema.h"

extern const cw_config_choice cw_config_orders[];
extern const cw_config_choice cw_config_scopes[];
extern const cw_config_choice cw_config_profiles[];
extern const cw_config_choice cw_config_fingerprints[];
extern const cw_config_choice cw_config_redis_layouts[];
extern const cw_config_choice cw_config_elements[];
extern const cw_config_choice cw_config_uses[];
extern const cw_config_choice cw_config_extractors[];
extern const cw_config_choice cw_config_renders[];
extern const cw_config_choice cw_config_dedupes[];
extern const cw_config_choice cw_config_resolvers[];
extern const cw_config_choice cw_config_signs[];
extern const cw_config_choice cw_config_sign_forms[];
extern const cw_config_choice cw_config_sign_components[];
extern const cw_config_choice cw_config_digests[];
extern const cw_config_choice cw_config_texts[];
extern const cw_config_choice cw_config_existings[];
extern const cw_config_choice cw_config_progresses[];
extern const cw_config_choice cw_config_verbosities[];
extern const cw_config_choice cw_config_syncs[];
extern const cw_config_choice cw_config_serve_syncs[];
extern const cw_config_choice cw_config_log_levels[];
extern const cw_config_choice cw_config_log_formats[];
