/* See scan.h and scan_loops.h, whose loops are compiled here for each instruction set. */
#include "bloom/kinds/scan.h"

#define TAKE cw_kind_key_take
#define COUNT cw_kind_key_count

#define ISA(name) portable_##name
#define TARGET
#define HAS cw_kind_key_in
#define SET cw_kind_key_set
#include "bloom/kinds/scan_loops.h"
#undef ISA
#undef TARGET
#undef HAS
#undef SET

#if defined(__x86_64__) && defined(__GNUC__)

#include "bloom/kinds/cells_x86.h"

#define ISA(name) avx2_##name
#define TARGET CW_KIND_AVX2
#define HAS cw_kind_256_has
#define SET cw_kind_256_set
#include "bloom/kinds/scan_loops.h"
#undef ISA
#undef TARGET
#undef HAS
#undef SET
#undef COUNT
#undef TAKE

#define ISA(name) avx512_##name
#define TARGET CW_KIND_AVX512
#define HAS cw_kind_512_has
#define SET cw_kind_512_set
#define COUNT cw_kind_512_count
#define TAKE cw_kind_512_take
#include "bloom/kinds/scan_loops.h"

static bool can(cw_kind_isa isa)
{
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    if (isa == CW_ISA_AVX512)
        return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
    return isa == CW_ISA_PORTABLE || avx2;
}

const cw_kind_scan *cw_kind_scan_of(cw_kind_isa isa, cw_kind_cells cells)
{
    if (!can(isa))
        return NULL;
    const cw_kind_scan *const scans[CW_ISAS] = {
        [CW_ISA_PORTABLE] = &portable_scans[cells],
        [CW_ISA_AVX2] = &avx2_scans[cells],
        [CW_ISA_AVX512] = &avx512_scans[cells],
    };
    return scans[isa];
}

#else

const cw_kind_scan *cw_kind_scan_of(cw_kind_isa isa, cw_kind_cells cells)
{
    return isa == CW_ISA_PORTABLE ? &portable_scans[cells] : NULL;
}

#endif

const cw_kind_scan *cw_kind_scan_for(cw_kind_cells cells)
{
    int isa = CW_ISAS - 1;
    while (!cw_kind_scan_of((cw_kind_isa)isa, cells))
        isa--;
    return cw_kind_scan_of((cw_kind_isa)isa, cells);
}
