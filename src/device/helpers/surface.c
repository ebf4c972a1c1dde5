// Loads, stores and atomic operations on surface objects (guide 6.2.14.2): x counts bytes; in
// formatted accesses (suld.p, sust.p, sured.p) texels, whose components are words in registers.
#include <string.h>

#include "device/check/check_image.h"
#include "device/helpers/image.h"
#include "device/helpers/runtime.h"
#include "device/memory/sparse.h"
#include "isa/fp.h"

enum { CLAMP_TRAP, CLAMP_NEAREST, CLAMP_ZERO };

static int64_t limited(int64_t i, int64_t n) {
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

// The address of `bytes` bytes; 0: outside, or where nothing is mapped of a sparse array: loads are
// zero and stores vanish.
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
    if (!(form & KD_IMAGE_FORMATTED) && at[0] % (int64_t)bytes)
        kd_rt_fault(b, thread, KD_FAULT_MISALIGNED);
    if (!(form & KD_IMAGE_FORMATTED))
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
    uint64_t address =
        kd_image_address(l, (uint64_t)at[0] * bytes, (uint64_t)at[1], (uint64_t)at[2]);
    return !l->sparse || kd_sparse_is_resident(l->sparse, address) ? address : 0;
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

// ---- Formatted accesses -----------------------------------------------------------------------

static uint8_t *pointer(uint64_t address) {
    return (uint8_t *)(uintptr_t)address; // NOLINT: a generic address is a host address
}

static uint64_t texel_bytes(const struct kd_texture *t) {
    return (uint64_t)t->bytes * t->channels;
}

// A component as a word: half-precision numbers become single ones, small integers grow.
static uint32_t widened(const struct kd_texture *t, uint64_t bits) {
    if (t->texel == KD_TEXEL_FLOAT)
        return t->bytes == 4 ? (uint32_t)bits
                             : (uint32_t)fp_convert(FP_F32, FP_F16, bits, &(struct isa_mods){0});
    if (t->texel == KD_TEXEL_UNSIGNED || t->bytes == 4)
        return (uint32_t)bits;
    return t->bytes == 1 ? (uint32_t)(int8_t)bits : (uint32_t)(int16_t)bits;
}

// A word as a component: numbers are rounded, integers saturate.
static uint32_t narrowed(const struct kd_texture *t, uint32_t word) {
    uint32_t top = t->bytes == 1 ? 0xff : 0xffff;
    if (t->bytes == 4)
        return word;
    if (t->texel == KD_TEXEL_FLOAT)
        return (uint32_t)fp_convert(FP_F16, FP_F32, word, &(struct isa_mods){.rnd = ISA_RND_RN});
    if (t->texel == KD_TEXEL_UNSIGNED)
        return word > top ? top : word;
    int32_t v = (int32_t)word, most = (int32_t)(top >> 1);
    return (uint32_t)(v > most ? most : v < -most - 1 ? -most - 1 : v);
}

// A component that the format lacks is 0, the fourth 1. Outside all are 0.
static void load_formatted(const struct kd_texture *t, const uint8_t *p, uint32_t n,
                           uint64_t *out) {
    uint32_t one = t->texel == KD_TEXEL_FLOAT ? 0x3f800000 : 1;
    for (uint32_t k = 0; k < n; k++) {
        uint64_t bits = 0;
        out[k] = p && k == 3 ? one : 0;
        if (!p || k >= t->channels)
            continue;
        memcpy(&bits, p + k * t->bytes, t->bytes);
        out[k] = widened(t, bits);
    }
}

// Components that the instruction lacks stay as they are.
static void store_formatted(const struct kd_texture *t, uint8_t *p, uint32_t n,
                            const uint64_t *values) {
    for (uint32_t k = 0; k < n && k < t->channels; k++) {
        uint32_t bits = narrowed(t, (uint32_t)values[k]);
        memcpy(p + k * t->bytes, &bits, t->bytes);
    }
}

static void check(struct kd_block *b, uint32_t thread, uint32_t op, const void *p, uint64_t bytes) {
    enum check_image how = op == KD_IMAGE_LOAD    ? CHECK_SURFACE_READ
                           : op == KD_IMAGE_STORE ? CHECK_SURFACE_WRITE
                                                  : CHECK_SURFACE_ATOMIC;
    if (p)
        check_image_access(b, thread, how, (uint64_t)(uintptr_t)p, (uint32_t)bytes);
    if (p && op == KD_IMAGE_LOAD)
        check_image_fetched(b, thread, (uint64_t)(uintptr_t)p, (uint32_t)bytes);
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
    const uint64_t *values = in + kd_image_indices(form) + kd_image_dims(form);
    bool is_signed = form & KD_IMAGE_SIGNED;
    if (form & KD_IMAGE_FORMATTED && op != KD_IMAGE_REDUCE) {
        uint8_t *texel = pointer(address_of(b, thread, t, form, in, texel_bytes(t)));
        if (check_images())
            check(b, thread, op, texel, texel_bytes(t));
        if (op == KD_IMAGE_LOAD)
            load_formatted(t, texel, n, out);
        else if (texel)
            store_formatted(t, texel, n, values);
        return;
    }
    // Reductions by texels are for those of one word, of the sign that their format has.
    if (form & KD_IMAGE_FORMATTED && (texel_bytes(t) != 4 || t->texel == KD_TEXEL_FLOAT))
        kd_rt_fault(b, thread, KD_FAULT_ILLEGAL_INSTRUCTION);
    if (form & KD_IMAGE_FORMATTED)
        is_signed = t->texel == KD_TEXEL_SIGNED;
    uint8_t *p = pointer(address_of(b, thread, t, form, in, (uint64_t)bytes * n));
    if (check_images())
        check(b, thread, op, p, (uint64_t)bytes * n);
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
