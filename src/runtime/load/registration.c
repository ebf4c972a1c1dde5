// Device images of the program: registered by constructors before main, loaded when one of their
// kernels or variables is first used (guide 25). Registration calls no driver.
//
// An image becomes a library of the driver (cuLibraryLoadData), which belongs to no context: the
// driver instantiates it in each context that uses it, also after a device was reset.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/load/gpu_image.h"
#include "runtime/load/symbol_table.h"
#include "runtime/runtime.h"

struct rt_image {
    const struct __cudaFatBinaryWrapper *wrapper;
    pthread_mutex_t mutex; // of `library`
    CUlibrary library;     // NULL until loaded
};

// A managed variable. Host code reaches it through a pointer, so that what a program names as the
// symbol is its address.
struct managed {
    struct rt_image *image;
    const char *name;
    void **host_pointer;
    CUcontext context; // whose memory the pointer leads to; NULL: it is not set yet
    struct managed *next;
};

static pthread_rwlock_t symbols_lock = PTHREAD_RWLOCK_INITIALIZER;
static struct rt_symbol_table symbols;
static pthread_mutex_t managed_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct managed *managed;      // all, under the mutex
static _Atomic unsigned unconnected; // of them
static _Atomic bool exiting;
static _Atomic bool lost;          // memory ran out when something was registered
static _Atomic bool unconnectable; // the same for a managed variable

// ---- Loading ----------------------------------------------------------------------------------

static void note_exit(void) {
    exiting = true;
}

// Runs once a program has loaded something: what is still loaded when the process ends need not be
// unloaded, and the driver may be gone.
static void watch_exit(void) {
    atexit(note_exit);
}

static bool is_own_driver(void) {
    char text[16] = "";
    return RT_CALL(cuDeviceGetName, text, sizeof text, 0) == CUDA_SUCCESS &&
           !strncmp(text, "kudzu ", 6);
}

// Loads what the image has for the driver. The image is a part of the program: the driver need not
// copy it.
static cudaError_t load_image(const char *function, const void *container, CUlibrary *library) {
    CUlibraryOption option = CU_LIBRARY_BINARY_IS_PRESERVED;
    void *value = (void *)1;
    if (!is_own_driver() && gpu_image_calls_device_runtime(container))
        return gpu_image_link(function, container, library);
    return rt_result(
        RT_CALL(cuLibraryLoadData, library, container, NULL, NULL, 0, &option, &value, 1));
}

static cudaError_t load(const char *function, struct rt_image *image, CUlibrary *library) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_exit);
    const struct __cudaFatBinaryWrapper *wrapper = image->wrapper;
    if (!wrapper || wrapper->magic != KUDZU_FATBIN_WRAPPER_MAGIC || !wrapper->data)
        return rt_fail(function, cudaErrorInvalidKernelImage,
                       "what was registered as a device image is none");
    pthread_mutex_lock(&image->mutex);
    *library = image->library;
    pthread_mutex_unlock(&image->mutex);
    if (*library)
        return cudaSuccess;
    // Not under the mutex: a driver may have to load libraries, and a constructor that runs under
    // the lock of the system's loader may come here, too.
    CUlibrary loaded = NULL;
    cudaError_t error = load_image(function, wrapper->data, &loaded);
    pthread_mutex_lock(&image->mutex);
    CUlibrary superfluous = image->library ? loaded : NULL; // another thread was first
    if (!image->library)
        image->library = loaded;
    *library = image->library;
    pthread_mutex_unlock(&image->mutex);
    if (superfluous)
        RT_CALL(cuLibraryUnload, superfluous);
    if (*library)
        return cudaSuccess;
    return error;
}

// Looks `entry` up; the symbol is copied, because the table may move.
static bool find(const void *key, struct rt_symbol *symbol) {
    pthread_rwlock_rdlock(&symbols_lock);
    const struct rt_symbol *found = rt_symbol_find(&symbols, key);
    if (found)
        *symbol = *found;
    pthread_rwlock_unlock(&symbols_lock);
    return found != NULL;
}

// A symbol that is not known: it may be one that there was no memory for.
static cudaError_t unknown(const char *function, cudaError_t error, const void *key,
                           const char *what) {
    if (lost)
        return rt_fail(function, cudaErrorMemoryAllocation,
                       "there was no memory to register all kernels and variables");
    return rt_fail(function, error, "%p is the address of no %s", key, what);
}

// Keeps what was found out about a kernel, when it is still registered.
static void remember(const struct rt_symbol *kernel) {
    pthread_rwlock_wrlock(&symbols_lock);
    struct rt_symbol *symbol = rt_symbol_find(&symbols, kernel->key);
    if (symbol && symbol->image == kernel->image)
        *symbol = *kernel;
    pthread_rwlock_unlock(&symbols_lock);
}

// The symbol of a kernel, with its handle.
static cudaError_t find_kernel(const char *function, const void *entry, struct rt_symbol *symbol) {
    CUlibrary library;
    if (!find(entry, symbol) ||
        (symbol->kind != RT_SYMBOL_KERNEL && symbol->kind != RT_SYMBOL_HANDLE))
        return unknown(function, cudaErrorInvalidDeviceFunction, entry, "kernel");
    if (symbol->kernel)
        return cudaSuccess;
    RT_TRY(load(function, symbol->image, &library));
    CUresult result = RT_CALL(cuLibraryGetKernel, &symbol->kernel, library, symbol->name);
    if (result == CUDA_ERROR_NOT_FOUND)
        return rt_fail(function, cudaErrorInvalidDeviceFunction,
                       "the device image has no kernel %s", symbol->name);
    if (result == CUDA_SUCCESS)
        remember(symbol);
    return rt_result(result);
}

cudaError_t rt_kernel(const char *function, const void *entry, CUkernel *kernel) {
    struct rt_symbol symbol;
    RT_TRY(find_kernel(function, entry, &symbol));
    *kernel = symbol.kernel;
    return cudaSuccess;
}

// Only of the runtime's own contexts is it known when they end, so only theirs are kept.
static cudaError_t find_function(const char *function, const void *entry, CUfunction *handle) {
    struct rt_symbol symbol;
    RT_TRY(find_kernel(function, entry, &symbol));
    if (!symbol.function || symbol.context != rt_thread.context ||
        symbol.generation != rt_thread.generation || !rt_thread.primary) {
        RT_TRY(rt_result(RT_CALL(cuKernelGetFunction, &symbol.function, symbol.kernel)));
        symbol.context = rt_thread.context;
        symbol.generation = rt_thread.generation;
        if (rt_thread.primary)
            remember(&symbol);
    }
    *handle = symbol.function;
    return cudaSuccess;
}

// Without a lock for kernels that the thread launched before.
cudaError_t rt_function(const char *function, const void *entry, CUfunction *handle) {
    struct rt_launched *slot = &rt_thread.launched[(uintptr_t)entry / 16 % RT_LAUNCHED];
    if (__builtin_expect(entry && slot->entry == entry, 1)) {
        *handle = slot->function;
        return cudaSuccess;
    }
    RT_TRY(find_function(function, entry, handle));
    if (rt_thread.primary)
        *slot = (struct rt_launched){entry, *handle};
    return cudaSuccess;
}

bool rt_kernel_name(const void *entry, char *name, size_t size) {
    struct rt_symbol symbol;
    if (!find(entry, &symbol) || symbol.kind != RT_SYMBOL_KERNEL)
        return false;
    snprintf(name, size, "%s", symbol.name);
    return true;
}

const void *rt_kernel_entry(CUfunction function) {
    const void *entry = function;
    pthread_rwlock_rdlock(&symbols_lock);
    for (size_t i = 0; i < symbols.capacity; i++)
        if (symbols.slots[i].kind == RT_SYMBOL_KERNEL && symbols.slots[i].function == function)
            entry = symbols.slots[i].key;
    pthread_rwlock_unlock(&symbols_lock);
    return entry;
}

// The managed variable at this address.
static bool find_managed(const void *key, struct rt_symbol *symbol) {
    pthread_mutex_lock(&managed_mutex);
    const struct managed *m = managed;
    while (m && !(m->context && *m->host_pointer == key))
        m = m->next;
    if (m)
        *symbol = (struct rt_symbol){
            .key = key, .kind = RT_SYMBOL_VARIABLE, .image = m->image, .name = m->name};
    pthread_mutex_unlock(&managed_mutex);
    return m != NULL;
}

cudaError_t rt_variable(const char *function, const void *key, CUdeviceptr *address, size_t *size) {
    struct rt_symbol symbol;
    CUlibrary library;
    bool known =
        find(key, &symbol) ? symbol.kind == RT_SYMBOL_VARIABLE : find_managed(key, &symbol);
    if (!known)
        return unknown(function, cudaErrorInvalidSymbol, key, "device variable");
    RT_TRY(load(function, symbol.image, &library));
    CUresult result = RT_CALL(cuLibraryGetGlobal, address, size, library, symbol.name);
    if (result == CUDA_ERROR_NOT_FOUND)
        return rt_fail(function, cudaErrorInvalidSymbol, "the device image has no variable %s",
                       symbol.name);
    return rt_result(result);
}

cudaError_t rt_texture(const char *function, const struct textureReference *key,
                       struct rt_texture *texture) {
    struct rt_symbol symbol;
    CUlibrary library;
    CUmodule module;
    if (!find(key, &symbol) || symbol.kind != RT_SYMBOL_TEXTURE)
        return unknown(function, cudaErrorInvalidTexture, key, "texture reference");
    RT_TRY(load(function, symbol.image, &library));
    RT_TRY(rt_result(RT_CALL(cuLibraryGetModule, &module, library)));
    CUresult result = RT_CALL(cuModuleGetTexRef, &texture->handle, module, symbol.name);
    if (result == CUDA_ERROR_NOT_FOUND)
        return rt_fail(function, cudaErrorInvalidTexture, "the device image has no texture %s",
                       symbol.name);
    bool here = symbol.context == rt_thread.context && symbol.generation == rt_thread.generation;
    texture->read_mode = (enum cudaTextureReadMode)symbol.read_mode;
    texture->bound = symbol.bound && here;
    texture->offset = symbol.offset;
    return rt_result(result);
}

void rt_texture_bound(const struct textureReference *key, bool bound, size_t offset) {
    pthread_rwlock_wrlock(&symbols_lock);
    struct rt_symbol *symbol = rt_symbol_find(&symbols, key);
    if (symbol && symbol->kind == RT_SYMBOL_TEXTURE) {
        symbol->bound = bound;
        symbol->offset = offset;
        symbol->context = rt_thread.context;
        symbol->generation = rt_thread.generation;
    }
    pthread_rwlock_unlock(&symbols_lock);
}

bool rt_is_reference(const void *key, bool surface) {
    struct rt_symbol symbol;
    return find(key, &symbol) && symbol.kind == (surface ? RT_SYMBOL_SURFACE : RT_SYMBOL_TEXTURE);
}

cudaError_t rt_surface(const char *function, const struct surfaceReference *key,
                       CUsurfref *handle) {
    struct rt_symbol symbol;
    CUlibrary library;
    CUmodule module;
    if (!find(key, &symbol) || symbol.kind != RT_SYMBOL_SURFACE)
        return unknown(function, cudaErrorInvalidSurface, key, "surface reference");
    RT_TRY(load(function, symbol.image, &library));
    RT_TRY(rt_result(RT_CALL(cuLibraryGetModule, &module, library)));
    CUresult result = RT_CALL(cuModuleGetSurfRef, handle, module, symbol.name);
    if (result == CUDA_ERROR_NOT_FOUND)
        return rt_fail(function, cudaErrorInvalidSurface, "the device image has no surface %s",
                       symbol.name);
    return rt_result(result);
}

cudaError_t rt_remember_kernel(const char *function, CUkernel kernel) {
    struct rt_symbol symbol = {.key = kernel, .kind = RT_SYMBOL_HANDLE, .kernel = kernel};
    pthread_rwlock_wrlock(&symbols_lock);
    bool added = rt_symbol_add(&symbols, symbol);
    pthread_rwlock_unlock(&symbols_lock);
    return added ? cudaSuccess
                 : rt_fail(function, cudaErrorMemoryAllocation, "no memory for a kernel's handle");
}

void rt_forget_kernels(const CUkernel *kernels, unsigned int count) {
    pthread_rwlock_wrlock(&symbols_lock);
    for (unsigned int i = 0; i < count; i++)
        rt_symbol_remove(&symbols, kernels[i]);
    pthread_rwlock_unlock(&symbols_lock);
    rt_generation++;
}

// Without memory the symbol stays unknown, and its use is the error.
static void add_symbol(struct rt_symbol symbol) {
    pthread_rwlock_wrlock(&symbols_lock);
    if (!rt_symbol_add(&symbols, symbol))
        lost = true;
    pthread_rwlock_unlock(&symbols_lock);
}

static cudaError_t connect(struct managed *m) {
    CUlibrary library;
    CUdeviceptr address;
    size_t size;
    RT_TRY(load("cudart", m->image, &library));
    RT_TRY(rt_result(RT_CALL(cuLibraryGetManaged, &address, &size, library, m->name)));
    *m->host_pointer = (void *)(uintptr_t)address;
    m->context = rt_thread.context;
    unconnected--;
    return cudaSuccess;
}

cudaError_t rt_connect_managed(void) {
    if (unconnectable)
        return rt_fail("cudart", cudaErrorMemoryAllocation,
                       "there was no memory to register a managed variable");
    if (!unconnected)
        return cudaSuccess;
    cudaError_t error = cudaSuccess;
    pthread_mutex_lock(&managed_mutex);
    for (struct managed *m = managed; m && error == cudaSuccess; m = m->next)
        if (!m->context)
            error = connect(m);
    pthread_mutex_unlock(&managed_mutex);
    return error;
}

void rt_disconnect_managed(CUcontext context) {
    pthread_mutex_lock(&managed_mutex);
    for (struct managed *m = managed; m; m = m->next)
        if (m->context && m->context == context) {
            m->context = NULL;
            unconnected++;
        }
    pthread_mutex_unlock(&managed_mutex);
}

// ---- Registration -----------------------------------------------------------------------------

static struct rt_image *image_of(void **handle) {
    return (struct rt_image *)handle;
}

void **__cudaRegisterFatBinary(void *wrapper) {
    struct rt_image *image = calloc(1, sizeof *image);
    if (!image) {
        lost = true;
        return NULL;
    }
    image->wrapper = wrapper;
    pthread_mutex_init(&image->mutex, NULL);
    return (void **)image;
}

// A thread that is already at work must pass through rt_enter_slow for new managed variables.
void __cudaRegisterFatBinaryEnd(void **handle) {
    (void)handle;
    if (unconnected || unconnectable)
        rt_generation++;
}

static void drop_managed_of(const struct rt_image *image) {
    pthread_mutex_lock(&managed_mutex);
    for (struct managed **at = &managed, *m; (m = *at);) {
        if (m->image != image) {
            at = &m->next;
            continue;
        }
        *at = m->next;
        unconnected -= !m->context;
        free(m);
    }
    pthread_mutex_unlock(&managed_mutex);
}

void __cudaUnregisterFatBinary(void **handle) {
    struct rt_image *image = image_of(handle);
    if (!image)
        return;
    drop_managed_of(image);
    pthread_rwlock_wrlock(&symbols_lock);
    rt_symbol_remove_image(&symbols, image);
    pthread_rwlock_unlock(&symbols_lock);
    rt_generation++; // threads forget what they launched
    if (image->library && !exiting)
        (void)RT_CALL(cuLibraryUnload, image->library);
    pthread_mutex_destroy(&image->mutex);
    free(image);
}

char __cudaInitModule(void **handle) {
    (void)handle;
    return rt_enter() == cudaSuccess && rt_connect_managed() == cudaSuccess;
}

static void add(void **handle, const void *key, enum rt_symbol_kind kind, const char *name) {
    struct rt_image *image = image_of(handle);
    if (image)
        add_symbol((struct rt_symbol){.key = key, .kind = kind, .image = image, .name = name});
}

int __cudaRegisterFunction(void **handle, const char *hostFun, char *deviceFun,
                           const char *deviceName, int thread_limit, uint3 *tid, uint3 *bid,
                           dim3 *bDim, dim3 *gDim, int *wSize) {
    (void)deviceFun, (void)thread_limit, (void)tid, (void)bid, (void)bDim, (void)gDim, (void)wSize;
    add(handle, hostFun, RT_SYMBOL_KERNEL, deviceName);
    return 0;
}

void __cudaRegisterVar(void **handle, char *hostVar, char *deviceAddress, const char *deviceName,
                       int ext, size_t size, int constant, int global) {
    (void)deviceAddress, (void)ext, (void)size, (void)constant, (void)global;
    add(handle, hostVar, RT_SYMBOL_VARIABLE, deviceName);
}

void __cudaRegisterManagedVar(void **handle, void **hostVarPtrAddress, char *deviceAddress,
                              const char *deviceName, int ext, size_t size, int constant,
                              int global) {
    (void)deviceAddress, (void)ext, (void)size, (void)constant, (void)global;
    add(handle, hostVarPtrAddress, RT_SYMBOL_VARIABLE, deviceName);
    struct managed *m = handle ? malloc(sizeof *m) : NULL;
    if (!m) {
        unconnectable = true;
        return;
    }
    pthread_mutex_lock(&managed_mutex);
    *m = (struct managed){image_of(handle), deviceName, hostVarPtrAddress, NULL, managed};
    managed = m;
    unconnected++;
    pthread_mutex_unlock(&managed_mutex);
}

void __cudaRegisterTexture(void **handle, const struct textureReference *hostVar,
                           const void **deviceAddress, const char *deviceName, int dim, int norm,
                           int ext) {
    (void)deviceAddress, (void)dim, (void)ext;
    struct rt_image *image = image_of(handle);
    if (image)
        add_symbol((struct rt_symbol){.key = hostVar,
                                      .kind = RT_SYMBOL_TEXTURE,
                                      .image = image,
                                      .name = deviceName,
                                      .read_mode = norm});
}

void __cudaRegisterSurface(void **handle, const struct surfaceReference *hostVar,
                           const void **deviceAddress, const char *deviceName, int dim, int ext) {
    (void)deviceAddress, (void)dim, (void)ext;
    add(handle, hostVar, RT_SYMBOL_SURFACE, deviceName);
}
