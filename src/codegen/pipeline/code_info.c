#include "codegen/pipeline/passes.h"
#include "codegen/pipeline/traits.h"

// May code run blocks of a row one after the other without telling?
static bool by_rows(const struct traits *t) {
    return !t->device_runtime && !t->triggers;
}

void fill_info(struct pipeline *p) {
    struct cg *c = p->c;
    struct kd_code_info *info = p->info;
    uint32_t depth = c->frame_depth[c->kernel->index];
    *info =
        (struct kd_code_info){.abi_version = KD_ABI_VERSION, .mode = c->mode, .width = c->width};
    if (c->uses_spill)
        info->spill_bytes = c->group_spill * (KD_WARP / c->width);
    info->recursive = depth == UINT32_MAX;
    info->local_bytes = info->recursive ? frame_of(c->kernel) : depth ? depth - 1 : 0;
    struct traits t = traits_of(c);
    // The device runtime has to know which block calls, and dependent grids which ones have
    // triggered.
    // Blocks that take the place of others are handed out one by one.
    info->flags = (t.barrier ? KD_CODE_USES_BARRIER : 0) |
                  (p->waits || t.cancels || t.meets ? KD_CODE_MAY_WAIT : 0) |
                  (t.block_index || t.cancels ? 0 : KD_CODE_ANY_ORDER) |
                  (t.describes ? KD_CODE_DESCRIBES : 0) | (c->stride_limit ? KD_CODE_STRIDES : 0) |
                  (t.triggers ? KD_CODE_TRIGGERS : 0) | (t.grid_waits ? KD_CODE_GRID_WAITS : 0) |
                  (c->splits                                 ? KD_CODE_SPLITS
                   : c->mode == KD_MODE_BLOCK && by_rows(&t) ? KD_CODE_RUNS_ROWS
                                                             : 0);
}
