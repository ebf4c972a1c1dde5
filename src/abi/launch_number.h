// Numbers that follow from a kernel's parameters alone: each launch can compute them before it
// chooses code.
#ifndef KUDZU_ABI_LAUNCH_NUMBER_H
#define KUDZU_ABI_LAUNCH_NUMBER_H

#include <stdint.h>
#include <string.h>

enum { KJ_MOST_STEPS = 24 };

// What one step computes of two that come before it, modulo 2^bits. Numbers are kept without their
// sign: as many bits as their own step says.
enum kj_step_op {
    KJ_STEP_NUMBER, // number
    KJ_STEP_PARAM,  // of the parameter block, at the offset `number`
    KJ_STEP_ADD,
    KJ_STEP_SUB,
    KJ_STEP_MUL,
    KJ_STEP_MUL_S, // of 32 bits each, with their signs
    KJ_STEP_DIV,   // as numbers without sign
    KJ_STEP_DIV_S, // as such with one
    KJ_STEP_MIN,
    KJ_STEP_MIN_S,
    KJ_STEP_MAX,
    KJ_STEP_MAX_S,
    KJ_STEP_AND,
    KJ_STEP_OR,
    KJ_STEP_XOR,
    KJ_STEP_SHL,
    KJ_STEP_SHR,
    KJ_STEP_SHR_S,
    KJ_STEP_SIGN, // x, from its 32 bits on with its sign
    KJ_STEP_KEEP, // x
};
struct kj_step {
    uint8_t op, bits; // bits: 32 or 64
    uint8_t x, y;     // by number
    uint64_t number;
};

// Can step k be computed of those before it and a parameter block of so many bytes?
static inline int kj_step_is_valid(const struct kj_step *s, uint32_t k, uint32_t param_bytes) {
    int leaf = s->op == KJ_STEP_NUMBER || s->op == KJ_STEP_PARAM;
    return k < KJ_MOST_STEPS && s->op <= KJ_STEP_KEEP && (s->bits == 32 || s->bits == 64) &&
           (leaf ? !s->x && !s->y : s->x < k && s->y < k) &&
           (s->op != KJ_STEP_PARAM ||
            (s->number <= param_bytes && param_bytes - s->number >= s->bits / 8u));
}

static inline int64_t kj_with_sign(uint64_t x, unsigned bits) {
    return bits == 32 ? (int32_t)(uint32_t)x : (int64_t)x;
}

// Nobody counts on a quotient by zero, nor on the one that is too large.
static inline int kj_has_quotient(uint64_t y, unsigned bits) {
    return y && kj_with_sign(y, bits) != -1;
}

static inline uint64_t kj_step_number(const struct kj_step *s, const uint64_t *before,
                                      const uint8_t *params) {
    uint64_t x = before[s->x], y = before[s->y], n = 0;
    int64_t sx = kj_with_sign(x, s->bits), sy = kj_with_sign(y, s->bits);
    switch ((enum kj_step_op)s->op) {
    case KJ_STEP_NUMBER:
        return s->number;
    case KJ_STEP_PARAM:
        memcpy(&n, params + s->number, s->bits / 8);
        return n;
    case KJ_STEP_ADD:
        return x + y;
    case KJ_STEP_SUB:
        return x - y;
    case KJ_STEP_MUL:
        return x * y;
    case KJ_STEP_MUL_S:
        return (uint64_t)(kj_with_sign(x, 32) * kj_with_sign(y, 32));
    case KJ_STEP_DIV:
        return x / y;
    case KJ_STEP_DIV_S:
        return (uint64_t)(sx / sy);
    case KJ_STEP_MIN:
        return x < y ? x : y;
    case KJ_STEP_MIN_S:
        return sx < sy ? x : y;
    case KJ_STEP_MAX:
        return x > y ? x : y;
    case KJ_STEP_MAX_S:
        return sx > sy ? x : y;
    case KJ_STEP_AND:
        return x & y;
    case KJ_STEP_OR:
        return x | y;
    case KJ_STEP_XOR:
        return x ^ y;
    case KJ_STEP_SHL:
        return y < s->bits ? x << y : 0;
    case KJ_STEP_SHR:
        return y < s->bits ? x >> y : 0;
    case KJ_STEP_SHR_S:
        return (uint64_t)(sx >> (y < s->bits ? y : s->bits - 1u));
    case KJ_STEP_SIGN:
        return (uint64_t)(int64_t)(int32_t)(uint32_t)x;
    case KJ_STEP_KEEP:
        return x;
    }
    return UINT64_MAX;
}

// The last of n steps, 1 to KJ_MOST_STEPS. UINT64_MAX: there is no such number.
static inline uint64_t kj_launch_number(const struct kj_step *steps, uint32_t n,
                                        const uint8_t *params) {
    uint64_t of[KJ_MOST_STEPS] = {0};
    for (uint32_t k = 0; k < n; k++) {
        const struct kj_step *s = &steps[k];
        if ((s->op == KJ_STEP_DIV || s->op == KJ_STEP_DIV_S) && !kj_has_quotient(of[s->y], s->bits))
            return UINT64_MAX;
        uint64_t x = kj_step_number(s, of, params);
        of[k] = s->bits == 32 ? (uint32_t)x : x;
    }
    return of[n - 1];
}

#endif
