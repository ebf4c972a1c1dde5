// Panels of matrix products that several warps of a block have in common: the warps of a row of
// tiles multiply with the same rows of a, those of a column with the same of b. Between two
// barriers nobody may write what another warp reads, so what one warp has made of rows in shared
// memory serves all; the warp itself may write them, so its own panels are made again each time.
#include "device/helpers/common_panel.h"

#include "device/exec/runner.h"
#include "device/helpers/runtime.h"

static uint8_t *memory_of(struct common_panels *p, uint32_t set) {
    return p->bytes + (-(uintptr_t)p->bytes & 63) + (size_t)set * KD_COMMON_PANEL_BYTES;
}

// Word by word: they have just been stored like that, and wider loads would wait for the stores.
static bool same_rows(const uint64_t *x, const uint64_t *y, uint32_t n) {
    uint64_t differ = 0;
    for (uint32_t k = 0; k < n; k++)
        differ |= x[k] ^ y[k];
    return !differ;
}

void kd_rt_forget_panels(uint32_t begins) {
    struct common_panels *p = &runner_current()->common;
    p->alone = !begins && (p->alone || (p->next > 1 && !p->used));
    p->next = p->used = 0;
    for (uint32_t k = 0; k < COMMON_PANEL_SETS; k++)
        p->sets[k].warp = 0;
}

uint8_t *kd_rt_common_panels(uint32_t place, uint32_t warp, uint32_t n, const uint64_t *from,
                             uint32_t *filled) {
    struct common_panels *p = &runner_current()->common;
    *filled = 0;
    if (p->alone)
        return memory_of(p, place % COMMON_PANEL_SETS);
    for (uint32_t k = 0; k < COMMON_PANEL_SETS; k++) {
        const struct panel_set *s = &p->sets[k];
        if (!s->warp || s->warp == warp + 1 || s->place != place || !same_rows(s->from, from, n))
            continue;
        p->used++;
        *filled = 1;
        return memory_of(p, k);
    }
    uint32_t set = p->next++ % COMMON_PANEL_SETS;
    p->sets[set].place = place;
    p->sets[set].warp = warp + 1;
    for (uint32_t k = 0; k < n; k++)
        p->sets[set].from[k] = from[k];
    return memory_of(p, set);
}
