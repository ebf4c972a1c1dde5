#include "driver/leaks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check/check_tools.h"
#include "support/check/host_call.h"

// What was made, and by which call.
struct birth {
    struct birth *next;
    enum drv_kind kind; // 0: memory
    void *handle;
    const struct drv_context *context; // of an object; NULL: it has none
    uint64_t base, id, size;           // of memory
    struct host_call call;
};
static struct birth *births; // the latest first
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// Objects that programs have to destroy, by the functions that give them to programs.
static const struct {
    enum drv_kind kind;
    const char *function, *name; // function: how its name begins
} kinds[] = {
    {DRV_STREAM, "cuStreamCreate", "a stream"},
    {DRV_STREAM, "cuGreenCtxStreamCreate", "a stream"},
    {DRV_EVENT, "cuEventCreate", "an event"},
    {DRV_GRAPH, "cuGraphCreate", "a graph"},
    {DRV_GRAPH, "cuGraphClone", "a graph"},
    {DRV_GRAPH, "cuStreamBeginCapture", "a graph"},
    {DRV_GRAPH_EXEC, "cuGraphInstantiate", "an executable graph"},
    {DRV_TEXTURE, "cuTexObjectCreate", "a texture object"},
    {DRV_TEXTURE, "cuSurfObjectCreate", "a surface object"},
    {DRV_ARRAY, "cuArrayCreate", "an array"},
    {DRV_ARRAY, "cuArray3DCreate", "an array"},
    {DRV_MIPMAP, "cuMipmappedArrayCreate", "a mipmapped array"},
    {DRV_POOL, "cuMemPoolCreate", "a memory pool"},
    {DRV_ALLOCATION, "cuMemCreate", "an allocation of physical memory"},
    {DRV_EXTERNAL_MEMORY, "cuImportExternalMemory", "external memory"},
    {DRV_EXTERNAL_SEMAPHORE, "cuImportExternalSemaphore", "an external semaphore"},
    {DRV_USER_OBJECT, "cuUserObjectCreate", "a user object"},
    {DRV_LINK, "cuLinkCreate", "a linker"},
};

static const char *name_of(enum drv_kind kind) {
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (kinds[k].kind == kind && drv_api &&
            !strncmp(drv_api, kinds[k].function, strlen(kinds[k].function)))
            return kinds[k].name;
    return NULL;
}

static void add(struct birth b) {
    if (!host_call_get(&b.call))
        return;
    struct birth *new = malloc(sizeof *new);
    if (!new)
        return;
    *new = b;
    pthread_mutex_lock(&mutex);
    new->next = births;
    births = new;
    pthread_mutex_unlock(&mutex);
}

void drv_leaks_memory(uint64_t ptr) {
    struct kd_memory m;
    if (check_calls() & CHECK_LEAKS && ptr && kd_memory_find(ptr, &m) &&
        !(m.flags & (DRV_MEMORY_ARRAY | DRV_MEMORY_GRAPH)))
        add((struct birth){.base = m.base, .id = m.id, .size = m.size});
}

void drv_leaks_object(const struct drv_object *o, enum drv_kind kind) {
    if (check_calls() & CHECK_LEAKS && name_of(kind))
        add((struct birth){.kind = kind, .handle = o->handle, .context = o->context});
}

// Whether it lives, and ends with the context.
static bool is_leak(const struct birth *b, const struct drv_context *ctx) {
    struct kd_memory m;
    if (b->kind)
        return (!ctx || b->context == ctx) && drv_object_peek(b->handle, b->kind);
    return kd_memory_find(b->base, &m) && m.base == b->base && m.id == b->id &&
           (!ctx || m.context == ctx->c);
}

static const char *kind_name(enum drv_kind kind) {
    size_t k = 0;
    while (kinds[k].kind != kind)
        k++;
    return kinds[k].name;
}

static void tell(const struct birth *b) {
    char what[128];
    struct check_record r = {.kind = b->kind ? "leak.object" : "leak.memory",
                             .what = what,
                             .frames_of = "driver entry point at allocation time",
                             .call = *b->call.name ? b->call.name : NULL,
                             .leaked = b->size};
    if (b->kind)
        snprintf(what, sizeof what, "Leaked %s with handle %p", kind_name(b->kind), b->handle);
    else
        snprintf(what, sizeof what, "Leaked %llu bytes at 0x%llx", (unsigned long long)b->size,
                 (unsigned long long)b->base);
    host_call_add_frames(&b->call, &r);
    check_record_send(&r);
}

void drv_leaks_tell(const struct drv_context *ctx) {
    if (!(check_calls() & CHECK_LEAKS))
        return;
    pthread_mutex_lock(&mutex);
    for (struct birth **at = &births, *b; (b = *at);) {
        if (!is_leak(b, ctx)) {
            at = &b->next;
            continue;
        }
        tell(b);
        *at = b->next;
        free(b);
    }
    pthread_mutex_unlock(&mutex);
    kd_context_tell_heap_leaks(ctx ? ctx->c : NULL);
}
