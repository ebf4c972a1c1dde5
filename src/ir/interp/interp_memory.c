// Addresses, loads and stores. Windows (shared, local, parameters) are checked here; for the rest
// a generic address is a host address, and the device catches what is not mapped.
#include "ir/eval.h"
#include "ir/interp/interp_internal.h"

// A window of memory that a space's addresses are offsets in.
struct window {
    uint8_t *base;
    uint64_t bytes;
};

static struct window window_of(struct interp *in, const struct interp_thread *t, uint8_t space) {
    const struct kd_block *b = in->b;
    switch (space) {
    case ISA_SPACE_SHARED:
        return (struct window){b->shared, b->shared_window_bytes};
    case ISA_SPACE_LOCAL:
        return (struct window){b->local ? b->local + t->id * b->local_stride : NULL,
                               b->local_stride};
    case ISA_SPACE_PARAM:
        return (struct window){(uint8_t *)(uintptr_t)b->params, in->kernel->param_bytes};
    default:
        return (struct window){NULL, 0};
    }
}

static bool has_window(uint8_t space) {
    return space == ISA_SPACE_SHARED || space == ISA_SPACE_LOCAL || space == ISA_SPACE_PARAM;
}

// An address of shared::cluster, whose forms abi/generated_code.h tells, and back.
static uint64_t cluster_to_generic(const struct kd_block *b, uint64_t addr) {
    uint32_t a = (uint32_t)addr, rank = a >> KD_CLUSTER_RANK_BIT;
    if (rank - 1 >= KD_CLUSTER_MAX_BLOCKS)
        return (uint64_t)(uintptr_t)b->shared + (uint64_t)(int64_t)(int32_t)a;
    return (uint64_t)(uintptr_t)b->cluster_shared + (uint64_t)(rank - 1) * KD_CLUSTER_STRIDE +
           a % KD_CLUSTER_MAPPED;
}

static uint64_t cluster_from_generic(const struct kd_block *b, uint64_t addr) {
    uint64_t at = addr - (uint64_t)(uintptr_t)b->cluster_shared;
    return (at / KD_CLUSTER_STRIDE + 1) * KD_CLUSTER_MAPPED + at % KD_CLUSTER_STRIDE;
}

static bool in_cluster(const struct kd_block *b, uint64_t addr) {
    uint64_t at = addr - (uint64_t)(uintptr_t)b->cluster_shared;
    return at / KD_CLUSTER_STRIDE < b->cluster_blocks &&
           at % KD_CLUSTER_STRIDE < b->shared_window_bytes;
}

void *interp_address(struct interp *in, struct interp_thread *t, uint8_t space, uint64_t addr,
                     uint64_t size, uint64_t align) {
    if (has_window(space)) {
        struct window w = window_of(in, t, space);
        if (size > w.bytes || addr > w.bytes - size) {
            interp_fault_at(in, t, KD_FAULT_ILLEGAL_ADDRESS, addr);
            return NULL;
        }
        if (addr % align) {
            interp_fault_at(in, t, KD_FAULT_MISALIGNED, addr);
            return NULL;
        }
        return w.base + addr;
    }
    if (addr % align) {
        interp_fault_at(in, t, KD_FAULT_MISALIGNED, addr);
        return NULL;
    }
    if (in->search)
        return interp_search_address(in, t, addr, size);
    return (void *)(uintptr_t)addr; // NOLINT: a generic address is a host address
}

uint64_t interp_to_generic(struct interp *in, const struct interp_thread *t, uint8_t space,
                           uint64_t addr) {
    if (space == ISA_SPACE_CLUSTER)
        return cluster_to_generic(in->b, addr);
    return has_window(space) ? (uint64_t)(uintptr_t)window_of(in, t, space).base + addr : addr;
}

uint64_t interp_from_generic(struct interp *in, const struct interp_thread *t, uint8_t space,
                             uint64_t addr) {
    if (space == ISA_SPACE_CLUSTER)
        return cluster_from_generic(in->b, addr);
    return has_window(space) ? addr - (uint64_t)(uintptr_t)window_of(in, t, space).base : addr;
}

static bool in_window(struct interp *in, const struct interp_thread *t, uint8_t space,
                      uint64_t addr) {
    struct window w = window_of(in, t, space);
    return addr - (uint64_t)(uintptr_t)w.base < w.bytes;
}

static bool in_constants(const struct interp *in, uint64_t addr) {
    for (uint32_t k = 0; k < in->m->vars.len; k++) {
        const struct kir_symbol *s = in->m->vars.data[k];
        if (s->space == ISA_SPACE_CONST && addr - (uint64_t)(uintptr_t)in->b->vars[k] < s->size)
            return true;
    }
    return false;
}

// The window of a kernel's parameters is a part of the global one (PTX, "Generic Addressing").
bool interp_is_in_space(struct interp *in, const struct interp_thread *t, uint8_t space,
                        uint64_t addr) {
    if (space == ISA_SPACE_CLUSTER)
        return in_cluster(in->b, addr);
    if (has_window(space))
        return in_window(in, t, space, addr);
    if (space == ISA_SPACE_CONST)
        return in_constants(in, addr);
    return !in_cluster(in->b, addr) && !in_window(in, t, ISA_SPACE_SHARED, addr) &&
           !in_window(in, t, ISA_SPACE_LOCAL, addr) && !in_constants(in, addr);
}

// One element in one access, as far as the machine can. Acquire and release cost nothing next to
// the rest of the interpreter, so that all accesses have them.
static union isa_bits read_element(const void *p, unsigned bytes) {
    union isa_bits v = {0};
    switch (bytes) {
    case 1:
        v.u64[0] = __atomic_load_n((const uint8_t *)p, __ATOMIC_ACQUIRE);
        break;
    case 2:
        v.u64[0] = __atomic_load_n((const uint16_t *)p, __ATOMIC_ACQUIRE);
        break;
    case 4:
        v.u64[0] = __atomic_load_n((const uint32_t *)p, __ATOMIC_ACQUIRE);
        break;
    case 8:
        v.u64[0] = __atomic_load_n((const uint64_t *)p, __ATOMIC_ACQUIRE);
        break;
    default:
        memcpy(&v, p, bytes);
    }
    return v;
}

static void write_element(void *p, unsigned bytes, union isa_bits v) {
    switch (bytes) {
    case 1:
        __atomic_store_n((uint8_t *)p, v.u8[0], __ATOMIC_RELEASE);
        break;
    case 2:
        __atomic_store_n((uint16_t *)p, v.u16[0], __ATOMIC_RELEASE);
        break;
    case 4:
        __atomic_store_n((uint32_t *)p, v.u32[0], __ATOMIC_RELEASE);
        break;
    case 8:
        __atomic_store_n((uint64_t *)p, v.u64[0], __ATOMIC_RELEASE);
        break;
    default:
        memcpy(p, &v, bytes);
    }
}

static unsigned bytes_of(const struct kir_inst *i) {
    return isa_type_bits(i->ty) / 8;
}

static unsigned count_of(const struct kir_inst *i) {
    return i->mods.vec ? i->mods.vec : 1;
}

uint64_t interp_access_address(const struct interp_thread *t, const struct interp_inst *i) {
    return interp_get(t, &i->ops[0]).u64[0] + (uint64_t)i->ir->offset;
}

uint8_t *interp_access_at(struct interp *in, struct interp_thread *t, const struct kir_inst *i,
                          uint64_t address) {
    uint64_t size = (uint64_t)bytes_of(i) * count_of(i);
    return interp_address(in, t, i->mods.space, address, size, size);
}

// A vector's elements too, up to 16 bytes: programs lay a flag beside the value that it announces.
static bool is_whole(unsigned bytes, unsigned count) {
    return count > 1 && bytes * count <= sizeof(union isa_bits) && bytes * count <= 16;
}

void interp_load_from(struct interp *in, struct interp_thread *t, const struct interp_inst *i,
                      const uint8_t *p) {
    unsigned bytes = bytes_of(i->ir), count = count_of(i->ir);
    union isa_bits all = {0};
    bool whole = is_whole(bytes, count);
    if (p && whole)
        all = read_element(p, bytes * count);
    for (unsigned k = 0; p && k < count && k < i->ir->nres; k++) {
        union isa_bits v = {0};
        if (whole)
            memcpy(&v, &all.u8[k * bytes], bytes);
        else
            v = read_element(p + k * bytes, bytes);
        interp_set(t, i, k, kir_extend(v, (enum isa_type)i->ir->ty, i->ir->res[k]->type));
    }
    if (i->ir->mods.sem == ISA_SEM_SC || i->ir->mods.sem == ISA_SEM_VOLATILE)
        interp_fence();
}

void interp_load(struct interp *in, struct interp_thread *t, const struct interp_inst *i) {
    interp_load_from(in, t, i, interp_access_at(in, t, i->ir, interp_access_address(t, i)));
}

void interp_store_to(struct interp *in, struct interp_thread *t, const struct interp_inst *i,
                     uint8_t *p) {
    unsigned bytes = bytes_of(i->ir), count = count_of(i->ir);
    if (i->ir->mods.sem == ISA_SEM_SC || i->ir->mods.sem == ISA_SEM_VOLATILE)
        interp_fence();
    union isa_bits all = {0};
    bool whole = is_whole(bytes, count);
    for (unsigned k = 0; p && k < count && k + 1 < i->ir->nops; k++) {
        union isa_bits v = interp_get(t, &i->ops[1 + k]);
        if (whole)
            memcpy(&all.u8[k * bytes], &v, bytes);
        else
            write_element(p + k * bytes, bytes, v);
    }
    if (p && whole)
        write_element(p, bytes * count, all);
}

void interp_store(struct interp *in, struct interp_thread *t, const struct interp_inst *i) {
    interp_store_to(in, t, i, interp_access_at(in, t, i->ir, interp_access_address(t, i)));
}
