// Arrays that each thread has for itself. Threads mostly reach the same element at a time, and
// their frames lie far apart. Where nobody can tell how frames are laid out (private_frame.h),
// those of a group's lanes lie word by word beside each other, in the memory that they have
// together: dword d of lane l is dword d * W + l of the group's. An index that all lanes have alike
// is a whole vector then.
#include "codegen/access/cg_frame.h"
#include "codegen/access/cg_gather.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_align.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_nan.h"
#include "codegen/value/cg_value.h"

enum { WORD = 4 };

struct frame_access {
    struct kir_inst *i;
    unsigned count, bytes;
    bool alike;       // one place in all lanes' frames
    LLVMValueRef off; // i64, a vector unless alike: where in the frame
};

static LLVMTypeRef words_type(struct cg *c) {
    return cg_vec_of(c, c->i32);
}

static LLVMValueRef and_i64(struct cg *c, LLVMValueRef x, uint64_t bits) {
    bool vec = LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMVectorTypeKind;
    LLVMValueRef k = cg_i64(c, bits);
    return LLVMBuildAnd(c->b, x, vec ? cg_splat(c, k) : k, "");
}

// Where the group's frames begin.
static LLVMValueRef group_base(struct cg_func *g) {
    struct cg *c = g->cg;
    LLVMValueRef first = LLVMBuildZExt(c->b, g->now.t0, c->i64, "");
    LLVMValueRef at = LLVMBuildMul(c->b, first, g->local_stride, "");
    return LLVMBuildGEP2(c->b, c->i8, g->local_base, &at, 1, "");
}

// The place in the group's memory of what lies `off` bytes from the beginning of lane 0's frame.
static LLVMValueRef spread(struct cg *c, LLVMValueRef off) {
    bool vec = LLVMGetTypeKind(LLVMTypeOf(off)) == LLVMVectorTypeKind;
    LLVMValueRef by = cg_i64(c, c->width);
    LLVMValueRef word = and_i64(c, off, ~(uint64_t)(WORD - 1));
    return LLVMBuildMul(c->b, word, vec ? cg_splat(c, by) : by, "");
}

static LLVMValueRef moved(struct cg *c, LLVMValueRef off, int64_t by) {
    bool vec = LLVMGetTypeKind(LLVMTypeOf(off)) == LLVMVectorTypeKind;
    LLVMValueRef k = cg_i64(c, (uint64_t)by);
    return by ? LLVMBuildAdd(c->b, off, vec ? cg_splat(c, k) : k, "") : off;
}

static LLVMValueRef word_pointer(struct cg_func *g, LLVMValueRef off) {
    LLVMValueRef at = spread(g->cg, off);
    return LLVMBuildGEP2(g->cg->b, g->cg->i8, group_base(g), &at, 1, "");
}

static LLVMValueRef load_word(struct cg *c, LLVMValueRef p) {
    LLVMValueRef v = LLVMBuildLoad2(c->b, words_type(c), p, "");
    LLVMSetAlignment(v, WORD);
    return v;
}

// The words belong to the group's own lanes: what inactive ones have there is stored again.
static void store_word(struct cg_func *g, LLVMValueRef x, LLVMValueRef p, LLVMValueRef old) {
    struct cg *c = g->cg;
    if (g->now.mask)
        x = cg_select(c, g->now.mask, x, old ? old : load_word(c, p));
    LLVMSetAlignment(LLVMBuildStore(c->b, x, p), WORD);
}

// How far to the left a part of a word lies in it, in bits, for all lanes.
static LLVMValueRef part_shift(struct cg *c, LLVMValueRef off) {
    LLVMValueRef byte = LLVMBuildTrunc(c->b, and_i64(c, off, WORD - 1), c->i32, "");
    return cg_splat(c, LLVMBuildShl(c->b, byte, cg_i32(c, 3), ""));
}

// ---- an address for each lane -------------------------------------------------------------------

static struct cg_lane_access lanes_at(struct cg_func *g, LLVMValueRef off, unsigned bytes) {
    struct cg *c = g->cg;
    LLVMValueRef base = LLVMBuildPtrToInt(c->b, group_base(g), c->i64, "");
    LLVMValueRef lane =
        LLVMBuildZExt(c->b, cg_offs_vec(g, g->fl->iota, c->i32), cg_vec_of(c, c->i64), "");
    lane = LLVMBuildShl(c->b, lane, cg_splat(c, cg_i64(c, 2)), "");
    LLVMValueRef at = LLVMBuildAdd(c->b, spread(c, off), and_i64(c, off, WORD - 1), "");
    at = LLVMBuildAdd(c->b, at, LLVMBuildAdd(c->b, lane, cg_splat(c, base), ""), "");
    return (struct cg_lane_access){.elem = cg_int_type(c, bytes * 8),
                                   .count = 1,
                                   .bytes = bytes,
                                   .at.pointers =
                                       LLVMBuildIntToPtr(c->b, at, cg_vec_of(c, c->ptr), "")};
}

// ---- numbers of 64 bits are two words -----------------------------------------------------------

static LLVMValueRef join(struct cg *c, LLVMValueRef low, LLVMValueRef high) {
    LLVMTypeRef t = cg_vec_of(c, c->i64);
    LLVMValueRef x = LLVMBuildZExt(c->b, low, t, ""), y = LLVMBuildZExt(c->b, high, t, "");
    return LLVMBuildOr(c->b, x, LLVMBuildShl(c->b, y, cg_splat(c, cg_i64(c, 32)), ""), "");
}

static LLVMValueRef half_of(struct cg *c, LLVMValueRef x, bool high) {
    if (high)
        x = LLVMBuildLShr(c->b, x, cg_splat(c, cg_i64(c, 32)), "");
    return LLVMBuildTrunc(c->b, x, words_type(c), "");
}

// ---- one component ------------------------------------------------------------------------------

static LLVMValueRef load_part(struct cg_func *g, const struct frame_access *a, LLVMValueRef off,
                              unsigned bytes) {
    struct cg *c = g->cg;
    LLVMValueRef v;
    if (!a->alike) {
        cg_gather(g, lanes_at(g, off, bytes), &v);
        return v;
    }
    v = load_word(c, word_pointer(g, off));
    if (bytes < WORD) {
        v = LLVMBuildLShr(c->b, v, part_shift(c, off), "");
        v = LLVMBuildTrunc(c->b, v, cg_vec_of(c, cg_int_type(c, bytes * 8)), "");
    }
    return g->now.mask ? cg_select(c, g->now.mask, v, LLVMConstNull(LLVMTypeOf(v))) : v;
}

static void store_part(struct cg_func *g, const struct frame_access *a, LLVMValueRef off,
                       unsigned bytes, LLVMValueRef x) {
    struct cg *c = g->cg;
    if (!a->alike) {
        cg_scatter(g, lanes_at(g, off, bytes), &x);
        return;
    }
    LLVMValueRef p = word_pointer(g, off), old = NULL;
    if (bytes < WORD) {
        LLVMValueRef shift = part_shift(c, off);
        LLVMValueRef ones = cg_splat(c, cg_i32(c, bytes == 1 ? 0xff : 0xffff));
        old = load_word(c, p);
        LLVMValueRef keep = LLVMBuildNot(c->b, LLVMBuildShl(c->b, ones, shift, ""), "");
        x = LLVMBuildShl(c->b, LLVMBuildZExt(c->b, x, words_type(c), ""), shift, "");
        x = LLVMBuildOr(c->b, x, LLVMBuildAnd(c->b, old, keep, ""), "");
    }
    store_word(g, x, p, old);
}

static void emit_load(struct cg_func *g, const struct frame_access *a) {
    struct cg *c = g->cg;
    for (unsigned k = 0; k < a->count; k++) {
        struct kir_value *r = a->i->res[k];
        LLVMValueRef off = moved(c, a->off, (int64_t)k * a->bytes);
        LLVMValueRef v = load_part(g, a, off, a->bytes > WORD ? WORD : a->bytes);
        if (a->bytes > WORD)
            v = join(c, v, load_part(g, a, moved(c, off, WORD), WORD));
        if (a->bytes * 8 != kir_type_bits(r->type))
            v = cg_widen(c, v, (enum isa_type)a->i->ty, (enum kir_type)r->type);
        else
            v = LLVMBuildBitCast(c->b, v, cg_vec_type(c, (enum kir_type)r->type), "");
        cg_set_result(g, r, v);
    }
}

static void emit_store(struct cg_func *g, const struct frame_access *a) {
    struct cg *c = g->cg;
    for (unsigned k = 0; k < a->count; k++) {
        LLVMValueRef off = moved(c, a->off, (int64_t)k * a->bytes);
        LLVMValueRef x = cg_operand_bits(g, a->i, 1 + k, cg_vec(g, a->i->ops[1 + k]));
        x = cg_narrow(c, x, a->bytes * 8);
        if (a->bytes <= WORD) {
            store_part(g, a, off, a->bytes, x);
            continue;
        }
        store_part(g, a, off, WORD, half_of(c, x, false));
        store_part(g, a, moved(c, off, WORD), WORD, half_of(c, x, true));
    }
}

bool cg_emit_frame(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    if (!c->private_frame || c->width == 1 || g->f != c->kernel ||
        i->mods.space != ISA_SPACE_LOCAL || (i->op != ISA_OP_LD && i->op != ISA_OP_ST))
        return false;
    struct frame_access a = {.i = i, .count = i->mods.vec ? i->mods.vec : 1};
    a.bytes = isa_type_bits((enum isa_type)i->ty) / 8;
    a.alike = cg_shape(g, i->ops[0]).kind == SHAPE_UNIFORM;
    cg_check_alignment(g, i);
    a.off = moved(c, a.alike ? cg_scalar(g, i->ops[0]) : cg_vec(g, i->ops[0]), i->offset);
    bool store = i->op == ISA_OP_ST;
    if (a.alike)
        note_on(c->notes, i, false, "local %s: one place in all threads' frames, a vector",
                store ? "store" : "load");
    else
        note_on(c->notes, i, true, "local %s, an address for each thread: they index apart",
                store ? "store: scatter" : "load: gather");
    if (i->op == ISA_OP_LD)
        emit_load(g, &a);
    else
        emit_store(g, &a);
    return true;
}
