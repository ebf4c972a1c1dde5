// The stack of contexts that each thread has; the top one is current.
#include <pthread.h>
#include <stdlib.h>

#include "driver/driver.h"

static _Thread_local struct {
    CUcontext *at;
    int depth, room;
} stack;

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_key(void) {
    pthread_key_create(&key, free);
}

CUcontext drv_top(void) {
    return stack.depth ? stack.at[stack.depth - 1] : NULL;
}

CUresult drv_push(CUcontext handle) {
    if (stack.depth == stack.room) {
        int room = stack.room ? stack.room * 2 : 8;
        CUcontext *at = realloc(stack.at, (size_t)room * sizeof *at);
        REQUIRE(at, CUDA_ERROR_OUT_OF_MEMORY, "no memory for the stack of contexts");
        stack.at = at;
        stack.room = room;
        pthread_once(&once, make_key);
        pthread_setspecific(key, at); // freed when the thread ends
    }
    stack.at[stack.depth++] = handle;
    return CUDA_SUCCESS;
}

bool drv_context_is_current(const struct drv_context *ctx) {
    return drv_top() == ctx->handle;
}

// A primary context can be made current while it is not active, as with NVIDIA's driver: it works
// from the next retain on.
static CUresult check(CUcontext handle) {
    struct drv_context *ctx;
    return drv_context_primary(handle) ? CUDA_SUCCESS : drv_context_find(handle, &ctx);
}

CUresult cuCtxPushCurrent_v2(CUcontext handle) {
    ENTER();
    TRY(check(handle));
    return drv_push(handle);
}

// *pctx may be NULL. CUDA_ERROR_INVALID_CONTEXT when the stack is empty.
CUresult cuCtxPopCurrent_v2(CUcontext *pctx) {
    ENTER();
    REQUIRE(stack.depth > 0, CUDA_ERROR_INVALID_CONTEXT,
            "no context is current to the calling thread");
    CUcontext top = stack.at[--stack.depth];
    if (pctx)
        *pctx = top;
    return CUDA_SUCCESS;
}

// Replaces the top of the stack; NULL pops it.
CUresult cuCtxSetCurrent(CUcontext handle) {
    ENTER();
    if (!handle) {
        if (stack.depth)
            stack.depth--;
        return CUDA_SUCCESS;
    }
    TRY(check(handle));
    if (!stack.depth)
        return drv_push(handle);
    stack.at[stack.depth - 1] = handle;
    return CUDA_SUCCESS;
}

// *pctx is NULL when no context is current.
CUresult cuCtxGetCurrent(CUcontext *pctx) {
    ENTER();
    REQUIRE_POINTER(pctx);
    *pctx = drv_top();
    return CUDA_SUCCESS;
}
