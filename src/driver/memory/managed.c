// Managed memory. Host and device share it as it is, so that nothing migrates: advice and
// prefetches are checked and remembered for cuMemRangeGetAttribute.
#include <stdlib.h>
#include <string.h>

#include "driver/graph/capture.h"
#include "driver/memory/copy.h"
#include "driver/memory/managed.h"
#include "driver/memory/numa.h"

struct advice {
    int read_mostly;
    CUmemLocation preferred, prefetched;
    uint64_t accessed_by; // one bit a device
    bool accessed_by_host;
};

// Address ranges with advice: sorted, disjoint.
struct range {
    uint64_t begin, end;
    struct advice advice;
    struct range *next;
};
static struct range *ranges; // under the lock

static const struct advice none = {
    .preferred = {CU_MEM_LOCATION_TYPE_INVALID, CU_DEVICE_INVALID},
    .prefetched = {CU_MEM_LOCATION_TYPE_INVALID, CU_DEVICE_INVALID},
};

static struct range *range_new(uint64_t begin, uint64_t end, const struct advice *a,
                               struct range *next) {
    struct range *r = malloc(sizeof *r);
    if (r)
        *r = (struct range){begin, end, *a, next};
    return r;
}

// Under the lock. Makes ranges begin and end at `at`; false: out of memory.
static bool split(uint64_t at) {
    for (struct range *r = ranges; r && r->begin < at; r = r->next) {
        if (at < r->end) {
            struct range *rest = range_new(at, r->end, &r->advice, r->next);
            if (!rest)
                return false;
            r->end = at;
            r->next = rest;
        }
    }
    return true;
}

// Under the lock. Calls change(advice, arg) for all of [begin, end), with ranges made where there
// are none.
static bool update(uint64_t begin, uint64_t end, void (*change)(struct advice *, const void *),
                   const void *arg) {
    if (!split(begin) || !split(end))
        return false;
    struct range **at = &ranges;
    while (*at && (*at)->end <= begin)
        at = &(*at)->next;
    while (begin < end) {
        if (!*at || (*at)->begin > begin) {
            uint64_t stop = *at && (*at)->begin < end ? (*at)->begin : end;
            struct range *r = range_new(begin, stop, &none, *at);
            if (!r)
                return false;
            *at = r;
        }
        change(&(*at)->advice, arg);
        begin = (*at)->end;
        at = &(*at)->next;
    }
    return true;
}

void drv_managed_forget(uint64_t begin, uint64_t size) {
    drv_lock();
    if (split(begin) && split(begin + size)) {
        struct range **at = &ranges;
        while (*at) {
            struct range *r = *at;
            if (r->begin >= begin && r->end <= begin + size) {
                *at = r->next;
                free(r);
            } else {
                at = &r->next;
            }
        }
    }
    drv_unlock();
}

// flags: CU_MEM_ATTACH_GLOBAL or CU_MEM_ATTACH_HOST.
CUresult cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(dptr);
    REQUIRE(flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST, CUDA_ERROR_INVALID_VALUE,
            "flags must be CU_MEM_ATTACH_GLOBAL or CU_MEM_ATTACH_HOST");
    uint64_t ptr;
    TRY(drv_memory_allocate(ctx, KD_MEMORY_MANAGED, bytesize, flags, &ptr));
    *dptr = ptr;
    return CUDA_SUCCESS;
}

CUresult drv_managed_check(CUdeviceptr ptr, size_t count) {
    REQUIRE(ptr && count, CUDA_ERROR_INVALID_VALUE, "the range is empty");
    struct kd_memory m;
    if (!kd_memory_find(ptr, &m)) {
        REQUIRE(drv_is_system_memory(ptr, count), CUDA_ERROR_INVALID_VALUE,
                "there are no %zu bytes of memory at %#llx", count, ptr);
        return CUDA_SUCCESS;
    }
    REQUIRE(m.kind == KD_MEMORY_MANAGED || m.kind == KD_MEMORY_REGISTERED, CUDA_ERROR_INVALID_VALUE,
            "the range is not managed memory");
    REQUIRE(count <= m.base + m.size - ptr, CUDA_ERROR_INVALID_VALUE,
            "the range is longer than its allocation");
    return CUDA_SUCCESS;
}

static CUmemLocation location_of(CUdevice device) {
    return device == CU_DEVICE_CPU ? (CUmemLocation){CU_MEM_LOCATION_TYPE_HOST, 0}
                                   : (CUmemLocation){CU_MEM_LOCATION_TYPE_DEVICE, device};
}

CUresult drv_managed_check_location(CUmemLocation l) {
    struct drv_device *d;
    switch (l.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
        return drv_device_find(l.id, &d);
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
        return drv_check_numa(&l);
    default:
        FAIL(CUDA_ERROR_INVALID_VALUE, "%d is no location", (int)l.type);
    }
}

// Where "the current node" is counts when the call is made.
static CUmemLocation resolve(CUmemLocation l) {
    if (l.type != CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT)
        return l;
    return (CUmemLocation){CU_MEM_LOCATION_TYPE_HOST_NUMA, drv_current_node()};
}

static void set_prefetched(struct advice *a, const void *location) {
    a->prefetched = *(const CUmemLocation *)location;
}

CUresult drv_managed_prefetch(CUdeviceptr ptr, size_t count, CUmemLocation location) {
    location = resolve(location);
    drv_lock();
    bool done = update(ptr, ptr + count, set_prefetched, &location);
    drv_unlock();
    REQUIRE(done, CUDA_ERROR_OUT_OF_MEMORY, "no memory for the note of a prefetch");
    return CUDA_SUCCESS;
}

static CUresult prefetch(CUdeviceptr ptr, size_t count, CUmemLocation location, CUstream stream) {
    struct kd_queue *q;
    struct drv_context *ctx;
    TRY(drv_managed_check(ptr, count));
    TRY(drv_managed_check_location(location));
    TRY(drv_stream_find(stream, &q, &ctx));
    TRY(drv_capture_refuse(q, ctx, "given a prefetch"));
    return drv_managed_prefetch(ptr, count, location);
}

CUresult cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice,
                            CUstream hStream) {
    ENTER();
    return prefetch(devPtr, count, location_of(dstDevice), hStream);
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location,
                               unsigned int flags, CUstream hStream) {
    ENTER();
    REQUIRE(flags == 0, CUDA_ERROR_INVALID_VALUE, "flags must be 0");
    return prefetch(devPtr, count, location, hStream);
}

struct change {
    CUmem_advise advice;
    CUmemLocation location;
};

static void set_advice(struct advice *a, const void *arg) {
    const struct change *c = arg;
    bool host = c->location.type != CU_MEM_LOCATION_TYPE_DEVICE;
    switch (c->advice) {
    case CU_MEM_ADVISE_SET_READ_MOSTLY:
    case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
        a->read_mostly = c->advice == CU_MEM_ADVISE_SET_READ_MOSTLY;
        break;
    case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
        a->preferred = c->location;
        break;
    case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
        a->preferred = none.preferred;
        break;
    case CU_MEM_ADVISE_SET_ACCESSED_BY:
        if (host)
            a->accessed_by_host = true;
        else
            a->accessed_by |= 1ull << c->location.id;
        break;
    case CU_MEM_ADVISE_UNSET_ACCESSED_BY:
        if (host)
            a->accessed_by_host = false;
        else
            a->accessed_by &= ~(1ull << c->location.id);
        break;
    }
}

static CUresult advise(CUdeviceptr ptr, size_t count, CUmem_advise advice, CUmemLocation location) {
    TRY(drv_managed_check(ptr, count));
    REQUIRE(advice >= CU_MEM_ADVISE_SET_READ_MOSTLY && advice <= CU_MEM_ADVISE_UNSET_ACCESSED_BY,
            CUDA_ERROR_INVALID_VALUE, "%d is no advice", (int)advice);
    if (advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION || advice >= CU_MEM_ADVISE_SET_ACCESSED_BY)
        TRY(drv_managed_check_location(location));
    struct change change = {advice, resolve(location)};
    drv_lock();
    bool done = update(ptr, ptr + count, set_advice, &change);
    drv_unlock();
    REQUIRE(done, CUDA_ERROR_OUT_OF_MEMORY, "no memory for the advice");
    return CUDA_SUCCESS;
}

CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device) {
    ENTER_CONTEXT(ctx);
    return advise(devPtr, count, advice, location_of(device));
}

CUresult cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice,
                        CUmemLocation location) {
    ENTER_CONTEXT(ctx);
    return advise(devPtr, count, advice, location);
}

static void merge(struct advice *all, const struct advice *a) {
    all->read_mostly &= a->read_mostly;
    all->accessed_by &= a->accessed_by;
    all->accessed_by_host &= a->accessed_by_host;
    if (memcmp(&all->preferred, &a->preferred, sizeof all->preferred))
        all->preferred = none.preferred;
    if (memcmp(&all->prefetched, &a->prefetched, sizeof all->prefetched))
        all->prefetched = none.prefetched;
}

// Under the lock. The advice that all of [begin, end) has in common.
static struct advice common(uint64_t begin, uint64_t end) {
    struct range *r = ranges;
    while (r && r->end <= begin)
        r = r->next;
    struct advice all = r && r->begin <= begin ? r->advice : none;
    for (; begin < end; r = r->next) {
        if (!r || r->begin > begin)
            merge(&all, &none);
        if (!r || r->begin >= end)
            break;
        merge(&all, &r->advice);
        begin = r->end;
    }
    return all;
}

// As the functions that take a CUdevice express a location.
static int device_of(CUmemLocation l) {
    return l.type == CU_MEM_LOCATION_TYPE_DEVICE    ? l.id
           : l.type == CU_MEM_LOCATION_TYPE_INVALID ? CU_DEVICE_INVALID
                                                    : CU_DEVICE_CPU;
}

static void list_accessed_by(const struct advice *a, int *out, size_t n) {
    size_t i = 0;
    for (int d = 0; d < DRV_MAX_DEVICES && i < n; d++)
        if (a->accessed_by >> d & 1)
            out[i++] = d;
    if (a->accessed_by_host && i < n)
        out[i++] = CU_DEVICE_CPU;
    while (i < n)
        out[i++] = CU_DEVICE_INVALID;
}

static CUresult get_attribute(void *data, size_t size, CUmem_range_attribute attribute,
                              const struct advice *a) {
    REQUIRE_POINTER(data);
    if (attribute == CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY)
        REQUIRE(size && size % 4 == 0, CUDA_ERROR_INVALID_VALUE,
                "dataSize must be a multiple of 4, not %zu", size);
    else
        REQUIRE(size == 4, CUDA_ERROR_INVALID_VALUE, "dataSize must be 4, not %zu", size);
    int *out = data;
    switch (attribute) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
        *out = a->read_mostly;
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
        *out = device_of(a->preferred);
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
        *out = device_of(a->prefetched);
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
        list_accessed_by(a, out, size / 4);
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
        *out = (int)a->preferred.type;
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
        *out = a->preferred.id;
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
        *out = (int)a->prefetched.type;
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
        *out = a->prefetched.id;
        return CUDA_SUCCESS;
    }
    FAIL(CUDA_ERROR_INVALID_VALUE, "%d is no attribute of a range", (int)attribute);
}

static struct advice advice_of(CUdeviceptr ptr, size_t count) {
    drv_lock();
    struct advice a = common(ptr, ptr + count);
    drv_unlock();
    return a;
}

CUresult cuMemRangeGetAttribute(void *data, size_t dataSize, CUmem_range_attribute attribute,
                                CUdeviceptr devPtr, size_t count) {
    ENTER_CONTEXT(ctx);
    TRY(drv_managed_check(devPtr, count));
    struct advice a = advice_of(devPtr, count);
    return get_attribute(data, dataSize, attribute, &a);
}

CUresult cuMemRangeGetAttributes(void **data, size_t *dataSizes, CUmem_range_attribute *attributes,
                                 size_t numAttributes, CUdeviceptr devPtr, size_t count) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(data);
    REQUIRE_POINTER(dataSizes);
    REQUIRE_POINTER(attributes);
    REQUIRE(numAttributes, CUDA_ERROR_INVALID_VALUE, "numAttributes cannot be 0");
    TRY(drv_managed_check(devPtr, count));
    struct advice a = advice_of(devPtr, count);
    for (size_t i = 0; i < numAttributes; i++)
        TRY(get_attribute(data[i], dataSizes[i], attributes[i], &a));
    return CUDA_SUCCESS;
}
