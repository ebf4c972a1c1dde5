// What is known of a pointer (unified addressing).
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"
#include "driver/memory/virtual_memory.h"

_Atomic bool drv_sync_memops;

// Allocations of which it is set, by the numbers that are never given out twice.
static struct {
    pthread_mutex_t lock;
    uint64_t *ids;
    size_t n, capacity;
} synchronous = {.lock = PTHREAD_MUTEX_INITIALIZER};

static size_t find_synchronous(uint64_t id) {
    size_t k = 0;
    while (k < synchronous.n && synchronous.ids[k] != id)
        k++;
    return k;
}

static bool is_synchronous(uint64_t id) {
    pthread_mutex_lock(&synchronous.lock);
    bool found = find_synchronous(id) < synchronous.n;
    pthread_mutex_unlock(&synchronous.lock);
    return found;
}

static bool add_synchronous(uint64_t id) {
    if (synchronous.n == synchronous.capacity) {
        size_t capacity = 2 * synchronous.capacity + 8;
        uint64_t *ids = realloc(synchronous.ids, capacity * sizeof *ids);
        if (!ids)
            return false;
        synchronous.ids = ids;
        synchronous.capacity = capacity;
    }
    synchronous.ids[synchronous.n++] = id;
    return true;
}

// False: no memory.
static bool set_synchronous(uint64_t id, bool on) {
    pthread_mutex_lock(&synchronous.lock);
    size_t k = find_synchronous(id);
    bool known = k < synchronous.n, ok = true;
    if (on && !known)
        ok = add_synchronous(id);
    else if (!on && known)
        synchronous.ids[k] = synchronous.ids[--synchronous.n];
    drv_sync_memops = synchronous.n > 0;
    pthread_mutex_unlock(&synchronous.lock);
    return ok;
}

static void set_int(void *data, int value) {
    memcpy(data, &value, sizeof value);
}

static void set_address(void *data, uint64_t value) {
    memcpy(data, &value, sizeof value);
}

// What a pointer has that the driver knows nothing of.
static void get_default(void *data, CUpointer_attribute attribute) {
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        set_int(data, CU_DEVICE_INVALID);
        break;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
        set_int(data, 0);
        break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        set_int(data, 0);
        break;
    default:
        set_address(data, 0);
    }
}

static int access_of(uint64_t ptr, bool mapped) {
    if (!mapped || drv_mapped_access(ptr, 1, true, false))
        return CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE;
    return drv_mapped_access(ptr, 1, false, false) ? CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ
                                                   : CU_POINTER_ATTRIBUTE_ACCESS_FLAG_NONE;
}

static CUresult get(void *data, CUpointer_attribute attribute, CUdeviceptr ptr,
                    const struct kd_memory *m) {
    bool host = m->kind == KD_MEMORY_PINNED || m->kind == KD_MEMORY_REGISTERED;
    struct drv_context *ctx = drv_context_of(m->context);
    uint64_t base = m->base, size = m->size;
    bool mapped = m->flags & DRV_MEMORY_MAPPED;
    if (mapped)
        drv_reserved_range(ptr, &base, &size);
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: // a pool belongs to a device (guide 15.13.4)
        if (m->flags & (DRV_MEMORY_POOL | DRV_MEMORY_GRAPH | DRV_MEMORY_IPC_POOL))
            ctx = NULL;
        set_address(data, ctx ? (uintptr_t)ctx->handle : 0);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        set_int(data, host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        set_address(data, ptr);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        REQUIRE(host || m->kind == KD_MEMORY_MANAGED, CUDA_ERROR_INVALID_VALUE,
                "device memory has no host address");
        set_address(data, ptr);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        set_int(data, is_synchronous(m->id));
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
        set_address(data, m->id);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        set_int(data, m->kind == KD_MEMORY_MANAGED);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        set_int(data, drv_device_ordinal(m->device));
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        set_int(data, drv_ipc_capable(m));
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
        set_int(data, 0);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        set_address(data, base);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
        set_address(data, m->base);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        set_address(data, size);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
        set_address(data, m->size);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        set_int(data, 1);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        set_address(data,
                    mapped ? (uint64_t)drv_mapped_handle_types(ptr) : drv_pool_handle_types(m));
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        set_int(data, access_of(ptr, mapped));
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        set_address(data, (uintptr_t)drv_pool_of(m));
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
        FAIL(CUDA_ERROR_NOT_SUPPORTED, "there are no tokens for other drivers");
    }
    FAIL(CUDA_ERROR_INVALID_VALUE, "%d is no attribute of a pointer", (int)attribute);
}

// CUDA_ERROR_INVALID_VALUE for memory that the driver knows nothing of.
CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr) {
    ENTER();
    REQUIRE_POINTER(data);
    struct kd_memory m;
    REQUIRE(kd_memory_find(ptr, &m), CUDA_ERROR_INVALID_VALUE,
            "%#llx is neither allocated by the driver nor registered with it", ptr);
    return get(data, attribute, ptr, &m);
}

// Unknown memory, and attributes that a pointer has not, give zero and CU_DEVICE_INVALID.
CUresult cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute *attributes,
                                void **data, CUdeviceptr ptr) {
    ENTER();
    REQUIRE(numAttributes, CUDA_ERROR_INVALID_VALUE, "numAttributes cannot be 0");
    REQUIRE_POINTER(attributes);
    REQUIRE_POINTER(data);
    struct kd_memory m;
    bool known = kd_memory_find(ptr, &m);
    bool host_address = known && m.kind != KD_MEMORY_DEVICE && m.kind != KD_MEMORY_VARIABLE;
    for (unsigned i = 0; i < numAttributes; i++) {
        REQUIRE(data[i], CUDA_ERROR_INVALID_VALUE, "data[%u] cannot be NULL", i);
        if (!known || (attributes[i] == CU_POINTER_ATTRIBUTE_HOST_POINTER && !host_address))
            get_default(data[i], attributes[i]);
        else
            TRY(get(data[i], attributes[i], ptr, &m));
    }
    return CUDA_SUCCESS;
}

// Only CU_POINTER_ATTRIBUTE_SYNC_MEMOPS can be set. While it is for any memory, all copies and sets
// that are documented as synchronous wait, whatever memory they touch.
CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr ptr) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(value);
    REQUIRE(attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, CUDA_ERROR_INVALID_VALUE,
            "attribute %d cannot be set", (int)attribute);
    struct kd_memory m;
    REQUIRE(kd_memory_find(ptr, &m) && (m.kind == KD_MEMORY_DEVICE || m.kind == KD_MEMORY_MANAGED),
            CUDA_ERROR_INVALID_VALUE, "%#llx is neither device nor managed memory", ptr);
    REQUIRE(set_synchronous(m.id, *(const unsigned int *)value), CUDA_ERROR_OUT_OF_MEMORY,
            "no memory for the attribute of %#llx", ptr);
    return CUDA_SUCCESS;
}
