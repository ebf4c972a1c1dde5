#include "driver/graph/user_object.h"

#include <limits.h>
#include <stdlib.h>

struct drv_user_object {
    struct drv_object object;
    void *ptr;
    CUhostFn destroy;
    atomic_ulong references; // of the program, of graphs and of executable graphs
    atomic_ulong own;        // those of the program
};

static void release(struct drv_object *o) {
    free(o);
}

static CUresult find(CUuserObject handle, struct drv_user_object **out) {
    *out = drv_object_find(handle, DRV_USER_OBJECT);
    REQUIRE(*out, CUDA_ERROR_INVALID_VALUE, "%p is no user object, or one that has ended",
            (void *)handle);
    return CUDA_SUCCESS;
}

CUresult drv_user_object_new(void *ptr, CUhostFn destroy, struct drv_user_object **out) {
    struct drv_user_object *o = calloc(1, sizeof *o);
    if (o && !drv_object_add(&o->object, DRV_USER_OBJECT, NULL, release)) {
        free(o);
        o = NULL;
    }
    REQUIRE(o, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a user object");
    o->ptr = ptr;
    o->destroy = destroy;
    o->references = 1;
    *out = o;
    return CUDA_SUCCESS;
}

// The caller holds references.
void drv_user_object_retain(struct drv_user_object *o, unsigned count) {
    atomic_fetch_add(&o->references, count);
}

// The caller may hold none.
static CUresult retain_living(struct drv_user_object *o, unsigned count) {
    unsigned long n = o->references;
    while (n && !atomic_compare_exchange_weak(&o->references, &n, n + count))
        ;
    REQUIRE(n, CUDA_ERROR_INVALID_VALUE, "the user object has just ended");
    return CUDA_SUCCESS;
}

// Takes references from the program.
static CUresult take_own(struct drv_user_object *o, unsigned count) {
    unsigned long n = o->own;
    while (n >= count && !atomic_compare_exchange_weak(&o->own, &n, n - count))
        ;
    REQUIRE(n >= count, CUDA_ERROR_INVALID_VALUE, "the program has %lu references to the object",
            n);
    return CUDA_SUCCESS;
}

// The destructor must not call the API.
void drv_user_object_drop(struct drv_user_object *o, unsigned count) {
    if (!count || atomic_fetch_sub(&o->references, count) != count)
        return;
    CUhostFn destroy = o->destroy;
    void *ptr = o->ptr;
    drv_object_destroy(&o->object); // who looked it up holds it
    drv_in_callback++;
    destroy(ptr);
    drv_in_callback--;
}

static struct drv_graph_user_object *held(struct drv_graph *g, const struct drv_user_object *o) {
    for (size_t i = 0; i < g->nobjects; i++)
        if (g->objects[i].object == o)
            return &g->objects[i];
    return NULL;
}

// Takes over references that are counted already.
static CUresult give(struct drv_graph *g, struct drv_user_object *o, unsigned count) {
    struct drv_graph_user_object *h = held(g, o);
    if (!h) {
        h = realloc(g->objects, (g->nobjects + 1) * sizeof *h);
        REQUIRE(h, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a reference");
        g->objects = h;
        h += g->nobjects++;
        *h = (struct drv_graph_user_object){o, 0};
    }
    h->count += count;
    return CUDA_SUCCESS;
}

CUresult drv_graph_hold(struct drv_graph *g, struct drv_user_object *o, unsigned count) {
    TRY(retain_living(o, count));
    CUresult result = give(g, o, count);
    if (result != CUDA_SUCCESS)
        drv_user_object_drop(o, count);
    return result;
}

CUresult drv_graph_hold_same(struct drv_graph *to, const struct drv_graph *from) {
    struct drv_graph_user_object *old = to->objects;
    size_t n = to->nobjects;
    to->objects = NULL;
    to->nobjects = 0;
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < from->nobjects && result == CUDA_SUCCESS; i++)
        result = drv_graph_hold(to, from->objects[i].object, from->objects[i].count);
    for (size_t i = 0; i < n; i++)
        drv_user_object_drop(old[i].object, old[i].count);
    free(old);
    return result;
}

static CUresult check_count(unsigned count) {
    REQUIRE(count >= 1 && count <= INT_MAX, CUDA_ERROR_INVALID_VALUE,
            "%u references: 1 to 2147483647 are possible", count);
    return CUDA_SUCCESS;
}

// ---- Entry points -------------------------------------------------------------------------

CUresult cuUserObjectCreate(CUuserObject *object_out, void *ptr, CUhostFn destroy,
                            unsigned int initialRefcount, unsigned int flags) {
    ENTER();
    REQUIRE_POINTER(object_out);
    REQUIRE_POINTER(destroy);
    TRY(check_count(initialRefcount));
    REQUIRE(flags == CU_USER_OBJECT_NO_DESTRUCTOR_SYNC, CUDA_ERROR_INVALID_VALUE,
            "flags must be CU_USER_OBJECT_NO_DESTRUCTOR_SYNC: the destructor cannot be waited for");
    struct drv_user_object *o;
    TRY(drv_user_object_new(ptr, destroy, &o));
    o->references = o->own = initialRefcount;
    *object_out = o->object.handle;
    return CUDA_SUCCESS;
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned int count) {
    ENTER();
    struct drv_user_object *o;
    TRY(find(object, &o));
    TRY(check_count(count));
    TRY(retain_living(o, count));
    o->own += count;
    return CUDA_SUCCESS;
}

// The caller must own the references.
CUresult cuUserObjectRelease(CUuserObject object, unsigned int count) {
    ENTER();
    struct drv_user_object *o;
    TRY(find(object, &o));
    TRY(check_count(count));
    TRY(take_own(o, count));
    drv_user_object_drop(o, count);
    return CUDA_SUCCESS;
}

// CU_GRAPH_USER_OBJECT_MOVE: the references are the caller's, which become the graph's.
CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count,
                                 unsigned int flags) {
    ENTER();
    struct drv_graph *g;
    struct drv_user_object *o;
    TRY(drv_graph_find(graph, &g));
    TRY(find(object, &o));
    TRY(check_count(count));
    REQUIRE(!(flags & ~(unsigned)CU_GRAPH_USER_OBJECT_MOVE), CUDA_ERROR_INVALID_VALUE,
            "flags %#x are not CU_GRAPH_USER_OBJECT_MOVE", flags);
    if (!(flags & CU_GRAPH_USER_OBJECT_MOVE))
        return drv_graph_hold(g, o, count);
    TRY(take_own(o, count));
    CUresult result = give(g, o, count);
    if (result != CUDA_SUCCESS)
        o->own += count;
    return result;
}

// CUDA_ERROR_INVALID_VALUE: the graph does not have so many references.
CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count) {
    ENTER();
    struct drv_graph *g;
    struct drv_user_object *o;
    TRY(drv_graph_find(graph, &g));
    TRY(find(object, &o));
    TRY(check_count(count));
    struct drv_graph_user_object *h = held(g, o);
    REQUIRE(h && h->count >= count, CUDA_ERROR_INVALID_VALUE,
            "the graph has %u references to the object", h ? h->count : 0);
    h->count -= count;
    if (!h->count)
        *h = g->objects[--g->nobjects];
    drv_user_object_drop(o, count);
    return CUDA_SUCCESS;
}
