// Instructions on multicast objects (multimem): they do their work in the memory of each device.
#include "device/helpers/async.h"
#include "device/memory/multicast.h"
#include "isa/fp.h"

static uint64_t load(uint64_t at, uint32_t bytes) {
    const void *p = (const void *)(uintptr_t)at;
    return bytes == 2   ? __atomic_load_n((const uint16_t *)p, __ATOMIC_RELAXED)
           : bytes == 4 ? __atomic_load_n((const uint32_t *)p, __ATOMIC_RELAXED)
                        : __atomic_load_n((const uint64_t *)p, __ATOMIC_RELAXED);
}

static void store(uint64_t at, uint32_t bytes, uint64_t x) {
    void *p = (void *)(uintptr_t)at;
    if (bytes == 2)
        __atomic_store_n((uint16_t *)p, (uint16_t)x, __ATOMIC_RELAXED);
    else if (bytes == 4)
        __atomic_store_n((uint32_t *)p, (uint32_t)x, __ATOMIC_RELAXED);
    else
        __atomic_store_n((uint64_t *)p, x, __ATOMIC_RELAXED);
}

// The sum of halves, in single precision.
static uint64_t precise_sum(enum kd_async_type type, const uint64_t *x, unsigned n) {
    enum fp_format f = type == KD_TYPE_F16 ? FP_F16 : FP_BF16;
    struct isa_mods m = {.rnd = ISA_RND_RN}, none = {0};
    uint64_t sum = fp_convert(FP_F32, f, x[0], &none);
    for (unsigned k = 1; k < n; k++)
        sum = fp_add(FP_F32, sum, fp_convert(FP_F32, f, x[k], &none), &m);
    return fp_convert(f, FP_F32, sum, &m);
}

// One element of all members.
static uint64_t combined(uint32_t code, enum kd_async_type type, const uint64_t *x, unsigned n) {
    enum kd_async_atom atom = (enum kd_async_atom)(code >> KD_ASYNC_ATOM_SHIFT & 15);
    if (code & KD_ASYNC_PRECISE)
        return precise_sum(type, x, n);
    uint64_t r = x[0];
    for (unsigned k = 1; k < n; k++)
        r = async_combine(atom, type, r, x[k]);
    return r;
}

static uint64_t load_reduced(uint32_t code, enum kd_async_type type, uint32_t elements,
                             const uint64_t *at, unsigned n) {
    uint32_t bytes = async_type_bytes(type), bits = 8 * bytes;
    uint64_t word[KD_MOST_MEMBERS], x[KD_MOST_MEMBERS], r = 0;
    for (unsigned k = 0; k < n; k++)
        word[k] = load(at[k], bytes * elements);
    for (uint32_t e = 0; e < elements; e++) {
        for (unsigned k = 0; k < n; k++)
            x[k] = bits == 64 ? word[k] : word[k] >> e * bits & ((1ull << bits) - 1);
        uint64_t sum = combined(code, type, x, n);
        r |= (bits == 64 ? sum : sum & ((1ull << bits) - 1)) << e * bits;
    }
    return r;
}

static void tell(struct async_watch *watch, bool reads, const uint64_t *at, unsigned n,
                 uint32_t bytes) {
    for (unsigned k = 0; watch && k < n; k++) {
        struct async_piece p = {reads ? 0 : at[k], reads ? at[k] : 0, reads ? 0 : bytes,
                                reads ? bytes : 0};
        watch->moves(watch, ASYNC_MEMBERS, &p);
    }
}

enum kd_fault multimem_execute(uint32_t code, const uint64_t *args, struct async_watch *watch,
                               uint64_t *result) {
    enum kd_async_type type = (enum kd_async_type)(code >> KD_ASYNC_TYPE_SHIFT & 15);
    bool pair = type >= KD_TYPE_F16X2;
    if (pair)
        type = type == KD_TYPE_F16X2 ? KD_TYPE_F16 : KD_TYPE_BF16;
    uint32_t op = code & KD_ASYNC_OP_MASK, bytes = async_type_bytes(type) << pair;
    uint64_t at[KD_MOST_MEMBERS];
    if (args[0] % bytes)
        return KD_FAULT_MISALIGNED;
    unsigned n = multicast_enter(args[0], bytes, at);
    *result = 0;
    tell(watch, op == KD_ASYNC_MULTIMEM_LOAD, at, n, bytes);
    if (n && op == KD_ASYNC_MULTIMEM_LOAD)
        *result = load_reduced(code, type, 1 + pair, at, n);
    for (unsigned k = 0; k < n && op == KD_ASYNC_MULTIMEM_STORE; k++)
        store(at[k], bytes, args[1]);
    for (unsigned k = 0; k < n && op == KD_ASYNC_MULTIMEM_REDUCE; k++)
        async_reduce((enum kd_async_atom)(code >> KD_ASYNC_ATOM_SHIFT & 15), type, true, at[k],
                     &args[1], 1 + pair);
    multicast_leave();
    return n ? KD_FAULT_NONE : KD_FAULT_ILLEGAL_ADDRESS;
}
