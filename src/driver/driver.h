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

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/api.h"
#include "device/device.h"
#include "device/memory/rights.h"
#include "driver/code/core_dump.h"
#include "support/no_cancel.h"

// ---- Errors -------------------------------------------------------------------------------

// Records "reason" for the entry point that the calling thread is in and returns `code`.
CUresult drv_fail(CUresult code, const char *format, ...) __attribute__((format(printf, 2, 3)));
void drv_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
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

// ---- Version: version.c -------------------------------------------------------------------

// The version of CUDA that the driver is: 13000, or what KUDZU_CUDA_VERSION asks for.
int drv_version(void);
// CUDA_ERROR_INVALID_VALUE where that variable names no version that there is.
CUresult drv_version_check(void);

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
static inline CUresult drv_enter_anywhere(const char *api) {
    drv_api = api;
    return drv_state == DRV_READY ? CUDA_SUCCESS : drv_enter_refused();
}
#define ENTER()                                                                                    \
    NO_CANCEL();                                                                                   \
    CALL();                                                                                        \
    TRY(drv_enter(__func__))
// For what host functions may call, too: NVIDIA's driver lets them ask for streams and events that
// they have handles of.
#define ENTER_FROM_HOST_FUNCTION()                                                                 \
    NO_CANCEL();                                                                                   \
    CALL();                                                                                        \
    TRY(drv_enter_anywhere(__func__))
// For what is called most often, and has no cancellation point on its usual way; what leaves that
// way has NO_CANCEL itself.
#define ENTER_LIGHT()                                                                              \
    CALL();                                                                                        \
    TRY(drv_enter(__func__))
// For work that is given to a stream: no context need be current but for default streams.
#define ENTER_STREAM(stream)                                                                       \
    ENTER();                                                                                       \
    TRY(drv_stream_usable(stream))
// Declares `ctx`, the current context: there is one, it is alive and has no fault.
#define ENTER_CONTEXT(ctx)                                                                         \
    struct drv_context *ctx;                                                                       \
    ENTER();                                                                                       \
    TRY(drv_context_usable(&ctx))

// ---- Calls --------------------------------------------------------------------------------
// What a call looked up stays until the call ends: each lookup leaves a note with its thread, and
// the end of the block in which CALL stands, however it is left, takes back the notes made in it,
// the last first. Entry points are calls; so is what threads of the device do with handles.

struct drv_note {
    void (*end)(void *what); // NULL: `what` is the slot of an object that is held
    void *_Atomic what;      // other threads look for slots
};
enum { DRV_FEW_NOTES = 16, DRV_NOTE_BLOCKS = 24 };
struct drv_notes {
    atomic_uint n;
    unsigned room, nends; // nends: notes with `end`
    atomic_uint uses;     // odd: memory is being used
    unsigned uses_depth;
    atomic_bool reap; // objects were destroyed: the call's end looks for those that nobody holds
    bool used;        // by a thread that has not ended
    bool device;      // by one of the device
    struct drv_notes *next;
    struct drv_note *_Atomic more[DRV_NOTE_BLOCKS]; // each twice as large as the one before it
    struct drv_note few[DRV_FEW_NOTES];
};
extern _Thread_local struct drv_notes *drv_notes __attribute__((tls_model("initial-exec")));

struct drv_call {
    unsigned n;  // notes of the calls around this one
    bool rights; // that the thread had (device/memory/rights.h)
};
static inline struct drv_call drv_call_begin(void) {
    struct drv_notes *t = drv_notes;
    return (struct drv_call){t ? atomic_load_explicit(&t->n, memory_order_relaxed) : 0,
                             rights_call_begin()};
}
// Orders a store before a load, by the help of the other side (handles.c).
extern atomic_bool drv_fences;
static inline void drv_light_fence(void) {
    atomic_signal_fence(memory_order_seq_cst);
    if (__builtin_expect(atomic_load_explicit(&drv_fences, memory_order_relaxed), 0))
        atomic_thread_fence(memory_order_seq_cst);
}
void drv_call_end_others(struct drv_notes *t, unsigned n); // what is no object's slot
void drv_call_reap(struct drv_notes *t, unsigned n);
// True: objects have ended that the call, or this thread, held.
static inline bool drv_call_take_back(struct drv_notes *t, unsigned n) {
    if (__builtin_expect(t->nends, 0))
        drv_call_end_others(t, n);
    atomic_store_explicit(&t->n, n, memory_order_release);
    drv_light_fence();
    return atomic_load_explicit(&t->reap, memory_order_relaxed);
}
static inline void drv_call_end(struct drv_call *call) {
    struct drv_notes *t = drv_notes;
    if (t && __builtin_expect(drv_call_take_back(t, call->n), 0))
        drv_call_reap(t, call->n);
    rights_call_end(call->rights);
}
#define CALL()                                                                                     \
    struct drv_call drv_call __attribute__((cleanup(drv_call_end), unused)) = drv_call_begin()
// The same for threads of the device, which wait for nobody: what such a call was the last to hold
// is released by the next call of another thread.
void drv_device_call_end(struct drv_call *call);
#define DEVICE_CALL()                                                                              \
    struct drv_call drv_call __attribute__((cleanup(drv_device_call_end), unused)) =               \
        drv_call_begin()
// end(what) is called at the end of the call, or now when there is no memory for the note: false.
bool drv_call_note(void (*end)(void *), void *what);
// Between a lookup of memory and the submission of what uses it, a thread is in a use of memory:
// from USE_MEMORY to drv_use_end(&use), or the end of the block. drv_uses_wait waits until every
// use that has begun by now is over; those that begin later find no memory that was retired before.
struct drv_use {
    struct drv_notes *thread;
};
struct drv_use drv_use_begin(void);
void drv_use_end(struct drv_use *use);
void drv_uses_wait(void);
#define USE_MEMORY()                                                                               \
    struct drv_use use __attribute__((cleanup(drv_use_end), unused)) = drv_use_begin()
// Takes a recursive mutex until the end of the call.
CUresult drv_call_lock(pthread_mutex_t *mutex);

// One lock for all that changes rarely: handles, lists of objects, primary contexts. Never held
// while the device is waited for.
void drv_lock(void);
void drv_unlock(void);

// ---- Handles ------------------------------------------------------------------------------
// A handle is a number that names a slot, its generation and the kind of object. A stale or
// foreign handle is found out without touching memory that it might point to.
//
// An object is held by its handle and by the objects that belong to it, which it counts, and by the
// calls that looked it up, whose threads have notes. Destroying an object ends its handle at once;
// when nobody holds it, it is released.

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
    DRV_GRAPHICS,
    DRV_GRAPH,
    DRV_GRAPH_NODE,
    DRV_GRAPH_EXEC,
    DRV_USER_OBJECT,
    DRV_REFERENCE,
    DRV_GREEN,
    DRV_RESOURCES,
    DRV_ADDRESSES, // of an allocation node
    DRV_ACTIVE,    // what a primary context is while it is active; no program sees the handle
};

struct drv_context;
// Begins every object behind a handle.
struct drv_object {
    void *handle;
    struct drv_context *context; // owner, whose end is the end of the handle too; may be NULL
    struct drv_object *parent;   // held besides the owner; may be NULL
    struct drv_object *next, **link;
    bool in_limbo; // it is to be released when no call has a note of it
    bool leaving;  // it is being released
    // Frees what the object holds and the object. Called once, without locks, on the thread of the
    // last holder; owner and parent are still there.
    void (*release)(struct drv_object *);
};

// Gives `o` a handle and, when `owner` is not NULL, an owner; `o->parent` was set before. The call
// holds it. When owner or parent have ended, the handle has too. False: out of memory.
bool drv_object_add(struct drv_object *o, enum drv_kind kind, struct drv_context *owner,
                    void (*release)(struct drv_object *));
// Lookups of the object are not counted: it is never destroyed.
void drv_object_keep(struct drv_object *o);
// The object is held until the call ends. NULL: no such object.
void *drv_object_find(const void *handle, enum drv_kind kind);
// Why drv_object_find finds no such object: CUDA_ERROR_CONTEXT_IS_DESTROYED when it ended with its
// context and nothing has its place yet, CUDA_ERROR_INVALID_HANDLE in all other cases.
CUresult drv_object_missing(const void *handle, enum drv_kind kind);
// The same for graphs, their nodes and allocations, by who holds the lock under which such objects
// are made and destroyed: they have no holders.
void *drv_object_peek(const void *handle, enum drv_kind kind);
// For who keeps the object from being freed by a lock that its release takes: holds it until the
// call ends, also when its handle has ended. False: it is being released.
bool drv_object_hold(struct drv_object *o);
// The handle is still valid, or was when the call began.
bool drv_object_alive(const struct drv_object *o);
// Ends the handle; the object is released when nobody holds it. One caller alone gets true, however
// many destroy at once.
bool drv_object_destroy(struct drv_object *o);
// Its two halves: the end of the handle, and, for who got true, of its count.
bool drv_object_end(struct drv_object *o);
void drv_object_drop(struct drv_object *o);
// Looks up and destroys: who gets the object is the one that destroyed it, and holds it until the
// call ends. NULL: no such object.
void *drv_object_take(const void *handle, enum drv_kind kind);
// Ends the handles of all that `owner` has; drv_objects_drop gives the list back.
struct drv_object *drv_objects_end(struct drv_context *owner);
void drv_objects_drop(struct drv_object *list);

// ---- Devices ------------------------------------------------------------------------------

enum { DRV_MAX_DEVICES = 64 };
struct drv_device {
    int ordinal;
    struct kd_device *d;
    const struct kd_properties *properties;
    struct drv_context *primary; // never NULL after cuInit: drv_context_active
    struct drv_pool *default_pool;
    _Atomic(CUmemoryPool) pool; // the current one; where it has ended, the default pool is
};
CUresult drv_devices_open(void);                                 // for cuInit
CUresult drv_device_find(CUdevice dev, struct drv_device **out); // CUDA_ERROR_INVALID_DEVICE
CUresult drv_device_attribute(struct drv_device *d, CUdevice_attribute attribute, int *out);
int drv_device_count(void);
void drv_answer_kernels(void);                     // device_queries.c
int drv_device_ordinal(const struct kd_device *d); // CU_DEVICE_INVALID: none that the program sees

// ---- Contexts -----------------------------------------------------------------------------

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
    CUcontext handle;     // what programs know it by
    struct kd_context *c; // as long as the context is held; NULL: what stands for another context
    struct drv_device *device;
    struct drv_object *children; // under the lock
    uint64_t id;                 // changes when a primary context becomes active again
    _Atomic unsigned flags;
    // A primary context is two objects: one that lives as long as the process, with the handle, and
    // while it is active another one with what it has, which the first leads to.
    struct drv_context *primary; // of the second: the first
    _Atomic(void *) active;      // of the first: the handle of the second; NULL: it is not active
    unsigned references;         // of a primary context, in the first: retained; else: attached
    CUsharedconfig shared_config;
    struct drv_stream_attributes stream_attributes; // of the legacy default stream
    uint64_t peers; // devices whose memory was made accessible, one bit each
    struct drv_thread_queue *thread_queues;
    struct drv_context *next; // of all that have `c`
    bool drained;             // under the lock: it is being released and has no work
    struct drv_core_dump core_dump;
    struct drv_green *green; // it only stands for that part of its device's primary context
};

struct drv_context *drv_context_new_primary(struct drv_device *device);
// Makes a primary context active when it is not, and retains it; *out is what it has then.
CUresult drv_context_start(struct drv_context *primary, struct drv_context **out);
// What an active primary context has; NULL: it is not active.
struct drv_context *drv_context_active(const struct drv_context *primary);
CUresult drv_context_release(struct drv_context *primary); // the last release ends it
// Ends a context: the handles of all that belongs to it become invalid, its work is waited for, and
// what no call of another thread holds is freed. The caller holds it. False: another thread did it.
bool drv_context_end(struct drv_context *ctx);
// A number that no other context, green or not, has or had.
uint64_t drv_context_new_id(void);
// Contexts that are looked up are held until the call ends. None of them is one that stands for
// another.
CUresult drv_context_find(CUcontext handle, struct drv_context **out); // alive
struct drv_context *drv_context_on(CUcontext handle);                  // alive, or NULL
// A device's primary context, active or not: its handle, device and flags stay. NULL: not one.
struct drv_context *drv_context_primary(CUcontext handle);
CUresult drv_context_current(struct drv_context **out);         // alive
CUresult drv_context_usable(struct drv_context **out);          // alive and no fault
struct drv_context *drv_context_of(const struct kd_context *c); // NULL: none
struct drv_context *drv_context_with_id(uint64_t id);           // alive, or NULL
void drv_contexts_wait(void);                                   // for the work of all contexts
bool drv_contexts_idle(void);  // nothing is left to be done in any context
void drv_contexts_flush(void); // writes out what finished kernels of all contexts printed
CUresult drv_context_fault(struct drv_context *ctx);         // the sticky error; logs it
CUresult drv_context_without_fault(struct drv_context *ctx); // the same, or success
struct drv_green *drv_context_green(CUcontext handle);       // held; NULL: it stands for none
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
CUresult drv_stream_usable(CUstream handle); // the same, for its errors
// The attributes that a kernel which is captured from the stream takes from it, and their number.
enum { DRV_INHERITED = 4 };
unsigned drv_stream_inherited(CUstream handle, CUlaunchAttribute out[DRV_INHERITED]);
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
    // Last recorded in a capturing stream; else NULL.
    _Atomic(struct drv_captured_event *) captured;
};
CUresult drv_event_find(CUevent handle, struct drv_event **out);
// A handle for an event of the device, which is freed when there is no memory for one.
CUresult drv_event_add(struct drv_context *ctx, struct kd_event *event, unsigned flags,
                       CUevent *handle);

// ---- Modules, functions, libraries --------------------------------------------------------

struct drv_module {
    struct drv_object object;
    struct kd_module *m;
    // By kernel index, made when asked for; nkernels of them. A function holds its module.
    struct drv_function **functions;
    unsigned max_registers; // that the program asked for; 0: not stated
    bool of_library;
    struct drv_reference *references; // texture and surface references that were asked for
};
void drv_references_forget(struct drv_module *m); // before the module goes
void drv_functions_forget(struct drv_module *m);
struct drv_function {
    struct drv_object object;
    struct kd_kernel *k;
    struct drv_module *module;
    uint32_t index; // of the kernel
    _Atomic(CUfunc_cache) cache;
    atomic_int carveout;
    struct drv_launch_steps *steps; // of cuParamSet* and its kind; NULL: none yet
};
void drv_launch_steps_free(struct drv_launch_steps *steps);
struct drv_kernel;

// JIT options of the API, sorted out.
struct drv_jit {
    struct kd_load_options load;
    void **error_size, **info_size; // where the sizes of the logs are stored afterwards
    void **wall_time;
    unsigned max_registers; // of a thread; 0: not stated
    uint64_t begin;
};
CUresult drv_jit_parse(struct drv_jit *jit, unsigned n, CUjit_option *options, void **values);
void drv_jit_finish(struct drv_jit *jit);
CUresult drv_module_load(struct drv_context *ctx, const void *image, size_t size,
                         struct drv_jit *jit, struct drv_module **out);
// Ends the module's handles; it is freed when its context's work is done and nobody holds it.
// False: another thread did it.
bool drv_module_unload(struct drv_module *m);
CUresult drv_module_function(struct drv_module *m, uint32_t index, struct drv_function **out);
// Modules unloaded and contexts ended so far. What an executable graph refers to is found to be
// there and submitted between drv_unloads_hold and drv_unloads_let; handles end, and one more is
// counted, between drv_unloads_begin and drv_unloads_end. So what goes on after that waits for all
// work that uses what has ended.
extern _Atomic uint64_t drv_unloads;
void drv_unloads_hold(void);
void drv_unloads_let(void);
void drv_unloads_begin(void);
void drv_unloads_end(void);
int drv_module_kernel_index(const struct drv_module *m, const char *name); // -1: none
// Reads a whole file; *data is malloc'ed and followed by a NUL byte.
CUresult drv_read_file(const char *path, void **data, size_t *size);
// Whether it is text that does not say which PTX it is. size 0: up to the NUL.
bool drv_is_other_text(const void *image, size_t size);
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
    DRV_MEMORY_ARRAY = 1 << 22,    // an array's, which frees it
    DRV_MEMORY_GRAPHICS = 1 << 23, // a registered buffer's, which frees it
};
// Frees memory that kd_memory_find described, when the work that uses it is done.
// CUDA_ERROR_INVALID_VALUE: another thread does it, or its context has ended.
CUresult drv_memory_end(const struct kd_memory *m);
CUresult drv_memory_retire(const struct kd_memory *m); // without the release
// The same for memory of an object of a context, which may have ended.
void drv_memory_end_in(struct kd_context *c, uint64_t base);
// Work of ctx, in a use of memory, uses what lies at ptr and belongs to `owner`.
static inline void drv_memory_used(uint64_t ptr, const struct kd_context *owner,
                                   const struct drv_context *ctx) {
    if (__builtin_expect(owner && owner != ctx->c, 0))
        kd_memory_set_foreign(ptr);
}
CUresult drv_memory_allocate(struct drv_context *ctx, enum kd_memory_kind kind, size_t size,
                             uint32_t flags, uint64_t *out);
struct drv_pool *drv_pool_new(struct drv_device *device);
CUmemoryPool drv_pool_of(const struct kd_memory *m);
// Whether the device that works (drv_working_devices) may use memory of this process's pools or of
// imported ones.
bool drv_pool_access(const struct kd_memory *m, bool write);
uint64_t drv_pool_handle_types(const struct kd_memory *m); // 0: not of a pool that can be exported
bool drv_ipc_capable(const struct kd_memory *m);           // cuIpcGetMemHandle takes it
void drv_managed_forget(uint64_t begin, uint64_t size);    // the range is being freed
extern _Atomic bool drv_sync_memops; // CU_POINTER_ATTRIBUTE_SYNC_MEMOPS is set somewhere

#endif
