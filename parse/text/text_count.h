/* Columns of line numbers, which some programs put beside code, in a <pre> of their own. */
#pragma once

#include "parse/text/text_tree.h"

/* Leaves out the blocks that are such columns. */
void cw_text_leave_out_counts(cw_text_tree *tree);
