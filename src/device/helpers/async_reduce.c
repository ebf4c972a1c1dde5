// Reductions of arrays in memory: cp.reduce.async.bulk and its tensor form. Each element is one
// relaxed atomic operation.
#include <string.h>

#include "device/helpers/async.h"
#include "isa/fp.h"

uint32_t async_type_bytes(enum kd_async_type type) {
    switch (type) {
    case KD_TYPE_F16:
    case KD_TYPE_BF16:
        return 2;
    case KD_TYPE_U64:
    case KD_TYPE_S64:
    case KD_TYPE_F64:
        return 8;
    default:
        return 4;
    }
}

static bool is_float(enum kd_async_type t) {
    return t >= KD_TYPE_F16;
}

static uint64_t combine_float(enum kd_async_atom atom, enum kd_async_type type, bool flush,
                              uint64_t old, uint64_t x) {
    static const enum fp_format formats[] = {FP_F16, FP_BF16, FP_F32, FP_F64};
    enum fp_format f = formats[type - KD_TYPE_F16];
    struct isa_mods m = {.rnd = ISA_RND_RN,
                         .ftz = flush && atom == KD_ATOM_ADD && type == KD_TYPE_F32};
    if (atom == KD_ATOM_ADD)
        return fp_add(f, old, x, &m);
    return atom == KD_ATOM_MIN ? fp_min(f, old, x, &m) : fp_max(f, old, x, &m);
}

static int64_t as_signed(uint64_t v, enum kd_async_type t) {
    return t == KD_TYPE_S32 ? (int32_t)v : (int64_t)v;
}

static uint64_t combine(enum kd_async_atom atom, enum kd_async_type t, bool flush, uint64_t old,
                        uint64_t x) {
    bool is_signed = t == KD_TYPE_S32 || t == KD_TYPE_S64;
    bool less = is_signed ? as_signed(x, t) < as_signed(old, t) : x < old;
    switch (atom) {
    case KD_ATOM_AND:
        return old & x;
    case KD_ATOM_OR:
        return old | x;
    case KD_ATOM_XOR:
        return old ^ x;
    case KD_ATOM_INC:
        return old >= x ? 0 : old + 1;
    case KD_ATOM_DEC:
        return old == 0 || old > x ? x : old - 1;
    case KD_ATOM_MIN:
        return is_float(t) ? combine_float(atom, t, flush, old, x) : less ? x : old;
    case KD_ATOM_MAX:
        return is_float(t) ? combine_float(atom, t, flush, old, x) : less ? old : x;
    default:
        return is_float(t) ? combine_float(atom, t, flush, old, x) : old + x;
    }
}

uint64_t async_combine(enum kd_async_atom atom, enum kd_async_type t, uint64_t old, uint64_t x) {
    return combine(atom, t, true, old, x);
}

#define REDUCE_ONE(word)                                                                           \
    do {                                                                                           \
        word *p = (word *)(uintptr_t)to, old = __atomic_load_n(p, __ATOMIC_RELAXED), next;         \
        do                                                                                         \
            next = (word)combine(atom, type, flush, old, x);                                       \
        while (!__atomic_compare_exchange_n(p, &old, next, true, __ATOMIC_RELAXED,                 \
                                            __ATOMIC_RELAXED));                                    \
    } while (0)

static void reduce_one(enum kd_async_atom atom, enum kd_async_type type, bool flush, uint64_t to,
                       uint64_t x) {
    switch (async_type_bytes(type)) {
    case 2:
        REDUCE_ONE(uint16_t);
        break;
    case 4:
        REDUCE_ONE(uint32_t);
        break;
    default:
        REDUCE_ONE(uint64_t);
    }
}

static bool has_operation(enum kd_async_atom atom, enum kd_async_type type) {
    if (is_float(type))
        return atom == KD_ATOM_ADD ||
               ((atom == KD_ATOM_MIN || atom == KD_ATOM_MAX) && type <= KD_TYPE_BF16);
    return (atom != KD_ATOM_INC && atom != KD_ATOM_DEC) || type == KD_TYPE_U32;
}

bool async_reduce(enum kd_async_atom atom, enum kd_async_type type, bool flush, uint64_t to,
                  const void *from, uint64_t n) {
    uint32_t bytes = async_type_bytes(type);
    if (!has_operation(atom, type))
        return false;
    for (uint64_t k = 0; k < n; k++) {
        uint64_t x = 0;
        memcpy(&x, (const uint8_t *)from + k * bytes, bytes);
        reduce_one(atom, type, flush, to + k * bytes, x);
    }
    return true;
}
