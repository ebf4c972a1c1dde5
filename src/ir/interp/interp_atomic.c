// Atomics: read, compute, compare-and-swap until nobody came between. The memory may be shared
// with other host threads.
#include "ir/interp/interp_internal.h"
#include "isa/fp.h"

// Arithmetic and comparisons through the table: rounding and NaNs as everywhere.
static union isa_bits compute(isa_op op, uint8_t ty, union isa_bits a, union isa_bits b,
                              struct isa_mods mods) {
    union isa_bits src[2] = {a, b}, dst[2] = {0};
    isa_eval(op, (enum isa_type)ty, ISA_VOID, &mods, src, dst);
    return dst[0];
}

// The units beside global memory flush subnormal f32 numbers and pass on f64 NaNs as they are, the
// operand's first; in shared memory a sum is like any other.
static union isa_bits add(uint8_t ty, union isa_bits old, union isa_bits b, bool global) {
    struct isa_mods mods = {.ftz = global && ty == ISA_F32};
    if (isa_type_is_float((enum isa_type)ty))
        mods.rnd = ISA_RND_RN;
    if (global && ty == ISA_F64 && fp_is_nan(FP_F64, b.u64[0]))
        return b;
    if (global && ty == ISA_F64 && fp_is_nan(FP_F64, old.u64[0]))
        return old;
    return compute(ISA_OP_ADD, ty, b, old, mods);
}

static uint64_t low(union isa_bits v, uint8_t ty) {
    unsigned bits = isa_type_bits((enum isa_type)ty);
    return bits < 64 ? v.u64[0] & ((UINT64_C(1) << bits) - 1) : v.u64[0];
}

static union isa_bits wrap(uint64_t v) {
    return (union isa_bits){.u64 = {v, 0}};
}

static union isa_bits apply(enum isa_atom op, uint8_t ty, union isa_bits old, union isa_bits b,
                            union isa_bits c, bool global) {
    const struct isa_mods plain = {0};
    uint64_t o = low(old, ty), v = low(b, ty);
    switch (op) {
    case ISA_ATOM_AND:
        return wrap(o & v);
    case ISA_ATOM_OR:
        return wrap(o | v);
    case ISA_ATOM_XOR:
        return wrap(o ^ v);
    case ISA_ATOM_EXCH:
        return b;
    case ISA_ATOM_CAS:
        return old.u64[0] == b.u64[0] && old.u64[1] == b.u64[1] ? c : old;
    case ISA_ATOM_ADD:
        return add(ty, old, b, global);
    case ISA_ATOM_INC:
        return wrap(o >= v ? 0 : o + 1);
    case ISA_ATOM_DEC:
        return wrap(o == 0 || o > v ? v : o - 1);
    case ISA_ATOM_MIN:
        return compute(ISA_OP_MIN, ty, old, b, plain);
    case ISA_ATOM_MAX:
        return compute(ISA_OP_MAX, ty, old, b, plain);
    case ISA_ATOM_NONE:
        break;
    }
    return old;
}

// The element at p, and its replacement by `want` if it still is `*seen`; else *seen is renewed.
#define SWAP(T, field)                                                                             \
    __atomic_compare_exchange_n((T *)p, &seen->field, want.field, false, __ATOMIC_SEQ_CST,         \
                                __ATOMIC_SEQ_CST)
static bool swap(void *p, unsigned bytes, union isa_bits *seen, union isa_bits want) {
    switch (bytes) {
    case 1:
        return SWAP(uint8_t, u8[0]);
    case 2:
        return SWAP(uint16_t, u16[0]);
    case 4:
        return SWAP(uint32_t, u32[0]);
    default:
        return SWAP(uint64_t, u64[0]);
    }
}

// 128 bits. A lock would stay taken when the access faults.
static union isa_bits update_wide(void *p, enum isa_atom op, union isa_bits b, union isa_bits c) {
    unsigned __int128 *at = p, old = 0, want, seen;
    for (;;) {
        union isa_bits now, next;
        memcpy(&now, &old, sizeof now);
        next = apply(op, ISA_B128, now, b, c, false);
        memcpy(&want, &next, sizeof want);
        seen = __sync_val_compare_and_swap(at, old, want);
        if (seen == old)
            return now;
        old = seen; // the first guess may be wrong; then this is the right one
    }
}

static union isa_bits update(void *p, const struct kir_inst *i, unsigned bytes, union isa_bits b,
                             union isa_bits c, bool global) {
    enum isa_atom op = (enum isa_atom)i->mods.atom;
    if (bytes == 16)
        return update_wide(p, op, b, c);
    if (op == ISA_ATOM_CAS) {
        b.u64[0] = low(b, i->ty);
        b.u64[1] = 0;
    }
    union isa_bits seen = {0};
    // The first guess may be wrong; then the loop has the right one.
    while (!swap(p, bytes, &seen, apply(op, i->ty, seen, b, c, global)))
        ;
    return seen;
}

static bool is_global(struct interp *in, const struct interp_thread *t, uint8_t space,
                      uint64_t addr) {
    return space == ISA_SPACE_GLOBAL ||
           (space == ISA_SPACE_GENERIC && !interp_is_in_space(in, t, ISA_SPACE_SHARED, addr));
}

void interp_atomic(struct interp *in, struct interp_thread *t, const struct interp_inst *i) {
    uint64_t addr = interp_get(t, &i->ops[0]).u64[0] + (uint64_t)i->ir->offset;
    unsigned bytes = isa_type_bits(i->ir->ty) / 8, n = i->ir->mods.vec ? i->ir->mods.vec : 1;
    uint8_t *p =
        interp_address(in, t, i->ir->mods.space, addr, (uint64_t)bytes * n, (uint64_t)bytes * n);
    bool cas = i->ir->mods.atom == ISA_ATOM_CAS, global = is_global(in, t, i->ir->mods.space, addr);
    for (unsigned k = 0; p && k < n && k + 1 + cas < i->ir->nops; k++) {
        union isa_bits b = interp_get(t, &i->ops[1 + k]);
        union isa_bits c = cas ? interp_get(t, &i->ops[2]) : (union isa_bits){0};
        union isa_bits old = update(p + k * bytes, i->ir, bytes, b, c, global);
        if (k < i->ir->nres)
            interp_set(t, i, k, old);
    }
}
