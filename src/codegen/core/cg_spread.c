// The lanes of a vector as scalars, in one of two ways.
//
// Through memory: a store and a load a lane, for the places that lanes load from, since taking a
// register apart needs the port that the values' way back into a register needs too. Vectors of 64
// bytes are stored as halves: processors forward a part of the upper half of such a store late, if
// at all (Golden Cove: 16 lanes in 40 cycles, in halves in 20).
//
// From register to register, two words in one, for what is stored or added to: where stores of
// which no address is known yet come in between, loads of what was just stored wait for them
// (Golden Cove: an addition a lane in 60 cycles for 16 lanes, 19 this way). What was extended from
// bytes is taken out as bytes, eight in a word (Zen 4: 16 additions in 5.5 ns, 4.6 this way), for
// places that lanes load from, too: a word more to load instead of eight.
#include <string.h>

#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_spread.h"
#include "codegen/core/state.h"

enum { WORD_BITS = 64, STORE_BYTES = 32 };

static unsigned elem_bits(LLVMTypeRef elem) {
    switch (LLVMGetTypeKind(elem)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(elem);
    case LLVMFloatTypeKind:
        return 32;
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
        return 16;
    default:
        return 64;
    }
}

// A scalar, a constant and lanes of more than 64 bits are left as they are.
static bool is_spread(LLVMValueRef vec) {
    LLVMTypeRef t = LLVMTypeOf(vec);
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind && !LLVMIsConstant(vec) &&
           elem_bits(LLVMGetElementType(t)) <= WORD_BITS;
}

static void store_part(struct cg_func *g, LLVMValueRef part, LLVMValueRef p, uint64_t bytes) {
    struct cg *c = g->cg;
    LLVMValueRef at = cg_i64(c, bytes);
    p = bytes ? LLVMBuildInBoundsGEP2(c->b, c->i8, p, &at, 1, "") : p;
    // Volatile, so that LLVM does not take the register apart after all.
    LLVMValueRef st = LLVMBuildStore(c->b, part, p);
    LLVMSetVolatile(st, 1);
    LLVMSetAlignment(st, STORE_BYTES);
}

static void store_parts(struct cg_func *g, LLVMValueRef vec, LLVMValueRef p) {
    struct cg *c = g->cg;
    LLVMTypeRef t = LLVMTypeOf(vec);
    unsigned bits = elem_bits(LLVMGetElementType(t)), lanes = LLVMGetVectorSize(t);
    unsigned n = STORE_BYTES * 8 / bits;
    if (lanes <= n) {
        store_part(g, vec, p, 0);
        return;
    }
    for (unsigned at = 0; at < lanes; at += n) {
        LLVMValueRef idx[STORE_BYTES];
        for (unsigned k = 0; k < n; k++)
            idx[k] = cg_i32(c, at + k);
        LLVMValueRef part =
            LLVMBuildShuffleVector(c->b, vec, LLVMGetPoison(t), LLVMConstVector(idx, n), "");
        store_part(g, part, p, (uint64_t)at * bits / 8);
    }
}

static LLVMValueRef scratch(struct cg_func *g, unsigned which) {
    LLVMValueRef *s = &g->scratch[which];
    if (!*s) {
        *s = cg_entry_alloca(g, LLVMVectorType(g->cg->i64, g->cg->width));
        LLVMSetAlignment(*s, 64);
    }
    return *s;
}

struct cg_spread cg_spread(struct cg_func *g, LLVMValueRef vec, unsigned which) {
    struct cg_spread s = {.vec = vec, .type = LLVMTypeOf(vec)};
    if (!is_spread(vec))
        return s;
    s.type = LLVMGetElementType(s.type);
    s.place = scratch(g, which);
    store_parts(g, vec, s.place);
    return s;
}

// What vec extends by zeros, bytes or halves of words: more of its lanes lie in a word. vec itself
// where it is nothing of that kind.
static LLVMValueRef before_extension(LLVMValueRef vec) {
    LLVMValueRef x = LLVMIsAZExtInst(vec) ? LLVMGetOperand(vec, 0) : vec;
    unsigned bits = elem_bits(LLVMGetElementType(LLVMTypeOf(x)));
    return bits == 8 || bits == 16 ? x : vec;
}

bool cg_is_narrow(LLVMValueRef vec) {
    return before_extension(vec) != vec;
}

struct cg_spread cg_take_apart(struct cg_func *g, LLVMValueRef vec, unsigned which) {
    struct cg *c = g->cg;
    LLVMTypeRef t = LLVMTypeOf(vec);
    bool is_x86 = c->target.family == MACHINE_X86, quick = c->spec.flags & KD_SPEC_QUICK;
    if (!is_spread(vec) || !is_x86 || quick)
        return cg_spread(g, vec, which);
    LLVMValueRef narrow = before_extension(vec);
    unsigned bits = elem_bits(LLVMGetElementType(LLVMTypeOf(narrow)));
    unsigned all = bits * LLVMGetVectorSize(t);
    if (all % WORD_BITS || WORD_BITS % bits)
        return cg_spread(g, vec, which);
    struct cg_spread s = {.vec = vec, .type = LLVMGetElementType(t), .bits = bits};
    vec = narrow;
    if (LLVMGetTypeKind(s.type) == LLVMPointerTypeKind)
        vec = LLVMBuildPtrToInt(c->b, vec, cg_vec_of(c, c->i64), "");
    s.words = LLVMBuildBitCast(c->b, vec, LLVMVectorType(c->i64, all / WORD_BITS), "");
    return s;
}

// LLVM does not see through this: it would take each lane out of the vector by itself, and words of
// a vector that was loaded it would load one by one, all of them where the vector was loaded.
static LLVMValueRef opaque(struct cg *c, LLVMValueRef x, const char *constraint) {
    LLVMTypeRef of = LLVMTypeOf(x), t = LLVMFunctionType(of, &of, 1, 0);
    LLVMValueRef same = LLVMGetInlineAsm(t, "", 0, constraint, strlen(constraint), 0, 0,
                                         LLVMInlineAsmDialectATT, 0);
    return LLVMBuildCall2(c->b, t, same, &x, 1, "");
}

static unsigned register_words(const struct cg *c) {
    return c->target.vector_bits / 64;
}

// The words from `first` on that lie in one register.
static LLVMValueRef take_register(struct cg *c, LLVMValueRef words, unsigned first, unsigned n) {
    LLVMValueRef idx[8];
    for (unsigned k = 0; k < n; k++)
        idx[k] = cg_i32(c, first + k);
    LLVMValueRef r = LLVMBuildShuffleVector(c->b, words, LLVMGetPoison(LLVMTypeOf(words)),
                                            LLVMConstVector(idx, n), "");
    return n == 1 ? r : opaque(c, r, c->target.mask_registers ? "=v,0" : "=x,0");
}

static LLVMValueRef take_word(struct cg *c, struct cg_spread *s, unsigned k) {
    unsigned all = LLVMGetVectorSize(LLVMTypeOf(s->words)), n = register_words(c);
    n = n < all ? n : all;
    if (s->reg_words != n || s->reg_first != k / n * n) {
        s->reg = take_register(c, s->words, k / n * n, n);
        s->reg_words = n;
        s->reg_first = k / n * n;
    }
    return opaque(c, LLVMBuildExtractElement(c->b, s->reg, cg_i32(c, k % n), ""), "=r,0");
}

// A word that lane `lane`, a byte, is one of the lowest two bytes of, in a register that both can
// be taken out of by an instruction each. Lanes are asked for in order, mostly.
static LLVMValueRef shifted_to(struct cg *c, struct cg_spread *s, LLVMValueRef word,
                               unsigned lane) {
    unsigned pair = lane / 2, first = lane % (WORD_BITS / 8) / 2;
    if (!s->shifted || s->pair != pair) {
        bool next = first && s->shifted && s->pair + 1 == pair;
        LLVMValueRef by = cg_i64(c, next ? 16 : first * 16);
        word = first ? LLVMBuildLShr(c->b, next ? s->shifted : word, by, "") : word;
        s->shifted = opaque(c, word, "=Q,0");
        s->pair = pair;
    }
    return s->shifted;
}

static LLVMValueRef lane_of_word(struct cg *c, struct cg_spread *s, unsigned lane) {
    unsigned each = WORD_BITS / s->bits, by = lane % each * s->bits;
    LLVMValueRef *word = &s->word[lane / each];
    if (!*word)
        *word = take_word(c, s, lane / each);
    if (LLVMGetTypeKind(s->type) == LLVMPointerTypeKind)
        return LLVMBuildIntToPtr(c->b, *word, s->type, "");
    LLVMValueRef x = *word;
    if (s->bits == 8) {
        x = shifted_to(c, s, x, lane);
        by %= 16;
    }
    if (each > 1) {
        x = LLVMBuildLShr(c->b, x, cg_i64(c, by), "");
        x = LLVMBuildTrunc(c->b, x, cg_int_type(c, s->bits), "");
    }
    if (s->bits < elem_bits(s->type))
        return LLVMBuildZExt(c->b, x, s->type, "");
    return LLVMBuildBitCast(c->b, x, s->type, "");
}

LLVMValueRef cg_spread_at(struct cg_func *g, const struct cg_spread *s, LLVMValueRef lane) {
    struct cg *c = g->cg;
    if (!s->place)
        return cg_extract(g, s->vec, lane);
    LLVMValueRef at = LLVMBuildZExt(c->b, lane, c->i64, "");
    LLVMValueRef p = LLVMBuildInBoundsGEP2(c->b, s->type, s->place, &at, 1, "");
    LLVMValueRef x = LLVMBuildLoad2(c->b, s->type, p, "");
    LLVMSetVolatile(x, 1);
    return x;
}

LLVMValueRef cg_spread_lane(struct cg_func *g, struct cg_spread *s, unsigned lane) {
    if (s->words)
        return lane_of_word(g->cg, s, lane);
    return cg_spread_at(g, s, cg_i32(g->cg, lane));
}

LLVMValueRef cg_extract(struct cg_func *g, LLVMValueRef vec, LLVMValueRef lane) {
    struct cg *c = g->cg;
    if (c->width == 1 || LLVMGetTypeKind(LLVMTypeOf(vec)) != LLVMVectorTypeKind)
        return vec;
    LLVMTypeRef elem = LLVMGetElementType(LLVMTypeOf(vec));
    unsigned bits = elem_bits(elem);
    bool halves = bits * LLVMGetVectorSize(LLVMTypeOf(vec)) > STORE_BYTES * 8;
    // LLVM goes through memory too, by a store of the whole register.
    if (LLVMIsConstant(lane) || !halves || bits < 8 || !is_spread(vec))
        return LLVMBuildExtractElement(c->b, vec, lane, "");
    struct cg_spread s = {.vec = vec, .type = elem, .place = scratch(g, CG_OF_EXTRACT)};
    store_parts(g, vec, s.place);
    return cg_spread_at(g, &s, lane);
}
