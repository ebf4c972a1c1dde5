// cuLink*: collects PTX, from text or containers, and links it into one image for cuModuleLoad*.
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"
#include "image/cubin.h"
#include "image/image.h"
#include "ptx/max_registers.h"
#include "support/capability.h"
#include "support/memory.h"

struct drv_link {
    struct drv_object object;
    pthread_mutex_t lock; // held by the call that uses it
    struct drv_jit jit;   // the logs are written by cuLinkComplete
    char **ptx;           // copies
    size_t *sizes;
    unsigned n;
    void *image; // the result, which lives as long as the state
};

static void link_release(struct drv_object *o) {
    struct drv_link *l = (struct drv_link *)o;
    pthread_mutex_destroy(&l->lock);
    for (unsigned i = 0; i < l->n; i++)
        free(l->ptx[i]);
    free(l->ptx);
    free(l->sizes);
    free(l->image);
    free(l);
}

static CUresult find(CUlinkState state, struct drv_link **out) {
    *out = drv_object_find(state, DRV_LINK);
    REQUIRE(*out, CUDA_ERROR_INVALID_HANDLE, "%p is no linker state, or one that was destroyed",
            (void *)state);
    return drv_call_lock(&(*out)->lock);
}

CUresult cuLinkCreate_v2(unsigned int numOptions, CUjit_option *options, void **optionValues,
                         CUlinkState *stateOut) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(stateOut);
    struct drv_jit jit;
    TRY(drv_jit_parse(&jit, numOptions, options, optionValues));
    struct drv_link *l = calloc(1, sizeof *l);
    if (l)
        pthread_mutex_init(&l->lock, NULL);
    if (!l || !drv_object_add(&l->object, DRV_LINK, ctx, link_release)) {
        free(l);
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a linker state");
    }
    l->jit = jit;
    *stateOut = l->object.handle;
    return CUDA_SUCCESS;
}

static CUresult add_text(struct drv_link *l, const char *text, size_t size) {
    while (size && !text[size - 1])
        size--;
    CUresult result =
        drv_status(kd_check_ptx(text, size, l->jit.load.error_log, l->jit.load.error_log_size),
                   l->object.context);
    if (result == CUDA_ERROR_INVALID_PTX && drv_is_other_text(text, size))
        result = CUDA_ERROR_INVALID_IMAGE;
    TRY(result);
    char **ptx = realloc(l->ptx, (l->n + 1) * sizeof *ptx);
    if (ptx)
        l->ptx = ptx;
    size_t *sizes = realloc(l->sizes, (l->n + 1) * sizeof *sizes);
    if (sizes)
        l->sizes = sizes;
    char *copy = malloc(size + 1);
    if (!ptx || !sizes || !copy) {
        free(copy);
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no memory for PTX to link");
    }
    memcpy(copy, text, size);
    copy[size] = '\0';
    l->ptx[l->n] = copy;
    l->sizes[l->n++] = size;
    return CUDA_SUCCESS;
}

// An archive without members, as libcudadevrt.a is: the device runtime is part of the driver.
static bool is_empty_archive(const void *data, size_t size) {
    static const char magic[] = "!<arch>\n";
    return size == sizeof magic - 1 && memcmp(data, magic, size) == 0;
}

static bool is_archive(const void *data, size_t size) {
    return size >= 8 && memcmp(data, "!<arch>\n", 8) == 0;
}

static CUresult add_container(struct drv_link *l, const void *data, size_t size) {
    char why[256] = "";
    struct kimg_entry e;
    const struct kd_properties *p = l->object.context->device->properties;
    bool found = kimg_best_ptx(data, size, p->capability->number, p->lenient, &e, why, sizeof why);
    REQUIRE(found || !why[0], CUDA_ERROR_INVALID_IMAGE, "%s", why);
    REQUIRE(found, CUDA_ERROR_NO_BINARY_FOR_GPU, "the container has no PTX for the device");
    return add_text(l, e.data, e.size);
}

static CUresult add_cubin(struct drv_link *l, const void *data, size_t size) {
    char why[256] = "";
    bool foreign;
    const void *container = cubin_container(data, size, &size, &foreign, why, sizeof why);
    REQUIRE(container, foreign ? CUDA_ERROR_NO_BINARY_FOR_GPU : CUDA_ERROR_INVALID_IMAGE, "%s",
            why);
    return add_container(l, container, size);
}

static CUresult add(struct drv_link *l, CUjitInputType type, const void *data, size_t size) {
    REQUIRE(data && size, CUDA_ERROR_INVALID_VALUE, "there is nothing to link");
    REQUIRE(!l->image, CUDA_ERROR_INVALID_VALUE, "the linker state is complete");
    switch (type) {
    case CU_JIT_INPUT_PTX: // CuPy calls NVRTC's cubins so, too
        if (!kimg_is_container(data, size) && !cubin_is_elf(data, size))
            return add_text(l, data, size);
        // fall through
    case CU_JIT_INPUT_FATBINARY:
    case CU_JIT_INPUT_OBJECT:
    case CU_JIT_INPUT_CUBIN:
    case CU_JIT_INPUT_LIBRARY:
        if (kimg_is_container(data, size))
            return add_container(l, data, size);
        if (cubin_is_elf(data, size))
            return add_cubin(l, data, size);
        if (type == CU_JIT_INPUT_LIBRARY && is_empty_archive(data, size))
            return CUDA_SUCCESS;
        FAIL(is_archive(data, size) ? CUDA_ERROR_NO_BINARY_FOR_GPU : CUDA_ERROR_INVALID_IMAGE,
             "only PTX, and containers with PTX, can be linked");
    default:
        FAIL(CUDA_ERROR_INVALID_VALUE, "%d is no type of input", (int)type);
    }
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size,
                          const char *name, unsigned int numOptions, CUjit_option *options,
                          void **optionValues) {
    ENTER();
    struct drv_link *l;
    struct drv_jit jit;
    TRY(find(state, &l));
    TRY(drv_jit_parse(&jit, numOptions, options, optionValues));
    return add(l, type, data, size);
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path,
                          unsigned int numOptions, CUjit_option *options, void **optionValues) {
    ENTER();
    struct drv_link *l;
    struct drv_jit jit;
    void *data;
    size_t size;
    TRY(find(state, &l));
    TRY(drv_jit_parse(&jit, numOptions, options, optionValues));
    TRY(drv_read_file(path, &data, &size));
    CUresult result = add(l, type, data, size);
    free(data);
    return result;
}

// Each text is PTX for itself: what fails then is how they fit together.
static CUresult complete(struct drv_link *l, char **ptx) {
    CUresult result =
        drv_status(kd_link_ptx((const char *const *)l->ptx, l->sizes, l->n, l->jit.load.error_log,
                               l->jit.load.error_log_size, ptx),
                   l->object.context);
    return result == CUDA_ERROR_INVALID_PTX ? CUDA_ERROR_INVALID_SOURCE : result;
}

// What the image is loaded from, with the limit of registers as a directive of its kernels.
struct limited {
    struct arena arena;
    const struct drv_link *link;
    struct kimg_entry entry;
    void **image;
    size_t *size;
    bool built;
};

static void build(void *arg) {
    struct limited *b = arg;
    if (b->link->jit.max_registers)
        b->entry.data = max_registers_apply(&b->arena, b->entry.data, b->link->jit.max_registers,
                                            &b->entry.size);
    b->built = kimg_build(&b->entry, 1, b->image, b->size);
    arena_free(&b->arena);
}

// The image, a container with PTX, belongs to the state.
CUresult cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut) {
    ENTER();
    REQUIRE_POINTER(cubinOut);
    struct drv_link *l;
    char *ptx;
    size_t size;
    TRY(find(state, &l));
    REQUIRE(l->n, CUDA_ERROR_INVALID_VALUE, "nothing was added to the linker state");
    REQUIRE(!l->image, CUDA_ERROR_INVALID_VALUE, "the linker state is complete");
    CUresult result = complete(l, &ptx);
    drv_jit_finish(&l->jit);
    TRY(result);
    struct limited b = {.link = l,
                        .entry = {.kind = KIMG_PTX,
                                  .arch = l->object.context->device->properties->capability->number,
                                  .data = ptx,
                                  .size = strlen(ptx)},
                        .image = &l->image,
                        .size = &size};
    bool enough = memory_scope_run(build, NULL, &b);
    free(ptx);
    REQUIRE(enough && b.built, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a linked image");
    *cubinOut = l->image;
    if (sizeOut)
        *sizeOut = size;
    return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state) {
    ENTER();
    struct drv_link *l;
    TRY(find(state, &l));
    REQUIRE(drv_object_destroy(&l->object), CUDA_ERROR_INVALID_HANDLE,
            "%p was destroyed by another thread", (void *)state);
    return CUDA_SUCCESS;
}
