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

// An access by one thread or by the lanes of a group: what the object and the form say of it.
struct access {
    const struct kd_texture *t;
    uint32_t form, op, n; // n: components
    uint32_t bytes;       // of a component in registers
    uint64_t unit;        // bytes that x counts, a power of two
    int shift;            // its logarithm
    int64_t size[3];      // units, rows, slices or layers
    bool is_signed;
};

static uint64_t texel_bytes(const struct kd_texture *t) {
    return (uint64_t)t->bytes * t->channels;
}

static struct access access_to(struct kd_block *b, uint32_t thread, uint64_t object,
                               uint32_t form) {
    struct access a = {.t = image_find(object, true), .form = form, .op = kd_image_op(form)};
    if (!a.t)
        kd_rt_fault(b, thread, KD_FAULT_ILLEGAL_ADDRESS);
    bool texels = form & KD_IMAGE_FORMATTED, reduces = a.op == KD_IMAGE_REDUCE;
    // Reductions by texels are for those of one word, of the sign that their format has.
    if (texels && reduces && (texel_bytes(a.t) != 4 || a.t->texel == KD_TEXEL_FLOAT))
        kd_rt_fault(b, thread, KD_FAULT_ILLEGAL_INSTRUCTION);
    a.is_signed = texels ? a.t->texel == KD_TEXEL_SIGNED : (form & KD_IMAGE_SIGNED) != 0;
    a.bytes = 1u << (form >> KD_IMAGE_BYTES & 3);
    a.n = reduces ? 1 : 1u << (form >> KD_IMAGE_VEC & 3);
    a.unit = texels && !reduces ? texel_bytes(a.t) : (uint64_t)a.bytes * a.n;
    a.shift = __builtin_ctzll(a.unit);
    const struct kd_image_level *l = &a.t->level[0];
    a.size[0] = (int64_t)(l->width * texel_bytes(a.t)) >> a.shift;
    a.size[1] = (int64_t)l->height;
    a.size[2] = (int64_t)(kd_image_dims(form) == 3 ? l->depth : a.t->layers);
    return a;
}

// The address that a thread means; NULL: outside, or where nothing is mapped of a sparse array:
// loads are zero and stores vanish.
static inline uint8_t *place_of(const struct access *a, struct kd_block *b, uint32_t thread,
                                const uint64_t *in) {
    const struct kd_image_level *l = &a->t->level[0];
    uint32_t indices = kd_image_indices(a->form), dims = kd_image_dims(a->form);
    uint32_t clamp = a->form >> KD_IMAGE_CLAMP & 3;
    int64_t at[3] = {(int32_t)(uint32_t)in[indices],
                     dims > 1 ? (int32_t)(uint32_t)in[indices + 1] : 0,
                     dims > 2  ? (int32_t)(uint32_t)in[indices + 2]
                     : indices ? (int32_t)(uint32_t)in[0]
                               : 0};
    if (!(a->form & KD_IMAGE_FORMATTED)) {
        if (at[0] & (int64_t)(a->unit - 1))
            kd_rt_fault(b, thread, KD_FAULT_MISALIGNED);
        at[0] >>= a->shift;
    }
    for (unsigned k = 0; k < 3; k++) {
        if (at[k] >= 0 && at[k] < a->size[k])
            continue;
        if (clamp == CLAMP_TRAP || a->size[k] == 0)
            kd_rt_fault(b, thread, KD_FAULT_ILLEGAL_ADDRESS);
        if (clamp == CLAMP_ZERO)
            return NULL;
        at[k] = limited(at[k], a->size[k]);
    }
    uint64_t address =
        kd_image_address(l, (uint64_t)at[0] << a->shift, (uint64_t)at[1], (uint64_t)at[2]);
    if (l->sparse && !kd_sparse_is_resident(l->sparse, address))
        return NULL;
    return (uint8_t *)(uintptr_t)address; // NOLINT: a generic address is a host address
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

static uint64_t load_component(const uint8_t *p, uint32_t bytes) {
    uint64_t dword;
    uint32_t word;
    uint16_t half;
    switch (bytes) {
    case 1:
        return *p;
    case 2:
        memcpy(&half, p, sizeof half);
        return half;
    case 4:
        memcpy(&word, p, sizeof word);
        return word;
    default:
        memcpy(&dword, p, sizeof dword);
        return dword;
    }
}

static void store_component(uint8_t *p, uint32_t bytes, uint64_t v) {
    switch (bytes) {
    case 1:
        *p = (uint8_t)v;
        return;
    case 2:
        memcpy(p, &(uint16_t){(uint16_t)v}, 2);
        return;
    case 4:
        memcpy(p, &(uint32_t){(uint32_t)v}, 4);
        return;
    default:
        memcpy(p, &v, 8);
    }
}

// ---- Formatted accesses -----------------------------------------------------------------------

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
        out[k] = p && k == 3 ? one : 0;
        if (p && k < t->channels)
            out[k] = widened(t, load_component(p + k * t->bytes, t->bytes));
    }
}

// Components that the instruction lacks stay as they are.
static void store_formatted(const struct kd_texture *t, uint8_t *p, uint32_t n,
                            const uint64_t *values) {
    for (uint32_t k = 0; k < n && k < t->channels; k++) {
        store_component(p + k * t->bytes, t->bytes, narrowed(t, (uint32_t)values[k]));
    }
}

static void check(struct kd_block *b, uint32_t thread, uint32_t op, const void *p, uint64_t bytes) {
    enum check_image how = op == KD_IMAGE_LOAD    ? CHECK_SURFACE_READ
                           : op == KD_IMAGE_STORE ? CHECK_SURFACE_WRITE
                                                  : CHECK_SURFACE_ATOMIC;
    if (p)
        check_image_access(b, thread, how, (uint64_t)(uintptr_t)p, (uint32_t)bytes);
    if (p && op == KD_IMAGE_LOAD)
        check_image_fetched(b, thread, (uint64_t)(uintptr_t)p, (uint32_t)bytes, CHECK_ALL_RESULTS);
}

// What one thread does at p, or outside.
static inline void perform(const struct access *a, uint8_t *p, const uint64_t *values,
                           uint64_t *out) {
    uint32_t bytes = a->bytes, reduction = a->form >> KD_IMAGE_ARG & 31;
    bool texels = a->form & KD_IMAGE_FORMATTED;
    if (a->op == KD_IMAGE_LOAD && texels) {
        load_formatted(a->t, p, a->n, out);
    } else if (a->op == KD_IMAGE_LOAD) {
        for (uint32_t k = 0; k < a->n; k++)
            out[k] = p ? load_component(p + k * bytes, bytes) : 0;
    } else if (p && a->op == KD_IMAGE_STORE) {
        if (texels)
            store_formatted(a->t, p, a->n, values);
        else
            for (uint32_t k = 0; k < a->n; k++)
                store_component(p + k * bytes, bytes, values[k]);
    } else if (p && bytes == 8) {
        reduce64((uint64_t *)p, reduction, a->is_signed, values[0]);
    } else if (p) {
        reduce32((uint32_t *)p, reduction, a->is_signed, (uint32_t)values[0]);
    }
}

void kd_rt_surf(struct kd_block *b, uint32_t thread, uint64_t object, uint32_t form,
                const uint64_t *in, uint64_t *out) {
    uint32_t op = kd_image_op(form);
    if (op == KD_IMAGE_QUERY || op == KD_IMAGE_QUERY_LEVEL) {
        kd_rt_tex(b, thread, object, form, in, out);
        return;
    }
    struct access a = access_to(b, thread, object, form);
    uint8_t *p = place_of(&a, b, thread, in);
    if (check_images())
        check(b, thread, op, p, a.unit);
    perform(&a, p, in + kd_image_indices(form) + kd_image_dims(form), out);
}

// Where all lanes of a group access units side by side in one row, the first one's address; else
// NULL.
static uint8_t *row_of(const struct access *a, uint32_t width, const uint64_t *in) {
    const struct kd_image_level *l = &a->t->level[0];
    uint32_t indices = kd_image_indices(a->form), dims = kd_image_dims(a->form), differ = 0;
    const uint64_t *x = in + (size_t)indices * width, *y = x + width,
                   *z = dims > 2 ? y + width : in;
    if (a->form & KD_IMAGE_FORMATTED || a->op == KD_IMAGE_REDUCE || l->sparse || l->tiled)
        return NULL;
    for (uint32_t k = 0; k < width; k++)
        differ |= (uint32_t)x[k] ^ ((uint32_t)x[0] + k * (uint32_t)a->unit);
    for (uint32_t k = 0; dims > 1 && k < width; k++)
        differ |= (uint32_t)y[k] ^ (uint32_t)y[0];
    for (uint32_t k = 0; (dims > 2 || indices) && k < width; k++)
        differ |= (uint32_t)z[k] ^ (uint32_t)z[0];
    int64_t first = (int32_t)x[0], row = dims > 1 ? (int32_t)y[0] : 0;
    int64_t slice = dims > 2 || indices ? (int32_t)z[0] : 0;
    if (differ || first < 0 || first & (int64_t)(a->unit - 1) || row < 0 || row >= a->size[1] ||
        slice < 0 || slice >= a->size[2] || (first >> a->shift) + width > a->size[0])
        return NULL;
    uint64_t address = kd_image_address(l, (uint64_t)first, (uint64_t)row, (uint64_t)slice);
    return (uint8_t *)(uintptr_t)address; // NOLINT: a generic address is a host address
}

static void perform_row(const struct access *a, uint8_t *p, uint32_t width, const uint64_t *values,
                        uint64_t *out) {
    bool loads = a->op == KD_IMAGE_LOAD, words = a->n == 1 && a->bytes == 4;
    for (uint32_t l = 0; words && loads && l < width; l++)
        out[l] = load_component(p + l * 4, 4);
    for (uint32_t l = 0; words && !loads && l < width; l++)
        store_component(p + l * 4, 4, values[l]);
    for (uint32_t k = 0; !words && k < a->n; k++)
        for (uint32_t l = 0; l < width; l++)
            if (loads)
                out[k * width + l] = load_component(p + l * a->unit + k * a->bytes, a->bytes);
            else
                store_component(p + l * a->unit + k * a->bytes, a->bytes, values[k * width + l]);
}

void kd_rt_surf_lanes(struct kd_block *b, uint32_t thread, uint64_t object, uint32_t form,
                      uint32_t width, uint32_t mask, const uint64_t *in, uint64_t *out) {
    uint32_t inputs = kd_image_inputs(form), outputs = kd_image_outputs(form);
    uint32_t coordinates = kd_image_indices(form) + kd_image_dims(form);
    uint64_t one_in[KD_IMAGE_MAX_INPUTS], one[KD_IMAGE_MAX_OUTPUTS];
    bool checks = check_images();
    memset(out, 0, sizeof *out * outputs * width);
    if (!mask)
        return;
    struct access a = access_to(b, thread + (uint32_t)__builtin_ctz(mask), object, form);
    uint8_t *row = mask == UINT32_MAX >> (32 - width) && !checks ? row_of(&a, width, in) : NULL;
    if (row) {
        perform_row(&a, row, width, in + (size_t)coordinates * width, out);
        return;
    }
    for (; mask; mask &= mask - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(mask);
        for (uint32_t k = 0; k < inputs; k++)
            one_in[k] = in[k * width + l];
        uint8_t *p = place_of(&a, b, thread + l, one_in);
        if (checks)
            check(b, thread + l, a.op, p, a.unit);
        perform(&a, p, one_in + coordinates, one);
        for (uint32_t k = 0; k < outputs; k++)
            out[k * width + l] = one[k];
    }
}
