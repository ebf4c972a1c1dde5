// Accesses of lanes at constant offsets from one place: vectors of neighbours, pieces of vectors,
// or vectors of which some components are wanted; else scalars at constant distances.
#include "plan/passes.h"

enum { MAX_STRIDED_BYTES = 512, MAX_STRIDED = 256, MOST_GAPS = 4, LEAST_PIECE_BYTES = 16 };

// Do all pieces of n lanes lie side by side at `stride` bytes, or at one place? Which ones do that
// is in *same.
static bool are_pieces(const struct plan_inputs *in, const int64_t *offs, unsigned n,
                       int64_t stride, uint32_t *same) {
    *same = 0;
    for (unsigned at = 0; at < in->fl->width; at += n) {
        bool line = true, one = true;
        for (unsigned k = 1; k < n; k++) {
            line &= offs[at + k] == offs[at] + (int64_t)k * stride;
            one &= offs[at + k] == offs[at];
        }
        *same |= (uint32_t)one << at / n;
        if (!line && !one)
            return false;
    }
    return true;
}

// Equal pieces of at least a quarter of the lanes, or an eighth where these have 16 bytes; stores
// have no pieces at one place.
static bool find_pieces(const struct plan_inputs *in, struct plan_access *a) {
    unsigned width = in->fl->width, least = width >= 8 ? width / 8 * 2 : width;
    int64_t stride = (int64_t)a->count * a->bytes;
    bool is_store = a->inst->op == ISA_OP_ST;
    uint32_t same;
    if (width / 8 > 1 && width / 8 * stride >= LEAST_PIECE_BYTES)
        least = width / 8;
    for (unsigned n = width; n >= least; n /= 2)
        if (are_pieces(in, a->offs, n, stride, &same) && !(is_store && same)) {
            a->kind = n == width && !same ? PLAN_LINE : PLAN_PIECES;
            a->n = a->kind == PLAN_PIECES ? (uint16_t)n : 0;
            a->same = same;
            return true;
        }
    return false;
}

// Lanes at a constant distance of a few components (structures in an array).
static bool find_stride(const struct plan_inputs *in, struct plan_access *a) {
    unsigned width = in->fl->width;
    int64_t d = a->offs[1] - a->offs[0];
    if (d <= 0 || d % a->bytes || d / a->bytes < a->count || d * width > MAX_STRIDED_BYTES ||
        d / a->bytes * width > MAX_STRIDED)
        return false;
    for (unsigned k = 2; k < width; k++)
        if (a->offs[k] - a->offs[k - 1] != d)
            return false;
    // Without mask registers a store of some words of a vector takes longer than stores of each.
    bool masks = in->machine->mask_registers;
    if (a->inst->op == ISA_OP_ST && !masks && d / a->bytes > a->count)
        return false;
    a->kind = PLAN_STRIDED;
    a->n = (uint16_t)(d / a->bytes);
    // With a mask for each of n components of which few are wanted, or where LLVM makes a branch of
    // each bit of the mask, an access a lane is less.
    a->sparse = a->n > MOST_GAPS * a->count || (!masks && a->bytes < 4);
    return true;
}

bool plan_at_offsets(const struct plan_inputs *in, struct plan_access *a, const struct shape *s) {
    if (s->kind != SHAPE_OFFSETS || a->inst->mods.space == ISA_SPACE_LOCAL)
        return false;
    a->offs = s->offs;
    if (a->whole)
        return false;
    if (find_pieces(in, a) || find_stride(in, a))
        return true;
    if (a->inst->mods.space != ISA_SPACE_GLOBAL || in->fl->team > 1 || in->quick)
        return false;
    a->kind = PLAN_APART;
    return true;
}
