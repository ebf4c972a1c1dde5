// Memory of graphs (guide, chapter 16). An allocation node has addresses of its own for as long as
// graphs, executable graphs or the program hold them; nodes of one graph share addresses when one
// allocates after the other has freed. Memory is counted as reserved from the upload or the first
// launch until it is trimmed: what nobody holds any more is kept with its addresses, for a later
// node of its size, and gives way to a node of another. It is used as long as an executable graph
// has it mapped, or it is allocated. Allocations and frees are noted in the order of the calls that
// launch them, which is the order that streams and dependencies give to a correct program.
#include "driver/graph/graph_memory.h"

#include <stdlib.h>

#include "driver/memory/managed.h"
#include "driver/memory/numa.h"
#include "support/check/check_tools.h"
#include "support/check/host_call.h"

enum { BUCKETS = 1024, SEARCHED_NODES = 4096 };

// The addresses, which belong to a context. Graphs are destroyed under their lock, and by threads
// of the device: the object's release waits for who uses the memory where nobody waits for it.
struct addresses {
    struct drv_object object;
    uint64_t base;
};

struct drv_graph_memory {
    atomic_int references;      // of nodes and of launches; one more while live
    atomic_int users;           // frees in streams that are under way
    uint64_t address, size, id; // the id tells whether the context that had it still lives
    void *addresses;            // handle
    struct drv_device *device;
    struct drv_context *context;   // to be compared alone
    struct drv_exec *exec;         // the last one that was launched with it; NULL: destroyed
    size_t holders;                // nodes of executable graphs that are there, or still run
    bool managed;                  // else device memory
    bool live;                     // allocated by a launch and not freed
    bool reserved;                 // counted as memory that graphs have
    bool mapped;                   // counted as memory that is used
    struct drv_graph_memory *next; // of its bucket, or of what is kept
};

static struct drv_graph_memory *buckets[BUCKETS]; // under the lock
// What nobody holds, reserved, the oldest first.
static struct drv_graph_memory *kept[DRV_MAX_DEVICES], **kept_end[DRV_MAX_DEVICES];
// By device, bytes; there is one physical page for each mapped one.
static struct amount { uint64_t now, high; } used[DRV_MAX_DEVICES], reserved[DRV_MAX_DEVICES];

// ---- Finding ------------------------------------------------------------------------------

static struct drv_graph_memory **bucket(uint64_t address) {
    return &buckets[(address >> 8) * 0x9E3779B97F4A7C15u >> 54];
}

// Under the lock. What a context had is no more after its end, and others may get the address.
static struct drv_graph_memory *find(uint64_t address) {
    struct kd_memory found;
    if (!kd_memory_find(address, &found))
        return NULL;
    struct drv_graph_memory *m = *bucket(address);
    while (m && (m->address != address || m->id != found.id))
        m = m->next;
    return m;
}

static void insert(struct drv_graph_memory *m) {
    drv_lock();
    m->next = *bucket(m->address);
    *bucket(m->address) = m;
    drv_unlock();
}

static void take_out(struct drv_graph_memory *m) {
    struct drv_graph_memory **at = bucket(m->address);
    while (*at && *at != m)
        at = &(*at)->next;
    if (*at)
        *at = m->next;
}

// ---- Life ---------------------------------------------------------------------------------

static void count(struct amount *a, bool *counted, bool now, uint64_t size) {
    if (*counted == now)
        return;
    *counted = now;
    a->now += now ? size : -size;
    if (a->high < a->now)
        a->high = a->now;
}

// Under the lock, after a change of holders or of `live`.
static void count_used(struct drv_graph_memory *m) {
    count(&used[m->device->ordinal], &m->mapped, m->reserved && (m->live || m->holders), m->size);
}

// Under the lock.
static void set_reserved(struct drv_graph_memory *m, bool now) {
    count(&reserved[m->device->ordinal], &m->reserved, now, m->size);
    count_used(m);
}

void drv_graph_memory_hold(struct drv_graph_memory *m) {
    atomic_fetch_add(&m->references, 1);
}

// Under the lock: the addresses are still those of m.
static bool is_there(const struct drv_graph_memory *m) {
    struct kd_memory found;
    return kd_memory_find(m->address, &found) && found.id == m->id;
}

// Whether a later node may have it. What queues of other contexts used may still be in use; and a
// check tells of whoever uses it late.
static bool can_be_kept(const struct drv_graph_memory *m) {
    return m->reserved && is_there(m) && !kd_memory_foreign(m->address) && !check_tools();
}

static void free_memory(struct drv_graph_memory *m) {
    drv_object_take(m->addresses, DRV_ADDRESSES);
    free(m);
}

void drv_graph_memory_drop(struct drv_graph_memory *m) {
    if (atomic_fetch_sub(&m->references, 1) != 1)
        return;
    if (m->managed) // who has it next knows nothing of the advice that was given
        drv_managed_forget(m->address, m->size);
    drv_lock();
    int d = m->device->ordinal;
    bool keep = can_be_kept(m);
    take_out(m);
    m->next = NULL;
    if (keep) {
        count_used(m);
        *(kept[d] ? kept_end[d] : &kept[d]) = m;
        kept_end[d] = &m->next;
    } else {
        set_reserved(m, false);
    }
    drv_unlock();
    if (!keep)
        free_memory(m);
}

// ---- What is kept -------------------------------------------------------------------------

// Under the lock.
static void take_from_kept(struct drv_graph_memory **at, int d) {
    struct drv_graph_memory *m = *at;
    *at = m->next;
    if (!m->next)
        kept_end[d] = at;
    m->next = NULL;
}

// Under the lock: what contexts had that have ended is not there any more.
static void forget_ended(int d) {
    for (struct drv_graph_memory **at = &kept[d], *m; (m = *at);) {
        if (is_there(m)) {
            at = &m->next;
            continue;
        }
        take_from_kept(at, d);
        set_reserved(m, false);
        free(m);
    }
}

// Frees what is kept, the oldest first, until that is so many bytes. False: nothing was kept.
static bool free_kept(int d, uint64_t bytes) {
    struct drv_graph_memory *gone = NULL, **end = &gone, *m;
    drv_lock();
    forget_ended(d);
    for (uint64_t freed = 0; freed < bytes && (m = kept[d]); freed += m->size) {
        take_from_kept(&kept[d], d);
        set_reserved(m, false);
        *end = m;
        end = &m->next;
    }
    drv_unlock();
    bool any = gone != NULL;
    while ((m = gone)) {
        gone = m->next;
        free_memory(m);
    }
    return any;
}

bool drv_graph_memory_give_back(void) {
    bool any = false;
    for (int d = 0; d < DRV_MAX_DEVICES; d++)
        any |= free_kept(d, UINT64_MAX);
    return any;
}

// Memory of this size, reserved, which gets a reference and can be found again; NULL: there is
// none.
static struct drv_graph_memory *reuse_kept(struct drv_context *ctx, size_t bytes, bool managed) {
    int d = ctx->device->ordinal;
    struct drv_graph_memory *m;
    drv_lock();
    forget_ended(d);
    for (struct drv_graph_memory **at = &kept[d]; (m = *at); at = &m->next) {
        if (m->size != bytes || m->managed != managed || m->context != ctx)
            continue;
        take_from_kept(at, d);
        m->references = 1;
        m->exec = NULL;
        m->next = *bucket(m->address);
        *bucket(m->address) = m;
        break;
    }
    drv_unlock();
    return m;
}

static CUresult check(const CUDA_MEM_ALLOC_NODE_PARAMS *p, struct drv_device **device) {
    bool managed = p->poolProps.allocType == CU_MEM_ALLOCATION_TYPE_MANAGED;
    CUmemLocationType where = p->poolProps.location.type;
    REQUIRE((managed || p->poolProps.allocType == CU_MEM_ALLOCATION_TYPE_PINNED) &&
                p->poolProps.handleTypes == CU_MEM_HANDLE_TYPE_NONE,
            CUDA_ERROR_INVALID_VALUE,
            "allocations of graphs are pinned or managed memory, not to be exported");
    REQUIRE(where == CU_MEM_LOCATION_TYPE_DEVICE,
            managed || where == CU_MEM_LOCATION_TYPE_HOST || where == CU_MEM_LOCATION_TYPE_HOST_NUMA
                ? CUDA_ERROR_NOT_SUPPORTED
                : CUDA_ERROR_INVALID_VALUE,
            "allocations of graphs are memory of a device");
    TRY(drv_device_find(p->poolProps.location.id, device));
    REQUIRE(p->bytesize, CUDA_ERROR_INVALID_VALUE, "an allocation of 0 bytes");
    for (size_t i = 0; i < p->accessDescCount; i++) {
        struct drv_device *d;
        const CUmemLocation *l = &p->accessDescs[i].location;
        REQUIRE(p->accessDescs[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
                CUDA_ERROR_NOT_SUPPORTED, "accessDescs[%zu]: who has access, reads and writes", i);
        REQUIRE(l->type == CU_MEM_LOCATION_TYPE_DEVICE || drv_location_is_host(l),
                CUDA_ERROR_INVALID_VALUE, "accessDescs[%zu]: %d is no location of access", i,
                (int)l->type);
        TRY(l->type == CU_MEM_LOCATION_TYPE_DEVICE ? drv_device_find(l->id, &d)
                                                   : drv_check_numa(l));
    }
    return CUDA_SUCCESS;
}

static void addresses_release(struct drv_object *o) {
    struct addresses *a = (struct addresses *)o;
    drv_memory_end_in(o->context->c, a->base);
    free(a);
}

static CUresult take_addresses(struct drv_context *ctx, struct drv_graph_memory *m) {
    struct kd_memory found;
    struct addresses *a = calloc(1, sizeof *a);
    REQUIRE(a, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
    CUresult result = drv_memory_allocate(ctx, m->managed ? KD_MEMORY_MANAGED : KD_MEMORY_DEVICE,
                                          m->size, DRV_MEMORY_GRAPH, &a->base);
    if (result == CUDA_SUCCESS &&
        !drv_object_add(&a->object, DRV_ADDRESSES, ctx, addresses_release)) {
        kd_memory_free(a->base);
        result = CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (result != CUDA_SUCCESS) {
        free(a);
        return result;
    }
    m->address = a->base;
    m->addresses = a->object.handle;
    m->id = kd_memory_find(m->address, &found) ? found.id : 0;
    if (check_tools())
        kd_graph_memory_new(m->address);
    return CUDA_SUCCESS;
}

static CUresult make(struct drv_device *d, size_t bytes, bool managed,
                     struct drv_graph_memory **out) {
    struct drv_context *ctx = drv_context_active(d->primary);
    if (!ctx) // the program made a context of its own
        TRY(drv_context_usable(&ctx));
    REQUIRE(ctx->device == d, CUDA_ERROR_INVALID_CONTEXT,
            "no context of the device is active or current");
    if ((*out = reuse_kept(ctx, bytes, managed)))
        return CUDA_SUCCESS;
    free_kept(d->ordinal, bytes); // the new node gets their pages
    struct drv_graph_memory *m = calloc(1, sizeof *m);
    REQUIRE(m, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
    m->references = 1;
    m->size = bytes;
    m->device = d;
    m->context = ctx;
    m->managed = managed;
    CUresult result = take_addresses(ctx, m);
    if (result != CUDA_SUCCESS) {
        free(m);
        return result;
    }
    insert(m);
    *out = m;
    return CUDA_SUCCESS;
}

// ---- Nodes --------------------------------------------------------------------------------

static struct drv_node *allocation_of(const struct drv_graph *g, CUdeviceptr dptr, bool freed) {
    for (struct drv_node *n = g->first; n; n = n->next)
        if (n->params.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC && n->params.alloc.dptr == dptr &&
            n->memory_freed == freed)
            return n;
    return NULL;
}

// A node before `node`, at any distance, that frees memory of this graph which nobody uses again.
static struct drv_graph_memory *reusable(struct drv_node *node, const struct drv_device *d,
                                         size_t bytes, bool managed) {
    struct drv_node *seen[SEARCHED_NODES];
    size_t n = 0;
    uint64_t stamp = drv_graph_stamp();
    if (check_tools()) // which tell of who uses it late
        return NULL;
    seen[n++] = node;
    node->stamp = stamp;
    for (size_t i = 0; i < n; i++) {
        struct drv_node *at = seen[i];
        if (at->params.type == CU_GRAPH_NODE_TYPE_MEM_FREE && at->memory && !at->memory_freed &&
            at->memory->size == bytes && at->memory->device == d &&
            at->memory->managed == managed) {
            at->memory_freed = true;
            return at->memory;
        }
        for (size_t e = 0; e < at->in.n && n < SEARCHED_NODES; e++) {
            struct drv_node *before = at->in.at[e].node;
            if (before->stamp != stamp)
                seen[n++] = before;
            before->stamp = stamp;
        }
    }
    return NULL;
}

CUresult drv_graph_memory_take(struct drv_node *node, CUDA_MEM_ALLOC_NODE_PARAMS *p,
                               struct drv_graph_memory **out) {
    struct drv_device *d;
    TRY(check(p, &d));
    REQUIRE(!node->graph->moved, CUDA_ERROR_NOT_SUPPORTED,
            "a graph that was moved into another one gets no further memory nodes");
    bool managed = p->poolProps.allocType == CU_MEM_ALLOCATION_TYPE_MANAGED;
    struct drv_graph_memory *m =
        node->graph->memory_nodes ? reusable(node, d, p->bytesize, managed) : NULL;
    if (m)
        drv_graph_memory_hold(m);
    else
        TRY(make(d, p->bytesize, managed, &m));
    node->graph->memory_nodes++;
    node->call = check_tools() ? host_call_keep() : NULL;
    p->dptr = m->address;
    *out = m;
    return CUDA_SUCCESS;
}

// The node holds memory that its own graph allocates; what other graphs allocated it looks up when
// it is launched.
CUresult drv_graph_memory_free(struct drv_node *node, CUdeviceptr dptr,
                               struct drv_graph_memory **out) {
    drv_lock();
    struct drv_graph_memory *m = find(dptr);
    drv_unlock();
    REQUIRE(m, CUDA_ERROR_INVALID_VALUE, "%#llx is not what an allocation node returned",
            (unsigned long long)dptr);
    REQUIRE(!node->graph->moved, CUDA_ERROR_NOT_SUPPORTED,
            "a graph that was moved into another one gets no further memory nodes");
    struct drv_node *allocation = allocation_of(node->graph, dptr, false);
    REQUIRE(allocation || !allocation_of(node->graph, dptr, true), CUDA_ERROR_INVALID_VALUE,
            "a node of the graph frees this allocation already");
    for (struct drv_node *n = node->graph->first; n && !allocation; n = n->next)
        REQUIRE(n == node || n->params.type != CU_GRAPH_NODE_TYPE_MEM_FREE ||
                    n->params.free.dptr != dptr,
                CUDA_ERROR_INVALID_VALUE, "a node of the graph frees this allocation already");
    if (allocation) {
        allocation->memory_freed = true;
        drv_graph_memory_hold(m);
        *out = m;
    }
    node->call = check_tools() ? host_call_keep() : NULL;
    node->graph->memory_nodes++;
    return CUDA_SUCCESS;
}

bool drv_graph_memory_describe(const struct drv_node *n, struct kd_set *out) {
    bool takes = n->params.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC;
    if (!check_tools())
        return false;
    *out = kd_graph_memory_set(takes ? n->params.alloc.dptr : n->params.free.dptr, takes, n->call);
    return true;
}

// ---- Launches -----------------------------------------------------------------------------

static void freed(void *arg, enum kd_status status) {
    DEVICE_CALL();
    struct drv_graph_memory *m = arg;
    atomic_fetch_sub(&m->users, 1);
    drv_graph_memory_drop(m);
}

// Under the lock: m is free as far as the program is concerned. The caller has the reference.
static void set_free(struct drv_graph_memory *m) {
    m->live = false;
    count_used(m);
}

// `kudzu check`: the stream frees or takes the memory where it has come so far.
static void tell_stream(const struct drv_graph_memory *m, struct kd_queue *q, bool takes) {
    struct kd_set set = kd_graph_memory_set(m->address, takes, host_call_keep());
    kd_submit_set(q, &set);
}

// The reference of the live allocation goes when the stream has come so far.
static CUresult release_in(struct drv_graph_memory *m, struct kd_queue *q) {
    atomic_fetch_add(&m->users, 1);
    CUresult result = drv_status(kd_submit_host(q, freed, m, true), NULL);
    if (result != CUDA_SUCCESS)
        freed(m, KD_OK);
    return result;
}

static bool frees_elsewhere(const struct drv_node *n) {
    return n->params.type == CU_GRAPH_NODE_TYPE_MEM_FREE && !n->memory;
}

static bool leaves_live(const struct drv_node *n) {
    return n->params.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC && !n->memory_freed;
}

// Under the lock.
static CUresult check_launch(const struct drv_exec *exec) {
    bool auto_free = exec->flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    for (size_t i = 0; i < exec->nmemory; i++) {
        const struct drv_node *n = exec->memory[i];
        REQUIRE(!leaves_live(n) || !n->memory->live || auto_free, CUDA_ERROR_INVALID_VALUE,
                "the allocation %#llx of the graph's last launch has not been freed",
                (unsigned long long)n->params.alloc.dptr);
        if (!frees_elsewhere(n))
            continue;
        const struct drv_graph_memory *m = find(n->params.free.dptr);
        REQUIRE(m && m->live, CUDA_ERROR_INVALID_VALUE,
                "the graph frees %#llx, which is not allocated",
                (unsigned long long)n->params.free.dptr);
    }
    return CUDA_SUCCESS;
}

// Under the lock.
static void note_allocations(struct drv_exec *exec, bool launched) {
    for (size_t i = 0; i < exec->nmemory; i++) {
        struct drv_node *n = exec->memory[i];
        if (n->params.type != CU_GRAPH_NODE_TYPE_MEM_ALLOC)
            continue;
        if (launched && leaves_live(n) && !n->memory->live) {
            n->memory->live = true;
            drv_graph_memory_hold(n->memory);
        }
        n->memory->exec = exec;
        set_reserved(n->memory, true);
    }
}

void drv_graph_memory_upload(struct drv_exec *exec) {
    drv_lock();
    note_allocations(exec, false);
    drv_unlock();
}

void drv_graph_memory_map(struct drv_graph_memory *m) {
    drv_graph_memory_hold(m);
    drv_lock();
    m->holders++;
    count_used(m);
    drv_unlock();
}

void drv_graph_memory_unmap(struct drv_graph_memory *m) {
    drv_lock();
    m->holders--;
    count_used(m);
    drv_unlock();
    drv_graph_memory_drop(m);
}

// `kudzu check`: what the last launch has left is freed before this one begins (guide 16.3.4).
static void tell_of_last(const struct drv_exec *exec, struct kd_queue *q, bool takes) {
    for (size_t i = 0; i < exec->nmemory; i++)
        if (leaves_live(exec->memory[i]) && exec->memory[i]->memory->live)
            tell_stream(exec->memory[i]->memory, q, takes);
}

CUresult drv_graph_memory_launch(struct drv_exec *exec, struct kd_queue *q,
                                 CUresult (*launch)(struct drv_exec *, struct kd_queue *,
                                                    struct drv_context *),
                                 struct drv_context *ctx) {
    drv_lock();
    CUresult result = check_launch(exec);
    drv_unlock();
    if (result != CUDA_SUCCESS)
        return result;
    if (check_tools())
        tell_of_last(exec, q, false);
    result = launch(exec, q, ctx);
    if (result != CUDA_SUCCESS && check_tools())
        tell_of_last(exec, q, true);
    if (result != CUDA_SUCCESS)
        return result;
    drv_lock();
    note_allocations(exec, true);
    drv_unlock();
    for (size_t i = 0; i < exec->nmemory; i++) {
        if (!frees_elsewhere(exec->memory[i]))
            continue;
        drv_lock();
        struct drv_graph_memory *m = find(exec->memory[i]->params.free.dptr);
        bool was_live = m && m->live;
        if (was_live)
            set_free(m);
        drv_unlock();
        if (was_live)
            TRY(release_in(m, q));
    }
    return CUDA_SUCCESS;
}

void drv_graph_memory_forget_exec(struct drv_exec *exec) {
    drv_lock();
    for (size_t i = 0; i < exec->nmemory; i++)
        if (exec->memory[i]->memory && exec->memory[i]->memory->exec == exec)
            exec->memory[i]->memory->exec = NULL;
    drv_unlock();
}

CUresult drv_graph_memory_release(CUdeviceptr dptr, struct kd_queue *q, bool *found) {
    drv_lock();
    struct drv_graph_memory *m = find(dptr);
    bool live = m && m->live;
    if (live)
        set_free(m);
    drv_unlock();
    *found = m != NULL;
    if (!m)
        return CUDA_SUCCESS;
    REQUIRE(live, CUDA_ERROR_INVALID_VALUE, "%#llx is a graph's allocation that is not allocated",
            (unsigned long long)dptr);
    if (q && check_tools())
        tell_stream(m, q, false);
    else if (check_tools())
        kd_graph_memory_freed(m->address, host_call_keep());
    if (q)
        return release_in(m, q);
    drv_graph_memory_drop(m);
    return CUDA_SUCCESS;
}

bool drv_graph_memory_is_live(uint64_t address) {
    drv_lock();
    const struct drv_graph_memory *m = find(address);
    bool live = m && m->live;
    drv_unlock();
    return live;
}

// ---- What the system gives ----------------------------------------------------------------

// Under the lock: nothing uses the memory. Executable graphs that were destroyed while they run
// hold it to their end.
static bool is_idle(const struct drv_graph_memory *m) {
    return !m->live && !m->users && (!m->holders || (m->exec && kd_graph_idle(m->exec->k)));
}

// Pages of allocations that are not live, of graphs that do not run.
CUresult cuDeviceGraphMemTrim(CUdevice device) {
    ENTER();
    struct drv_device *d;
    TRY(drv_device_find(device, &d));
    drv_lock();
    for (int i = 0; i < BUCKETS; i++)
        for (struct drv_graph_memory *m = buckets[i]; m; m = m->next)
            if (m->device == d && m->reserved && is_idle(m)) {
                kd_memory_discard(m->address);
                set_reserved(m, false);
            }
    drv_unlock();
    free_kept(d->ordinal, UINT64_MAX);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void *value) {
    ENTER();
    REQUIRE_POINTER(value);
    struct drv_device *d;
    TRY(drv_device_find(device, &d));
    drv_lock();
    forget_ended(d->ordinal);
    struct amount u = used[d->ordinal], r = reserved[d->ordinal];
    drv_unlock();
    switch (attr) {
    case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT:
        *(cuuint64_t *)value = u.now;
        return CUDA_SUCCESS;
    case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
        *(cuuint64_t *)value = u.high;
        return CUDA_SUCCESS;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT:
        *(cuuint64_t *)value = r.now;
        return CUDA_SUCCESS;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
        *(cuuint64_t *)value = r.high;
        return CUDA_SUCCESS;
    }
    FAIL(CUDA_ERROR_INVALID_VALUE, "%d is no attribute of the memory of graphs", (int)attr);
}

// The high-water marks can be set to 0, which makes them what there is now.
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void *value) {
    ENTER();
    REQUIRE_POINTER(value);
    struct drv_device *d;
    TRY(drv_device_find(device, &d));
    REQUIRE(attr == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH || attr == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH,
            CUDA_ERROR_INVALID_VALUE, "attribute %d of the memory of graphs cannot be set",
            (int)attr);
    REQUIRE(*(cuuint64_t *)value == 0, CUDA_ERROR_INVALID_VALUE,
            "a high-water mark can only be set to 0");
    drv_lock();
    struct amount *a = attr == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH ? used : reserved;
    forget_ended(d->ordinal);
    a[d->ordinal].high = a[d->ordinal].now;
    drv_unlock();
    return CUDA_SUCCESS;
}
