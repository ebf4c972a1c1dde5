// Streams: creation, properties, waiting. Default streams are queues without an object.
#define _GNU_SOURCE // recursive mutexes
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "driver/context/green_context.h"
#include "driver/graph/capture.h"
#include "driver/memory/copy.h"

// ---- Default streams ----------------------------------------------------------------------

// The per-thread default stream of one thread in one context.
struct drv_thread_queue {
    _Atomic(struct drv_context *) context; // NULL: the context is gone
    struct kd_queue *q;
    struct drv_stream_attributes attributes;
    struct drv_thread_queue *next_of_thread;
    struct drv_thread_queue *next_of_context, **link;
};

static _Thread_local struct drv_thread_queue *thread_queues;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// Of a context that ends now, the queue goes with it.
static void end_queue(struct kd_queue *q, const void *context) {
    CALL();
    if (!drv_object_find(context, DRV_ACTIVE) && !drv_object_find(context, DRV_CONTEXT))
        return;
    drv_capture_forget_queue(q);
    kd_queue_free(q);
}

static void thread_ends(void *first) {
    for (struct drv_thread_queue *t = first; t;) {
        struct drv_thread_queue *next = t->next_of_thread;
        struct kd_queue *gone = NULL;
        drv_lock();
        if (t->context) {
            *t->link = t->next_of_context;
            if (t->next_of_context)
                t->next_of_context->link = t->link;
            gone = t->q;
        }
        struct drv_context *ctx = gone ? t->context : NULL;
        void *handle = ctx ? ctx->object.handle : NULL;
        drv_unlock();
        end_queue(gone, handle);
        free(t);
        t = next;
    }
}

static void make_key(void) {
    pthread_key_create(&key, thread_ends);
}

static CUresult thread_queue(struct drv_context *ctx, struct kd_queue **q) {
    for (struct drv_thread_queue *t = thread_queues; t; t = t->next_of_thread) {
        if (t->context == ctx) {
            *q = t->q;
            return CUDA_SUCCESS;
        }
    }
    NO_CANCEL();
    pthread_once(&once, make_key);
    struct drv_thread_queue *t = calloc(1, sizeof *t);
    REQUIRE(t, CUDA_ERROR_OUT_OF_MEMORY, "no memory for the per-thread default stream");
    CUresult result = drv_status(kd_queue_new(ctx->c, 0, 0, &t->q), ctx);
    if (result != CUDA_SUCCESS) {
        free(t);
        return result;
    }
    t->context = ctx;
    t->next_of_thread = thread_queues;
    thread_queues = t;
    pthread_setspecific(key, t);
    drv_lock();
    t->next_of_context = ctx->thread_queues;
    t->link = &ctx->thread_queues;
    if (t->next_of_context)
        t->next_of_context->link = &t->next_of_context;
    ctx->thread_queues = t;
    drv_unlock();
    *q = t->q;
    return CUDA_SUCCESS;
}

// The context ends and frees its queues; the threads' notes of them must not be used again.
void drv_thread_queues_forget(struct drv_context *ctx) {
    drv_lock();
    for (struct drv_thread_queue *t = ctx->thread_queues; t; t = t->next_of_context)
        t->context = NULL;
    ctx->thread_queues = NULL;
    drv_unlock();
}

// ---- Handles ------------------------------------------------------------------------------

static bool is_default(CUstream handle) {
    return (uintptr_t)handle <= (uintptr_t)CU_STREAM_PER_THREAD;
}

static CUresult find_object(CUstream handle, struct drv_stream **out) {
    *out = drv_object_find(handle, DRV_STREAM);
    REQUIRE(*out, drv_object_missing(handle, DRV_STREAM),
            "%p is no stream, or one that was destroyed, alone or with its context",
            (void *)handle);
    return CUDA_SUCCESS;
}

CUresult drv_stream_find(CUstream handle, struct kd_queue **q, struct drv_context **owner) {
    if (is_default(handle)) {
        REQUIRE(!drv_in_callback, CUDA_ERROR_NOT_PERMITTED,
                "a host function or stream callback cannot use a default stream");
        TRY(drv_context_usable(owner));
        struct drv_green *g = drv_green_current();
        if (__builtin_expect(g != NULL, 0)) {
            *q = kd_share_default_queue(g->share); // of all threads
            return CUDA_SUCCESS;
        }
        if (handle == CU_STREAM_PER_THREAD || (!handle && api_per_thread))
            return thread_queue(*owner, q);
        *q = kd_context_legacy_queue((*owner)->c);
        return CUDA_SUCCESS;
    }
    struct drv_stream *s;
    TRY(find_object(handle, &s));
    *q = s->q;
    *owner = s->object.context;
    return drv_context_without_fault(*owner);
}

CUresult drv_stream_usable(CUstream handle) {
    struct kd_queue *q;
    struct drv_context *owner;
    return drv_stream_find(handle, &q, &owner);
}

// ---- Creation and end ---------------------------------------------------------------------

// What was submitted still runs.
static void stream_release(struct drv_object *o) {
    struct drv_stream *s = (struct drv_stream *)o;
    drv_capture_forget_queue(s->q);
    kd_queue_free(s->q);
    free(s);
}

CUresult drv_stream_create(struct drv_context *ctx, struct drv_green *g, CUstream *phStream,
                           unsigned flags, int priority) {
    REQUIRE_POINTER(phStream);
    REQUIRE(!(flags & ~(unsigned)CU_STREAM_NON_BLOCKING), CUDA_ERROR_INVALID_VALUE,
            "flags %#x are not flags of a stream", flags);
    struct drv_stream *s = calloc(1, sizeof *s);
    REQUIRE(s, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a stream");
    s->flags = flags;
    s->green = g ? (CUgreenCtx)g->object.handle : NULL;
    uint32_t kind = flags & CU_STREAM_NON_BLOCKING ? KD_QUEUE_NONBLOCKING : 0;
    CUresult result = drv_status(g ? kd_share_queue_new(g->share, kind, priority, &s->q)
                                   : kd_queue_new(ctx->c, kind, priority, &s->q),
                                 ctx);
    if (result != CUDA_SUCCESS) {
        free(s);
        return result;
    }
    if (!drv_object_add(&s->object, DRV_STREAM, ctx, stream_release)) {
        kd_queue_free(s->q);
        free(s);
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no handle for a stream");
    }
    *phStream = s->object.handle;
    return CUDA_SUCCESS;
}

// A stream belongs to the green context that is current.
static CUresult create(struct drv_context *ctx, CUstream *phStream, unsigned flags, int priority) {
    return drv_stream_create(ctx, drv_green_current(), phStream, flags, priority);
}

CUgreenCtx drv_stream_green(CUstream handle, const struct kd_queue *q) {
    if (!kd_queue_share(q))
        return NULL;
    struct drv_green *g = is_default(handle) ? drv_green_current() : NULL;
    struct drv_stream *s = g ? NULL : drv_object_find(handle, DRV_STREAM);
    CUgreenCtx green = g ? (CUgreenCtx)g->object.handle : s ? s->green : NULL;
    return drv_object_find(green, DRV_GREEN) ? green : NULL;
}

CUresult cuStreamCreate(CUstream *phStream, unsigned int Flags) {
    ENTER_CONTEXT(ctx);
    return create(ctx, phStream, Flags, 0);
}

// Lower numbers run first; a priority outside the range is cut to it.
CUresult cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority) {
    ENTER_CONTEXT(ctx);
    return create(ctx, phStream, flags, priority);
}

// Returns at once; what was submitted still runs.
CUresult cuStreamDestroy_v2(CUstream hStream) {
    ENTER();
    REQUIRE(!is_default(hStream), CUDA_ERROR_INVALID_HANDLE,
            "a default stream cannot be destroyed");
    struct drv_stream *s = drv_object_take(hStream, DRV_STREAM);
    REQUIRE(s, CUDA_ERROR_INVALID_HANDLE, "%p is no stream, or one that was destroyed",
            (void *)hStream);
    return CUDA_SUCCESS;
}

// ---- Properties ---------------------------------------------------------------------------

CUresult cuStreamGetPriority(CUstream hStream, int *priority) {
    ENTER_FROM_HOST_FUNCTION();
    REQUIRE_POINTER(priority);
    struct kd_queue *q;
    struct drv_context *ctx;
    TRY(drv_stream_find(hStream, &q, &ctx));
    *priority = kd_queue_priority(q);
    return CUDA_SUCCESS;
}

CUresult cuStreamGetFlags(CUstream hStream, unsigned int *flags) {
    ENTER_FROM_HOST_FUNCTION();
    REQUIRE_POINTER(flags);
    struct kd_queue *q;
    struct drv_context *ctx;
    TRY(drv_stream_find(hStream, &q, &ctx));
    *flags = kd_queue_flags(q) & KD_QUEUE_NONBLOCKING ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetId(CUstream hStream, unsigned long long *streamId) {
    ENTER_FROM_HOST_FUNCTION();
    REQUIRE_POINTER(streamId);
    struct kd_queue *q;
    struct drv_context *ctx;
    TRY(drv_stream_find(hStream, &q, &ctx));
    *streamId = kd_queue_id(q);
    return CUDA_SUCCESS;
}

CUresult cuStreamGetDevice(CUstream hStream, CUdevice *device) {
    ENTER();
    REQUIRE_POINTER(device);
    struct kd_queue *q;
    struct drv_context *ctx;
    TRY(drv_stream_find(hStream, &q, &ctx));
    *device = ctx->device->ordinal;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetCtx(CUstream hStream, CUcontext *pctx) {
    ENTER_FROM_HOST_FUNCTION();
    REQUIRE_POINTER(pctx);
    struct kd_queue *q;
    struct drv_context *ctx;
    TRY(drv_stream_find(hStream, &q, &ctx));
    *pctx = ctx->handle;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetCtx_v2(CUstream hStream, CUcontext *pCtx, CUgreenCtx *pGreenCtx) {
    ENTER();
    REQUIRE_POINTER(pCtx);
    struct kd_queue *q;
    struct drv_context *ctx;
    TRY(drv_stream_find(hStream, &q, &ctx));
    CUgreenCtx green = drv_stream_green(hStream, q);
    *pCtx = ctx->handle;
    if (pGreenCtx)
        *pGreenCtx = green;
    return CUDA_SUCCESS;
}

// Where a stream's attributes are kept: with the stream, the context or the thread.
// Those of all streams are locked until the call ends.
static CUresult attributes_of(CUstream handle, struct drv_stream_attributes **out,
                              struct kd_queue **q) {
    static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    TRY(drv_call_lock(&lock));
    struct drv_context *ctx;
    TRY(drv_stream_find(handle, q, &ctx));
    struct drv_stream *s = drv_object_find(handle, DRV_STREAM);
    *out = s ? &s->attributes : &ctx->stream_attributes;
    for (struct drv_thread_queue *t = thread_queues; t && !s; t = t->next_of_thread)
        if (t->context == ctx && t->q == *q)
            *out = &t->attributes;
    return CUDA_SUCCESS;
}

static const CUlaunchMemSyncDomainMap own_domains = {0, 1};

CUresult cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue *value_out) {
    ENTER();
    REQUIRE_POINTER(value_out);
    struct kd_queue *q;
    struct drv_stream_attributes *a;
    TRY(attributes_of(hStream, &a, &q));
    switch (attr) {
    case CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY:
        value_out->syncPolicy = a->policy ? a->policy : CU_SYNC_POLICY_AUTO;
        return CUDA_SUCCESS;
    case CU_STREAM_ATTRIBUTE_PRIORITY:
        value_out->priority = kd_queue_priority(q);
        return CUDA_SUCCESS;
    case CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        value_out->accessPolicyWindow = a->window;
        return CUDA_SUCCESS;
    case CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN:
        value_out->memSyncDomain = a->domain;
        return CUDA_SUCCESS;
    case CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
        value_out->memSyncDomainMap = a->domains_set ? a->domains : own_domains;
        return CUDA_SUCCESS;
    default:
        FAIL(CUDA_ERROR_INVALID_VALUE, "%d is no attribute of a stream", (int)attr);
    }
}

CUresult cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr,
                              const CUstreamAttrValue *value) {
    ENTER();
    REQUIRE_POINTER(value);
    struct kd_queue *q;
    struct drv_stream_attributes *a;
    TRY(attributes_of(hStream, &a, &q));
    TRY(drv_attribute_check(attr, value));
    switch (attr) {
    case CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY:
        a->policy = value->syncPolicy;
        return CUDA_SUCCESS;
    case CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        a->window = value->accessPolicyWindow;
        return CUDA_SUCCESS;
    case CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN:
        a->domain = value->memSyncDomain;
        return CUDA_SUCCESS;
    case CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
        a->domains = value->memSyncDomainMap;
        a->domains_set = true;
        return CUDA_SUCCESS;
    case CU_STREAM_ATTRIBUTE_PRIORITY:
        kd_queue_set_priority(q, value->priority);
        return CUDA_SUCCESS;
    default:
        FAIL(CUDA_ERROR_INVALID_VALUE, "%d is no attribute of a stream", (int)attr);
    }
}

unsigned drv_stream_inherited(CUstream handle, CUlaunchAttribute out[DRV_INHERITED]) {
    struct kd_queue *q;
    struct drv_stream_attributes *a;
    unsigned n = 0;
    if (attributes_of(handle, &a, &q) != CUDA_SUCCESS)
        return 0;
    memset(out, 0, DRV_INHERITED * sizeof *out);
    if (kd_queue_priority(q)) {
        out[n].id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
        out[n++].value.priority = kd_queue_priority(q);
    }
    if (a->window.num_bytes) {
        out[n].id = CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW;
        out[n++].value.accessPolicyWindow = a->window;
    }
    if (a->domain) {
        out[n].id = CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN;
        out[n++].value.memSyncDomain = a->domain;
    }
    if (a->domains_set) {
        out[n].id = CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP;
        out[n++].value.memSyncDomainMap = a->domains;
    }
    return n;
}

// Both streams must be of one context.
CUresult cuStreamCopyAttributes(CUstream dst, CUstream src) {
    ENTER();
    struct drv_stream_attributes *from, *to;
    struct kd_queue *q, *into;
    TRY(attributes_of(src, &from, &q));
    TRY(attributes_of(dst, &to, &into));
    REQUIRE(kd_queue_context(q) == kd_queue_context(into), CUDA_ERROR_INVALID_VALUE,
            "the streams belong to different contexts");
    *to = *from;
    kd_queue_set_priority(into, kd_queue_priority(q));
    return CUDA_SUCCESS;
}

// ---- Waiting ------------------------------------------------------------------------------

CUresult cuStreamSynchronize(CUstream hStream) {
    ENTER_FROM_HOST_FUNCTION();
    struct kd_queue *q;
    struct drv_context *ctx;
    TRY(drv_stream_find(hStream, &q, &ctx));
    TRY(drv_capture_refuse(q, ctx, "waited for"));
    enum kd_status status = kd_queue_wait(q);
    kd_pools_settle();
    return drv_status(status, ctx);
}

// CUDA_ERROR_NOT_READY while work is left.
CUresult cuStreamQuery(CUstream hStream) {
    ENTER_FROM_HOST_FUNCTION();
    struct kd_queue *q;
    struct drv_context *ctx;
    TRY(drv_stream_find(hStream, &q, &ctx));
    TRY(drv_capture_refuse(q, ctx, "queried"));
    return drv_status(kd_queue_query(q), ctx);
}

CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags) {
    ENTER_FROM_HOST_FUNCTION();
    REQUIRE(!(Flags & ~(unsigned)CU_EVENT_WAIT_EXTERNAL), CUDA_ERROR_INVALID_VALUE,
            "flags %#x are not flags of a wait", Flags);
    struct kd_queue *q;
    struct drv_context *ctx;
    struct drv_event *e;
    TRY(drv_stream_find(hStream, &q, &ctx));
    TRY(drv_event_find(hEvent, &e));
    bool done;
    TRY(drv_capture_wait(q, ctx, e, Flags & CU_EVENT_WAIT_EXTERNAL, &done));
    return done ? CUDA_SUCCESS : drv_status(kd_event_wait_on(q, e->e), ctx);
}

// Memory is one address space for all streams: the attachment is checked and has no effect.
CUresult cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length,
                                unsigned int flags) {
    ENTER();
    struct kd_queue *q;
    struct drv_context *ctx;
    TRY(drv_stream_find(hStream, &q, &ctx));
    TRY(drv_capture_refuse(q, ctx, "given memory"));
    REQUIRE(flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST ||
                flags == CU_MEM_ATTACH_SINGLE,
            CUDA_ERROR_INVALID_VALUE, "flags must be one of the CU_MEM_ATTACH flags");
    REQUIRE(flags != CU_MEM_ATTACH_SINGLE || !is_default(hStream), CUDA_ERROR_INVALID_VALUE,
            "memory cannot be attached to a default stream alone");
    struct kd_memory m;
    if (kd_memory_find(dptr, &m)) {
        REQUIRE(m.kind == KD_MEMORY_MANAGED, CUDA_ERROR_INVALID_VALUE,
                "the memory is not managed memory");
        REQUIRE(!length || (m.base == dptr && length == m.size), CUDA_ERROR_INVALID_VALUE,
                "length must be 0 or that of the whole allocation");
    } else {
        REQUIRE(drv_is_system_memory(dptr, length ? length : 1), CUDA_ERROR_INVALID_VALUE,
                "there is no memory at %#llx", dptr);
    }
    return CUDA_SUCCESS;
}
