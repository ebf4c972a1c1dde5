// Stores past the caches. A store of part of a line first loads the line; a vector of 64 bytes is a
// whole one, and a launch that writes more than the caches keep gains a third of its traffic when
// such lines go straight to memory (movnt). In the other launches whoever reads the results next
// finds them in a cache, so that it is the launch that decides, by its threads
// (kd_block.stream_bytes), and the address, which has to be a line's. In a loop that counts, as a
// grid-stride loop, its iterations decide, which are known when it begins.
//
// Not in kernels that order anything with other blocks: these stores keep no order with later ones
// until a fence, which stands at the end of a run of blocks. Not for memory that the kernel reads
// through the same parameter either, whose lines are in the cache already.
#include <stddef.h>

#include "codegen/ahead/cg_stream.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"

enum { LINE = 64, MAX_DEPTH = 12 };

// What a kernel may contain that has such stores: nothing that others could wait for.
static bool keeps_order(const struct kir_inst *i) {
    switch (isa_op_info[i->op].klass) {
    case ISA_CLASS_POINTWISE:
    case ISA_CLASS_SOURCE:
    case ISA_CLASS_WARP:
    case ISA_CLASS_BLOCK:
        return false;
    case ISA_CLASS_MEMORY:
        return (i->op != ISA_OP_LD && i->op != ISA_OP_ST) || i->mods.sem != ISA_SEM_WEAK;
    case ISA_CLASS_CONTROL:
        return i->op == ISA_OP_CALL;
    default:
        return true;
    }
}

// The parameter, a pointer, that an address is made from: the load of it; NULL: not known.
static const struct kir_value *param_of(const struct kir_value *v, unsigned depth) {
    const struct kir_value *p;
    if (v->kind != KIR_VALUE_INST || !depth--)
        return NULL;
    const struct kir_inst *i = v->def;
    switch (i->op) {
    case ISA_OP_LD:
        return i->mods.space == ISA_SPACE_PARAM && isa_type_bits(i->ty) == 64 ? v : NULL;
    case ISA_OP_MOV:
    case ISA_OP_CVTA:
        return i->nops == 1 ? param_of(i->ops[0], depth) : NULL;
    case ISA_OP_ADD:
        p = param_of(i->ops[0], depth);
        return p ? p : param_of(i->ops[1], depth);
    case ISA_OP_SUB:
        return param_of(i->ops[0], depth);
    case ISA_OP_MAD:
        return param_of(i->ops[2], depth);
    default:
        return NULL;
    }
}

static bool same_param(const struct kir_value *x, const struct kir_value *y) {
    const struct kir_inst *i = x->def, *j = y->def;
    if (x == y)
        return true;
    return i->offset == j->offset && x->result == y->result &&
           (i->ops[0] == j->ops[0] ||
            (i->ops[0]->kind == KIR_VALUE_INST && j->ops[0]->kind == KIR_VALUE_INST &&
             i->ops[0]->def->op == ISA_OP_SYMADDR && j->ops[0]->def->op == ISA_OP_SYMADDR &&
             i->ops[0]->def->sym == j->ops[0]->def->sym &&
             i->ops[0]->def->offset == j->ops[0]->def->offset));
}

static bool is_read(const struct cg_func *g, const struct kir_value *param) {
    for (uint32_t b = 0; b < g->f->blocks.len; b++)
        for (const struct kir_inst *i = g->f->blocks.data[b]->first; i; i = i->next) {
            bool loads = i->op == ISA_OP_LD && i->mods.space != ISA_SPACE_PARAM;
            const struct kir_value *p = loads ? param_of(i->ops[0], MAX_DEPTH) : NULL;
            if (p && same_param(p, param))
                return true;
        }
    return false;
}

static unsigned bytes_in_memory(const struct kir_inst *i, isa_op op) {
    bool memory = i->mods.space == ISA_SPACE_GLOBAL || i->mods.space == ISA_SPACE_GENERIC;
    unsigned words = i->mods.vec ? i->mods.vec : 1;
    return memory && i->op == op ? words * isa_type_bits(i->ty) / 8 : 0;
}

// Stores past the caches hold the buffers that loads need on their way to the first cache. Where
// loads are more than they are, as in a stencil, they lose more than they gain.
static bool writes_most(const struct kir_func *f) {
    unsigned read = 0, written = 0;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next) {
            read += bytes_in_memory(i, ISA_OP_LD);
            written += bytes_in_memory(i, ISA_OP_ST);
        }
    return written >= read;
}

// By a thread, in an iteration of the loop itself; NULL: outside loops.
static unsigned bytes_written(const struct cg_func *g, const struct cfg_loop *l) {
    unsigned bytes = 0;
    for (uint32_t b = 0; b < g->f->blocks.len; b++)
        for (const struct kir_inst *i = g->f->blocks.data[b]->first; i; i = i->next)
            bytes += g->fl->cfg->loop[i->block->id] == l ? bytes_in_memory(i, ISA_OP_ST) : 0;
    return bytes;
}

// What addresses are tested with where each thread writes so many bytes (i64).
static LLVMValueRef test_for(struct cg_func *g, LLVMValueRef bytes) {
    struct cg *c = g->cg;
    size_t at = offsetof(struct kd_block, stream_bytes);
    LLVMValueRef least = cg_block_field(g, at, c->i64, "stream");
    LLVMValueRef streams = LLVMBuildICmp(c->b, LLVMIntUGE, bytes, least, "");
    return LLVMBuildSelect(c->b, streams, cg_i64(c, LINE - 1), cg_i64(c, UINT64_MAX), "");
}

void cg_find_streams(struct cg_func *g) {
    struct cg *c = g->cg;
    if (!g->f->is_kernel || c->mode != KD_MODE_BLOCK || c->splits || c->quick ||
        !c->target.holds_line)
        return;
    for (uint32_t b = 0; b < g->f->blocks.len; b++)
        for (const struct kir_inst *i = g->f->blocks.data[b]->first; i; i = i->next)
            if (keeps_order(i))
                return;
    if (!writes_most(g->f))
        return;
    g->stream_test = test_for(g, cg_i64(c, bytes_written(g, NULL)));
}

void cg_find_stream_turns(struct cg_func *g, const struct cfg_loop *l, LLVMValueRef left,
                          LLVMValueRef step) {
    struct cg *c = g->cg;
    unsigned bytes = bytes_written(g, l);
    if (!g->stream_test || !bytes)
        return;
    // A step below zero is a large one, of which there are few.
    LLVMValueRef none = LLVMBuildICmp(c->b, LLVMIntEQ, step, cg_i64(c, 0), "");
    LLVMValueRef by = LLVMBuildSelect(c->b, none, cg_i64(c, UINT64_MAX), step, "");
    LLVMValueRef turns = LLVMBuildUDiv(c->b, left, by, "");
    g->stream_turns = test_for(g, LLVMBuildMul(c->b, turns, cg_i64(c, bytes), ""));
}

// What the address of a line is tested with, so that zero says: past the caches; NULL: never.
static LLVMValueRef test_of(struct cg_func *g, const struct kir_inst *i) {
    const struct kir_value *param;
    if (!g->stream_test || i->op != ISA_OP_ST || i->mods.sem != ISA_SEM_WEAK ||
        (i->mods.space != ISA_SPACE_GLOBAL && i->mods.space != ISA_SPACE_GENERIC) ||
        !(param = param_of(i->ops[0], MAX_DEPTH)) || is_read(g, param))
        return NULL;
    return g->fl->cfg->loop[i->block->id] ? g->stream_turns : g->stream_test;
}

LLVMValueRef cg_streams_at(struct cg_func *g, const struct kir_inst *i, LLVMValueRef at) {
    struct cg *c = g->cg;
    LLVMValueRef test = test_of(g, i);
    if (!test)
        return NULL;
    g->streams = true;
    LLVMValueRef bits = LLVMBuildAnd(c->b, at, test, "");
    return LLVMBuildICmp(c->b, LLVMIntEQ, bits, cg_i64(c, 0), "streams");
}

LLVMValueRef cg_unless_stream(struct cg_func *g, const struct kir_inst *i, LLVMValueRef p) {
    struct cg *c = g->cg;
    LLVMValueRef test = test_of(g, i);
    if (!test)
        return p;
    LLVMValueRef bits = LLVMBuildAnd(c->b, LLVMBuildPtrToInt(c->b, p, c->i64, ""), test, "");
    LLVMValueRef streams = LLVMBuildICmp(c->b, LLVMIntEQ, bits, cg_i64(c, 0), "");
    return LLVMBuildSelect(c->b, streams, g->blk, p, "");
}

void cg_store_past(struct cg *c, LLVMValueRef x, LLVMValueRef p) {
    LLVMValueRef s = LLVMBuildStore(c->b, x, p);
    LLVMMetadataRef one = LLVMValueAsMetadata(cg_i32(c, 1));
    LLVMSetAlignment(s, LINE);
    LLVMSetMetadata(s, LLVMGetMDKindIDInContext(c->ctx, "nontemporal", 11),
                    LLVMMetadataAsValue(c->ctx, LLVMMDNodeInContext2(c->ctx, &one, 1)));
}

static const char PAST[] = "kudzu.past";

static void mark_past(struct cg *c, LLVMValueRef branch) {
    LLVMValueRef none = LLVMMetadataAsValue(c->ctx, LLVMMDNodeInContext2(c->ctx, NULL, 0));
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(c->ctx, PAST, sizeof PAST - 1), none);
}

bool cg_may_store_past(struct cg *c, LLVMValueRef branch) {
    return LLVMGetMetadata(branch, LLVMGetMDKindIDInContext(c->ctx, PAST, sizeof PAST - 1));
}

bool cg_begin_stream(struct cg_func *g, const struct kir_inst *i, LLVMValueRef x, LLVMValueRef p,
                     LLVMValueRef mask, struct cg_stream *s) {
    struct cg *c = g->cg;
    LLVMTypeRef t = LLVMTypeOf(x);
    if (!i || LLVMGetTypeKind(t) != LLVMVectorTypeKind)
        return false;
    LLVMTypeRef e = LLVMGetElementType(t);
    unsigned bits = LLVMGetTypeKind(e) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(e)
                    : e == c->f64                             ? 64
                    : e == c->f32                             ? 32
                                                              : 0;
    if (!bits || LLVMGetVectorSize(t) * bits % (8 * LINE))
        return false;
    LLVMValueRef ok = cg_streams_at(g, i, LLVMBuildPtrToInt(c->b, p, c->i64, ""));
    if (!ok)
        return false;
    if (mask) {
        LLVMTypeRef m = LLVMTypeOf(mask);
        ok = LLVMBuildAnd(c->b, ok, cg_call_intrinsic(c, "llvm.vector.reduce.and", &m, 1, &mask, 1),
                          "");
    }
    LLVMBasicBlockRef past = cg_new_block(g, "past"), cached = cg_new_block(g, "cached");
    s->done = cg_new_block(g, "stored");
    mark_past(c, LLVMBuildCondBr(c->b, ok, past, cached));
    LLVMPositionBuilderAtEnd(c->b, past);
    cg_store_past(c, x, p);
    LLVMBuildBr(c->b, s->done);
    LLVMPositionBuilderAtEnd(c->b, cached);
    return true;
}

void cg_end_stream(struct cg_func *g, const struct cg_stream *s) {
    LLVMBuildBr(g->cg->b, s->done);
    LLVMPositionBuilderAtEnd(g->cg->b, s->done);
}

void cg_close_streams(struct cg_func *g) {
    if (g->streams)
        cg_call_intrinsic(g->cg, "llvm.x86.sse.sfence", NULL, 0, NULL, 0);
}
