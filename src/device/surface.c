// Loads, stores and atomic operations on surface objects (guide 6.2.14.2): x counts bytes.
#include <string.h>

#include "device/image.h"
#include "device/runtime.h"
#include "isa/isa.h"

enum { CLAMP_TRAP, CLAMP_NEAREST, CLAMP_ZERO };

static int64_t limited(int64_t i, int64_t n) {
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

// The address of `bytes` bytes; 0: outside, where loads are zero and stores vanish.
static uint64_t address_of(struct kd_block *b, uint32_t thread, const struct kd_texture *t,
                           uint32_t form, const uint64_t *in, uint64_t bytes) {
    const struct kd_image_level *l = &t->level[0];
    uint32_t indices = kd_image_indices(form), dims = kd_image_dims(form);
    uint32_t clamp = form >> KD_IMAGE_CLAMP & 3;
    int64_t row = (int64_t)(l->width * t->bytes * t->channels);
    int64_t size[3] = {row / (int64_t)bytes, (int64_t)l->height,
                       (int64_t)(dims == 3 ? l->depth : t->layers)};
    int64_t at[3] = {(int32_t)(uint32_t)in[indices],
                     dims > 1 ? (int32_t)(uint32_t)in[indices + 1] : 0,
                     dims > 2  ? (int32_t)(uint32_t)in[indices + 2]
                     : indices ? (int32_t)(uint32_t)in[0]
                               : 0};
    if (at[0] % (int64_t)bytes)
        kd_rt_fault(b, thread, KD_FAULT_MISALIGNED);
    at[0] /= (int64_t)bytes;
    for (unsigned k = 0; k < 3; k++) {
        if (at[k] >= 0 && at[k] < size[k])
            continue;
        if (clamp == CLAMP_TRAP || size[k] == 0)
            kd_rt_fault(b, thread, KD_FAULT_ILLEGAL_ADDRESS);
        if (clamp == CLAMP_ZERO)
            return 0;
        at[k] = limited(at[k], size[k]);
    }
    return l->base + (uint64_t)at[2] * l->slice + (uint64_t)at[1] * l->pitch +
           (uint64_t)at[0] * bytes;
}

// The result of a reduction on words of `bits` bits.
static uint64_t combined(uint32_t op, bool is_signed, unsigned bits, uint64_t a, uint64_t c) {
    int64_t x = bits == 32 ? (int32_t)(uint32_t)a : (int64_t)a;
    int64_t y = bits == 32 ? (int32_t)(uint32_t)c : (int64_t)c;
    bool less = is_signed ? x < y : (bits == 32 ? (uint32_t)a < (uint32_t)c : a < c);
    switch (op) {
    case ISA_ATOM_ADD:
        return a + c;
    case ISA_ATOM_MIN:
        return less ? a : c;
    case ISA_ATOM_MAX:
        return less ? c : a;
    case ISA_ATOM_AND:
        return a & c;
    default:
        return a | c;
    }
}

static void reduce32(uint32_t *p, uint32_t op, bool is_signed, uint32_t c) {
    uint32_t old = __atomic_load_n(p, __ATOMIC_RELAXED), new;
    do
        new = (uint32_t)combined(op, is_signed, 32, old, c);
    while (!__atomic_compare_exchange_n(p, &old, new, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

static void reduce64(uint64_t *p, uint32_t op, bool is_signed, uint64_t c) {
    uint64_t old = __atomic_load_n(p, __ATOMIC_RELAXED), new;
    do
        new = combined(op, is_signed, 64, old, c);
    while (!__atomic_compare_exchange_n(p, &old, new, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

void kd_rt_surf(struct kd_block *b, uint32_t thread, uint64_t object, uint32_t form,
                const uint64_t *in, uint64_t *out) {
    const struct kd_texture *t = image_find(object, true);
    uint32_t op = kd_image_op(form), bytes = 1u << (form >> KD_IMAGE_BYTES & 3);
    uint32_t n = op == KD_IMAGE_REDUCE ? 1 : 1u << (form >> KD_IMAGE_VEC & 3);
    if (op == KD_IMAGE_QUERY || op == KD_IMAGE_QUERY_LEVEL) {
        kd_rt_tex(b, thread, object, form, in, out);
        return;
    }
    if (!t)
        kd_rt_fault(b, thread, KD_FAULT_ILLEGAL_ADDRESS);
    uint64_t at = address_of(b, thread, t, form, in, (uint64_t)bytes * n);
    uint8_t *p = (uint8_t *)(uintptr_t)at;
    const uint64_t *values = in + kd_image_indices(form) + kd_image_dims(form);
    bool is_signed = form & KD_IMAGE_SIGNED;
    for (uint32_t k = 0; k < n; k++) {
        if (op == KD_IMAGE_LOAD) {
            out[k] = 0;
            if (p)
                memcpy(&out[k], p + k * bytes, bytes);
        } else if (p && op == KD_IMAGE_STORE) {
            memcpy(p + k * bytes, &values[k], bytes);
        } else if (p && bytes == 8) {
            reduce64((uint64_t *)p, form >> KD_IMAGE_ARG & 31, is_signed, values[0]);
        } else if (p) {
            reduce32((uint32_t *)p, form >> KD_IMAGE_ARG & 31, is_signed, (uint32_t)values[0]);
        }
    }
}
