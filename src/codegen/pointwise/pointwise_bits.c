// Logic, shifts, counting and bit fields.
#include "codegen/pointwise/pointwise_internal.h"
#include "isa/ops/arith.h"
#include "isa/ops/bits.h"

bool pw_logic(const struct em *e) {
    enum isa_type t = e->i->ty;
    val a = op_typed(e, 0, t), b = e->i->nops > 1 ? op_typed(e, 1, t) : NULL, r;
    switch (e->i->op) {
    case ISA_OP_AND: // a condition that never holds keeps code for it away: LLVM finds it too late
        r = LLVMIsNull(a) ? a : LLVMIsNull(b) ? b : v_and(e, a, b);
        break;
    case ISA_OP_OR:
        r = v_or(e, a, b);
        break;
    case ISA_OP_XOR:
        r = v_xor(e, a, b);
        break;
    case ISA_OP_NOT:
        r = v_not(e, a);
        break;
    default: // cnot
        r = v_zext(e, v_icmpi(e, LLVMIntEQ, a, 0), isa_type_bits(t));
        break;
    }
    res_typed(e, 0, r, t);
    return true;
}

// A 32-bit shift amount for a value of w bits: clamped to w, in its width.
static val amount(const struct em *e, unsigned k, unsigned w) {
    val n = op_int(e, k, 32, false);
    if (w < 32)
        n = v_call2(e, "llvm.umin", n, k_int(e, 32, w));
    return v_resize(e, n, w, false);
}

bool pw_shift(const struct em *e) {
    enum isa_type t = e->i->ty;
    val a = op_typed(e, 0, t), n = amount(e, 1, isa_type_bits(t)), r;
    if (e->i->op == ISA_OP_SHL)
        r = v_shl_clamp(e, a, n);
    else
        r = isa_type_is_signed(t) ? v_ashr_clamp(e, a, n) : v_lshr_clamp(e, a, n);
    res_typed(e, 0, r, t);
    return true;
}

// The upper or lower word of hi:lo, shifted by n mod 32. LLVM's instruction where it is a rotation
// or all lanes shift alike: of a zero word and amounts that are known, one of them 0, LLVM 19 makes
// a shift by 32, whose result is anything.
static val funnel(const struct em *e, bool left, val hi, val lo, val n) {
    uint64_t x;
    if (!e->lanes || e->i->ops[0] == e->i->ops[1] || op_const(e, 2, &x))
        return v_call3(e, left ? "llvm.fshl" : "llvm.fshr", hi, lo, n);
    n = v_andi(e, n, 31);
    val rest = v_xor(e, n, k_int(e, 32, 31));
    return left ? v_or(e, v_shl(e, hi, n), v_lshr(e, v_lshri(e, lo, 1), rest))
                : v_or(e, v_lshr(e, lo, n), v_shl(e, v_shli(e, hi, 1), rest));
}

bool pw_funnel(const struct em *e) {
    unsigned mode = e->i->mods.mode;
    bool left = mode == ISA_SHF_L_CLAMP || mode == ISA_SHF_L_WRAP;
    val lo = op_int(e, 0, 32, false), hi = op_int(e, 1, 32, false), n = op_int(e, 2, 32, false);
    val r = funnel(e, left, hi, lo, n);
    if (mode == ISA_SHF_L_CLAMP || mode == ISA_SHF_R_CLAMP)
        r = v_sel(e, v_icmpi(e, LLVMIntULT, n, 32), r, left ? lo : hi);
    res_int(e, 0, r, false);
    return true;
}

static val leading_zeros(const struct em *e, val a) {
    return v_call2(e, "llvm.ctlz", a, LLVMConstNull(LLVMInt1TypeInContext(e->p->ctx)));
}

// The position of the highest set bit (of the highest bit unlike the sign), or its distance from
// the top; all ones when there is none.
static val find_bit(const struct em *e, val a) {
    unsigned w = v_width(a);
    if (isa_type_is_signed(e->i->ty))
        a = v_xor(e, a, v_ashri(e, a, w - 1));
    val zeros = v_resize(e, leading_zeros(e, a), 32, false);
    if (!e->i->mods.shiftamt)
        return v_sub(e, k_int(e, 32, w - 1), zeros);
    return v_sel(e, v_icmpi(e, LLVMIntEQ, zeros, w), k_int(e, 32, UINT64_MAX), zeros);
}

// popc, clz, bfind, brev
bool pw_count(const struct em *e) {
    val a = op_typed(e, 0, e->i->ty), r;
    switch (e->i->op) {
    case ISA_OP_POPC:
        r = v_call1(e, "llvm.ctpop", a);
        break;
    case ISA_OP_CLZ:
        r = leading_zeros(e, a);
        break;
    case ISA_OP_BFIND:
        r = find_bit(e, a);
        break;
    default:
        r = v_call1(e, "llvm.bitreverse", a);
        break;
    }
    res_int(e, 0, r, false);
    return true;
}

// Operand k (bfe, bfi: a position or a length) in width w: of 32-bit fields its low eight bits, of
// 64-bit ones, as hardware has it, all.
static val field_number(const struct em *e, unsigned k, unsigned w) {
    val n = op_int(e, k, 32, false);
    return w == 32 ? v_andi(e, n, 0xff) : v_zext(e, n, 64);
}

// The n lowest bits set.
static val low_mask(const struct em *e, val n) {
    return v_not(e, v_shl_clamp(e, k_int(e, v_width(n), UINT64_MAX), n));
}

bool pw_bfe(const struct em *e) {
    enum isa_type t = e->i->ty;
    unsigned w = isa_type_bits(t);
    val a = op_typed(e, 0, t), pos = field_number(e, 1, w), len = field_number(e, 2, w), r;
    if (!isa_type_is_signed(t)) {
        r = v_and(e, v_lshr_clamp(e, a, pos), low_mask(e, len));
    } else { // bits past the top are the sign; a field of length 0 is 0
        val up = v_call2(e, "llvm.usub.sat", k_int(e, w, w), len);
        r = v_ashr_clamp(e, v_shl_clamp(e, v_ashr_clamp(e, a, pos), up), up);
    }
    res_typed(e, 0, r, t);
    return true;
}

bool pw_bfi(const struct em *e) {
    unsigned w = isa_type_bits(e->i->ty);
    val a = op_int(e, 0, w, false), b = op_int(e, 1, w, false);
    val pos = field_number(e, 2, w), len = field_number(e, 3, w);
    val mask = v_shl_clamp(e, low_mask(e, len), pos);
    val field = v_and(e, v_shl_clamp(e, a, pos), mask);
    res_int(e, 0, v_or(e, v_and(e, b, v_not(e, mask)), field), false);
    return true;
}

bool pw_bmsk(const struct em *e) {
    val a = op_int(e, 0, 32, false), b = op_int(e, 1, 32, false), ones = k_int(e, 32, UINT64_MAX);
    if (e->i->mods.mode == ISA_SZEXT_WRAP) {
        a = v_andi(e, a, 31);
        b = v_andi(e, b, 31);
    }
    // Neither sum can wrap: positions past 31 are all the same.
    val end = v_call2(e, "llvm.uadd.sat", a, b);
    val r = v_and(e, v_shl_clamp(e, ones, a), v_not(e, v_shl_clamp(e, ones, end)));
    res_int(e, 0, r, false);
    return true;
}

// The lowest b bits of a, extended to 32.
bool pw_szext(const struct em *e) {
    enum isa_type t = e->i->ty;
    val a = op_int(e, 0, 32, false), b = op_int(e, 1, 32, false), r;
    if (e->i->mods.mode == ISA_SZEXT_WRAP)
        b = v_andi(e, b, 31);
    if (isa_type_is_signed(t)) {
        val up = v_call2(e, "llvm.usub.sat", k_int(e, 32, 32), b);
        r = v_ashr_clamp(e, v_shl_clamp(e, a, up), up);
    } else {
        r = v_and(e, a, low_mask(e, b));
    }
    res_typed(e, 0, r, t);
    return true;
}

// The position of m's set bit number n (from 0) counted upwards; undefined lanes have fewer bits.
static val select_bit(const struct em *e, val m, val n) {
    val pos = k_int(e, 32, 0);
    for (unsigned w = 16; w; w /= 2) {
        val below = v_andi(e, v_lshr(e, m, pos), (1u << w) - 1);
        val count = v_call1(e, "llvm.ctpop", below), skip = v_icmp(e, LLVMIntUGE, n, count);
        n = v_sel(e, skip, v_sub(e, n, count), n);
        pos = v_sel(e, skip, v_addi(e, pos, w), pos);
    }
    return pos;
}

// fns mask, base, offset: downwards is upwards in the reversed mask.
bool pw_fns(const struct em *e) {
    val mask = op_int(e, 0, 32, false), base = op_int(e, 1, 32, false),
        off = op_int(e, 2, 32, true);
    val down = v_icmpi(e, LLVMIntSLT, off, 0), here = v_icmpi(e, LLVMIntEQ, off, 0);
    val m = v_sel(e, down, v_call1(e, "llvm.bitreverse", mask), mask);
    val from = v_sel(e, down, v_sub(e, k_int(e, 32, 31), base), base);
    m = v_and(e, m, v_shl_clamp(e, k_int(e, 32, UINT64_MAX), from));
    val count =
        v_sub(e, v_call2(e, "llvm.abs", off, LLVMConstNull(LLVMInt1TypeInContext(e->p->ctx))),
              k_int(e, 32, 1));
    // offset 0: the bit at base, if it is set
    val bit = v_and(e, m, v_shl_clamp(e, k_int(e, 32, 1), from));
    m = v_sel(e, here, bit, m);
    count = v_sel(e, here, k_int(e, 32, 0), count);
    val found = v_icmp(e, LLVMIntULT, count, v_call1(e, "llvm.ctpop", m));
    val pos = select_bit(e, m, count);
    pos = v_sel(e, down, v_sub(e, k_int(e, 32, 31), pos), pos);
    pos = v_sel(e, found, pos, k_int(e, 32, UINT64_MAX));
    val least = v_icmpi(e, LLVMIntEQ, off, 0x80000000); // hardware answers 0
    res_int(e, 0, v_sel(e, least, k_int(e, 32, 0), pos), false);
    return true;
}
