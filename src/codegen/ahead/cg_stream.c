// Stores past the caches. A store of part of a line first loads the line; a vector of 64 bytes is a
// whole one, and a launch that writes more than the caches keep gains a third of its traffic when
// such lines go straight to memory (movnt). In the other launches whoever reads the results next
// finds them in a cache, so that it is the launch that decides, by its threads
// (kd_block.stream_bytes), and the address, which has to be a line's. In a loop that counts, as a
// grid-stride loop, its iterations decide, which are known when it begins.
//
// Which stores may do so is planned (plan/streams.c).
#include <stddef.h>

#include "codegen/ahead/cg_stream.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"
#include "plan/plan.h"

enum { LINE = 64 };

// What addresses are tested with where each thread writes so many bytes (i64).
static LLVMValueRef test_for(struct cg_func *g, LLVMValueRef bytes) {
    struct cg *c = g->cg;
    size_t at = offsetof(struct kd_block, stream_bytes);
    LLVMValueRef least = cg_block_field(g, at, c->i64, "stream");
    LLVMValueRef streams = LLVMBuildICmp(c->b, LLVMIntUGE, bytes, least, "");
    return LLVMBuildSelect(c->b, streams, cg_i64(c, LINE - 1), cg_i64(c, UINT64_MAX), "");
}

void cg_find_streams(struct cg_func *g) {
    if (g->plan->streams)
        g->stream_test = test_for(g, cg_i64(g->cg, plan_bytes_written(g->plan, NULL)));
}

void cg_find_stream_turns(struct cg_func *g, const struct cfg_loop *l, LLVMValueRef left,
                          LLVMValueRef step) {
    struct cg *c = g->cg;
    unsigned bytes = plan_bytes_written(g->plan, l);
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
    const struct plan_access *a = plan_access_of(g->plan, i);
    if (!a || !a->past)
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
