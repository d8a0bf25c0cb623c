/* What the checks of invariants share. */
#ifndef CW_FRONTIER_CHECK_H
#define CW_FRONTIER_CHECK_H

#define CW_FRONTIER_FAIL_UNLESS(condition, text) \
    do {                                         \
        if (!(condition))                        \
            return text;                         \
    } while (0)

#endif
