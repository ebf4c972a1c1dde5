// What the files of the driver share: objects behind handles, contexts, and the one way in which
// an entry point checks its state and reports an error.
//
// Every entry point begins with ENTER or ENTER_CONTEXT, checks its arguments with REQUIRE, and
// passes on failures of the device with drv_status. Each failure ends in drv_fail, which records
// the reason in the error log (guide, chapter 23).
#ifndef KUDZU_DRIVER_DRIVER_H
#define KUDZU_DRIVER_DRIVER_H

#define __CUDA_API_VERSION_INTERNAL
#include "api/driver_decls.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/api.h"
#include "device/device.h"
#include "driver/core_dump.h"

// ---- Errors -------------------------------------------------------------------------------

// Records "reason" for the entry point that the calling thread is in and returns `code`.
CUresult drv_fail(CUresult code, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The text of an error; NULL when there is no such error.
const char *drv_error_name(CUresult error);
const char *drv_error_text(CUresult error);

#define FAIL(code, ...)                                                                            \
    do {                                                                                           \
        drv_fail(code, __VA_ARGS__);                                                               \
        return code;                                                                               \
    } while (0)
#define REQUIRE(condition, ...)                                                                    \
    do {                                                                                           \
        if (!(condition))                                                                          \
            FAIL(__VA_ARGS__);                                                                     \
    } while (0)
#define REQUIRE_POINTER(p) REQUIRE((p) != NULL, CUDA_ERROR_INVALID_VALUE, #p " cannot be NULL")
#define TRY(call)                                                                                  \
    do {                                                                                           \
        CUresult try_result = (call);                                                              \
        if (try_result != CUDA_SUCCESS)                                                            \
            return try_result;                                                                     \
    } while (0)

// ---- State of the library -----------------------------------------------------------------

enum drv_state { DRV_NEW, DRV_READY, DRV_EXITING, DRV_FORKED };
extern _Atomic int drv_state;
extern _Thread_local const char *drv_api; // the entry point that the thread is in, for messages
extern _Thread_local int drv_in_callback; // above zero: a host function runs on this thread
extern bool drv_launch_blocking;          // CUDA_LAUNCH_BLOCKING=1: launches wait for their end
CUresult drv_enter_refused(void);         // why nothing works now; logs it

static inline CUresult drv_enter(const char *api) {
    drv_api = api;
    if (__builtin_expect(drv_state == DRV_READY && !drv_in_callback, 1))
        return CUDA_SUCCESS;
    return drv_enter_refused();
}
#define ENTER() TRY(drv_enter(__func__))
// Declares `ctx`, the current context: there is one, it is alive and has no fault.
#define ENTER_CONTEXT(ctx)                                                                         \
    struct drv_context *ctx;                                                                       \
    TRY(drv_enter(__func__));                                                                      \
    TRY(drv_context_usable(&ctx))

// One lock for all that changes rarely: handles, lists of objects, primary contexts. Never held
// while the device is waited for.
void drv_lock(void);
void drv_unlock(void);

// ---- Handles ------------------------------------------------------------------------------
// A handle is a number that names a slot, its generation and the kind of object. A stale or
// foreign handle is found out without touching memory that it might point to.

enum drv_kind {
    DRV_CONTEXT = 1,
    DRV_STREAM,
    DRV_EVENT,
    DRV_MODULE,
    DRV_FUNCTION,
    DRV_LIBRARY,
    DRV_KERNEL,
    DRV_LINK,
    DRV_POOL,
    DRV_LOG_CALLBACK,
    DRV_ARRAY,
    DRV_TEXTURE,
    DRV_MIPMAP,
    DRV_ALLOCATION, // physical memory, or a multicast object
    DRV_EXTERNAL_MEMORY,
    DRV_EXTERNAL_SEMAPHORE,
    DRV_GRAPH,
    DRV_GRAPH_NODE,
    DRV_GRAPH_EXEC,
    DRV_USER_OBJECT,
    DRV_REFERENCE,
    DRV_GREEN,
    DRV_RESOURCES,
};

struct drv_context;
// Begins every object behind a handle.
struct drv_object {
    void *handle;
    struct drv_context *context; // owner, whose end is the object's end too; may be NULL
    struct drv_object *next, **link;
    // Frees what the object holds and the object, when it is destroyed or its owner is.
    void (*release)(struct drv_object *);
};

// Gives `o` a handle and, when `owner` is not NULL, an owner. False: out of memory.
bool drv_object_add(struct drv_object *o, enum drv_kind kind, struct drv_context *owner,
                    void (*release)(struct drv_object *));
// Makes the handle invalid and releases the object.
void drv_object_destroy(struct drv_object *o);
// Makes the handle invalid and returns the object, which the caller releases: one caller alone,
// however many destroy at once. NULL: no such object.
void *drv_object_take(const void *handle, enum drv_kind kind);
void drv_objects_destroy(struct drv_object **list);            // all of an owner
void *drv_object_find(const void *handle, enum drv_kind kind); // NULL: no such object

// ---- Devices ------------------------------------------------------------------------------

enum { DRV_MAX_DEVICES = 64 };
struct drv_device {
    int ordinal;
    struct kd_device *d;
    const struct kd_properties *properties;
    struct drv_context *primary; // never NULL after cuInit; its `c` is NULL while inactive
    struct drv_pool *default_pool, *pool;
};
CUresult drv_devices_open(void);                                 // for cuInit
CUresult drv_device_find(CUdevice dev, struct drv_device **out); // CUDA_ERROR_INVALID_DEVICE
CUresult drv_device_attribute(struct drv_device *d, CUdevice_attribute attribute, int *out);
int drv_device_count(void);
void drv_answer_kernels(void);                     // device_queries.c
int drv_device_ordinal(const struct kd_device *d); // CU_DEVICE_INVALID: none that the program sees

// ---- Contexts -----------------------------------------------------------------------------

enum { DRV_COMPUTE_MAJOR = 9, DRV_COMPUTE_MINOR = 0, DRV_COMPUTE_ARCH = 90 };

// What launches into a stream inherit from it. Nothing of it has an effect on results.
struct drv_stream_attributes {
    CUsynchronizationPolicy policy; // 0: automatic
    CUaccessPolicyWindow window;
    CUlaunchMemSyncDomain domain;
    CUlaunchMemSyncDomainMap domains; // where they were set
    bool domains_set;
};

struct drv_context {
    struct drv_object object;
    struct kd_context *c; // NULL: a primary context that is not active
    struct drv_device *device;
    struct drv_object *children;
    uint64_t id; // changes when a primary context becomes active again
    unsigned flags;
    bool primary;
    unsigned references; // of a primary context: retained; else: attached
    CUsharedconfig shared_config;
    struct drv_stream_attributes stream_attributes; // of the legacy default stream
    uint64_t peers; // devices whose memory was made accessible, one bit each
    struct drv_thread_queue *thread_queues;
    struct drv_context *next; // of all
    struct drv_core_dump core_dump;
    struct drv_green *green; // it only stands for that part of its device's primary context
};

struct drv_context *drv_context_new_primary(struct drv_device *device);
CUresult drv_context_start(struct drv_context *ctx); // creates the device's context
void drv_context_stop(struct drv_context *ctx);      // ends all that belongs to it
// A number that no other context, green or not, has or had.
uint64_t drv_context_new_id(void);
CUresult drv_context_find(CUcontext handle, struct drv_context **out); // alive
CUresult drv_context_current(struct drv_context **out);                // alive
CUresult drv_context_usable(struct drv_context **out);                 // alive and no fault
struct drv_context *drv_context_of(const struct kd_context *c);        // NULL: none
struct drv_context *drv_context_with_id(uint64_t id);                  // alive, or NULL
void drv_contexts_flush(void); // writes out what finished kernels of all contexts printed
CUresult drv_context_fault(struct drv_context *ctx);   // the sticky error; logs it
struct drv_green *drv_context_green(CUcontext handle); // NULL: it stands for none
bool drv_context_is_current(const struct drv_context *ctx);
CUresult drv_push(CUcontext handle);
CUcontext drv_top(void);

// CUDA's error for a status of the device; logs kd_reason(). ctx may be NULL where the call
// cannot meet a fault.
CUresult drv_status(enum kd_status status, struct drv_context *ctx);

// ---- Streams and events -------------------------------------------------------------------

struct drv_stream {
    struct drv_object object;
    CUgreenCtx green; // it was made in; NULL: none
    struct kd_queue *q;
    unsigned flags;
    struct drv_stream_attributes attributes;
};
// The queue that a stream handle means: 0 depends on the entry point (api_per_thread), 1 is the
// legacy and 2 the per-thread default stream. *owner is the stream's context, without a fault.
CUresult drv_stream_find(CUstream handle, struct kd_queue **q, struct drv_context **owner);
// Whether the value may be given to a launch, a kernel node or a stream: CUDA_ERROR_INVALID_VALUE,
// CUDA_ERROR_INVALID_CLUSTER_SIZE. Handles in it are not looked at.
CUresult drv_attribute_check(CUlaunchAttributeID id, const CUlaunchAttributeValue *v);
// The device's form of a batch of memory operations; `out` has room for DRV_MAX_VALUE_OPS.
enum { DRV_MAX_VALUE_OPS = 256 };
CUresult drv_value_ops(const CUstreamBatchMemOpParams *params, unsigned count, unsigned flags,
                       struct kd_value_op *out);
// g NULL: of the whole device.
CUresult drv_stream_create(struct drv_context *ctx, struct drv_green *g, CUstream *phStream,
                           unsigned flags, int priority);
CUgreenCtx drv_stream_green(CUstream handle, const struct kd_queue *q); // NULL: of none
void drv_thread_queues_forget(struct drv_context *ctx);

struct drv_captured_event;
struct drv_event {
    struct drv_object object;
    struct kd_event *e;
    unsigned flags;
    struct drv_captured_event *captured; // last recorded in a capturing stream; else NULL
};
CUresult drv_event_find(CUevent handle, struct drv_event **out);
// A handle for an event of the device, which is freed when there is no memory for one.
CUresult drv_event_add(struct drv_context *ctx, struct kd_event *event, unsigned flags,
                       CUevent *handle);

// ---- Modules, functions, libraries --------------------------------------------------------

struct drv_module {
    struct drv_object object;
    struct kd_module *m;
    struct drv_function **functions; // by kernel index, made when asked for; nkernels of them
    bool of_library;
    struct drv_reference *references; // texture and surface references that were asked for
};
void drv_references_forget(struct drv_module *m); // before the module goes
struct drv_function {
    struct drv_object object;
    struct kd_kernel *k;
    struct drv_module *module;
    CUfunc_cache cache;
    int carveout;
    struct drv_launch_steps *steps; // of cuParamSet* and its kind; NULL: none yet
};
void drv_launch_steps_free(struct drv_launch_steps *steps);
struct drv_kernel;

// JIT options of the API, sorted out.
struct drv_jit {
    struct kd_load_options load;
    void **error_size, **info_size; // where the sizes of the logs are stored afterwards
    void **wall_time;
    uint64_t begin;
};
CUresult drv_jit_parse(struct drv_jit *jit, unsigned n, CUjit_option *options, void **values);
void drv_jit_finish(struct drv_jit *jit);
CUresult drv_module_load(struct drv_context *ctx, const void *image, size_t size,
                         struct drv_jit *jit, struct drv_module **out);
void drv_module_unload(struct drv_module *m); // the caller has waited for its context
CUresult drv_module_function(struct drv_module *m, uint32_t index, struct drv_function **out);
extern _Atomic uint64_t drv_unloads; // modules unloaded and contexts ended so far
int drv_module_kernel_index(const struct drv_module *m, const char *name); // -1: none
// Reads a whole file; *data is malloc'ed and followed by a NUL byte.
CUresult drv_read_file(const char *path, void **data, size_t *size);
// A CUfunction, or a CUkernel in the given (else the current) context.
CUresult drv_function_find(CUfunction handle, struct drv_context *ctx, struct drv_function **out);
CUresult drv_kernel_function(struct drv_kernel *k, struct drv_context *ctx,
                             struct drv_function **out);
CUresult drv_function_attribute(struct drv_function *f, CUfunction_attribute attribute, int *out);
CUresult drv_function_set_attribute(struct drv_function *f, CUfunction_attribute attribute,
                                    int value);
// The shape of a launch's clusters: from its attribute ([0] 0: none), the kernel's own attributes
// or its code, else single blocks. CUDA_ERROR_INVALID_CLUSTER_SIZE: too large, not what the kernel
// was compiled for, or no divisor of the grid (NULL: not looked at).
CUresult drv_function_cluster(const struct drv_function *f, const unsigned wanted[3],
                              const unsigned grid[3], unsigned cluster[3]);
CUresult drv_function_parameter(struct drv_function *f, size_t index, size_t *offset, size_t *size);

// ---- Memory -------------------------------------------------------------------------------

enum {
    // Flags of kd_memory beside the API's own (CU_MEMHOSTALLOC_*, CU_MEM_ATTACH_*).
    DRV_MEMORY_POOL = 1 << 16,     // from cuMemAllocAsync
    DRV_MEMORY_GRAPH = 1 << 17,    // the addresses of a graph's allocation node
    DRV_MEMORY_MAPPED = 1 << 18,   // by cuMemMap
    DRV_MEMORY_IPC = 1 << 19,      // from cuIpcOpenMemHandle
    DRV_MEMORY_IPC_POOL = 1 << 20, // from cuMemPoolImportPointer
    DRV_MEMORY_EXTERNAL = 1 << 21, // from cuExternalMemoryGetMappedBuffer
};
CUresult drv_memory_allocate(struct drv_context *ctx, enum kd_memory_kind kind, size_t size,
                             uint32_t flags, uint64_t *out);
struct drv_pool *drv_pool_new(struct drv_device *device);
CUmemoryPool drv_pool_of(const struct kd_memory *m);
uint64_t drv_pool_handle_types(const struct kd_memory *m); // 0: not of a pool that can be exported
bool drv_ipc_capable(const struct kd_memory *m);           // cuIpcGetMemHandle takes it
void drv_managed_forget(uint64_t begin, uint64_t size);    // the range is being freed
extern _Atomic bool drv_sync_memops; // CU_POINTER_ATTRIBUTE_SYNC_MEMOPS is set somewhere

#endif
