// prmt: bytes of two registers picked by a selector.
#include "codegen/pointwise/pointwise_internal.h"

// Selectors of the named modes, by the two low bits of the third operand.
static const uint16_t mode_selectors[ISA_MODE_COUNT][4] = {
    [ISA_PRMT_F4E] = {0x3210, 0x4321, 0x5432, 0x6543},
    [ISA_PRMT_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
    [ISA_PRMT_RC8] = {0x0000, 0x1111, 0x2222, 0x3333},
    [ISA_PRMT_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
    [ISA_PRMT_ECR] = {0x0000, 0x1110, 0x2210, 0x3210},
    [ISA_PRMT_RC16] = {0x1010, 0x3232, 0x1010, 0x3232},
};

static val index32(const struct em *e, unsigned k) {
    return LLVMConstInt(LLVMInt32TypeInContext(e->p->ctx), k, false);
}

// Bytes of r that the selector marks replaced by their signs.
static val replicate_signs(const struct em *e, val r, unsigned sel) {
    uint32_t ones = 0;
    for (unsigned k = 0; k < 4; k++)
        ones |= (sel >> (4 * k + 3) & 1u) << (8 * k);
    val negative = v_andi(e, v_lshri(e, r, 7), ones); // 1 in a byte that becomes 255
    val signs = v_sub(e, v_shli(e, negative, 8), negative);
    return v_or(e, v_andi(e, r, ~(ones * UINT64_C(255))), signs);
}

// Vectors: one shuffle of bytes.
static val shuffle_bytes(const struct em *e, val a, val b, unsigned sel) {
    unsigned n = 4 * e->lanes;
    LLVMTypeRef bytes = LLVMVectorType(LLVMInt8TypeInContext(e->p->ctx), n);
    val mask[256];
    for (unsigned k = 0; k < n; k++) {
        unsigned nibble = sel >> (4 * (k % 4)) & 7, from = k / 4 * 4 + (nibble & 3);
        mask[k] = index32(e, nibble & 4 ? n + from : from);
    }
    val r = LLVMBuildShuffleVector(e->b, v_divided(e, a, bytes), v_divided(e, b, bytes),
                                   LLVMConstVector(mask, n), "");
    r = v_divided(e, r, v_int(e, 32));
    return sel & 0x8888 ? replicate_signs(e, r, sel) : r;
}

static val constant_byte(const struct em *e, val a, val b, unsigned nibble, unsigned to) {
    unsigned from = 8 * (nibble & 3);
    val v = v_lshri(e, nibble & 4 ? b : a, from);
    if (nibble & 8)
        v = v_ashri(e, v_shli(e, v, 24), 31);
    return v_shli(e, v_andi(e, v, 0xff), 8 * to);
}

static val permute_constant(const struct em *e, val a, val b, unsigned sel) {
    if ((sel & 0xffff) == 0x0123)
        return v_call1(e, "llvm.bswap", a);
    if (e->lanes)
        return shuffle_bytes(e, a, b, sel);
    val r = constant_byte(e, a, b, sel & 15, 0);
    for (unsigned k = 1; k < 4; k++)
        r = v_or(e, r, constant_byte(e, a, b, sel >> (4 * k) & 15, k));
    return r;
}

// The selector's four low digits as bytes.
static val selector_bytes(const struct em *e, val sel) {
    val low = v_andi(e, sel, 0xffff);
    val pairs = v_andi(e, v_or(e, low, v_shli(e, low, 8)), 0x00ff00ff);
    return v_andi(e, v_or(e, pairs, v_shli(e, pairs, 4)), 0x0f0f0f0f);
}

// Bytes of r replaced by their signs where `digits` has bit 3.
static val replicate_chosen_signs(const struct em *e, val r, val digits) {
    val chosen = v_andi(e, v_lshri(e, digits, 3), 0x01010101); // 1 in a byte that is replaced
    val negative = v_and(e, v_lshri(e, r, 7), chosen);
    val kept = v_and(e, r, v_not(e, v_sub(e, v_shli(e, chosen, 8), chosen)));
    return v_or(e, kept, v_sub(e, v_shli(e, negative, 8), negative));
}

// One pick from each operand. What is not picked from it is zero.
static val permute_by_picks(const struct em *e, val a, val b, val sel) {
    enum { NOTHING = 0x80 };
    val digits = selector_bytes(e, sel), place = v_andi(e, digits, 0x03030303);
    val no_a = v_shli(e, v_andi(e, digits, 0x04040404), 5);
    val from_a = v_or(e, place, no_a);
    val from_b = v_xor(e, from_a, k_int(e, 32, NOTHING * 0x01010101u));
    val r = v_or(e, byte_picks(e, a, from_a), byte_picks(e, b, from_b));
    return replicate_chosen_signs(e, r, digits);
}

static val permute(const struct em *e, val a, val b, val sel) {
    if (has_byte_picks(e))
        return permute_by_picks(e, a, b, sel);
    val all = v_or(e, v_zext(e, a, 64), v_shli(e, v_zext(e, b, 64), 32)), r = NULL;
    for (unsigned k = 0; k < 4; k++) {
        val nibble = v_lshri(e, sel, 4 * k), n = v_shli(e, v_andi(e, nibble, 7), 3);
        val byte = v_trunc(e, v_lshr(e, all, v_zext(e, n, 64)), 32);
        val sign = v_ashri(e, v_shli(e, byte, 24), 31);
        byte = v_sel(e, v_icmpi(e, LLVMIntNE, v_andi(e, nibble, 8), 0), sign, byte);
        byte = v_shli(e, v_andi(e, byte, 0xff), 8 * k);
        r = r ? v_or(e, r, byte) : byte;
    }
    return r;
}

bool pw_prmt(const struct em *e) {
    unsigned mode = e->i->mods.mode;
    const uint16_t *named = mode ? mode_selectors[mode] : NULL;
    val a = op_int(e, 0, 32, false), b = op_int(e, 1, 32, false), sel = op_int(e, 2, 32, false);
    uint64_t k;
    if (op_const(e, 2, &k)) {
        res_int(e, 0, permute_constant(e, a, b, named ? named[k & 3] : k & 0xffff), false);
        return true;
    }
    if (named) {
        val odd = v_icmpi(e, LLVMIntNE, v_andi(e, sel, 1), 0);
        val high = v_icmpi(e, LLVMIntNE, v_andi(e, sel, 2), 0);
        val k0 = k_int(e, 32, named[0]), k1 = k_int(e, 32, named[1]);
        val k2 = k_int(e, 32, named[2]), k3 = k_int(e, 32, named[3]);
        sel = v_sel(e, high, v_sel(e, odd, k3, k2), v_sel(e, odd, k1, k0));
    }
    res_int(e, 0, permute(e, a, b, sel), false);
    return true;
}
