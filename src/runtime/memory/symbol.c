// Device variables by name: addresses, sizes, copies (guide 6.2.2).
#include "runtime/memory/copy.h"

cudaError_t cudaGetSymbolAddress(void **devPtr, const void *symbol) {
    CUdeviceptr address;
    size_t size;
    RT_REQUIRE(devPtr, cudaErrorInvalidValue, "devPtr must not be NULL");
    RT_ENTER();
    RT_TRY(rt_variable(__func__, symbol, &address, &size));
    *devPtr = (void *)(uintptr_t)address;
    return cudaSuccess;
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol) {
    CUdeviceptr address;
    RT_REQUIRE(size, cudaErrorInvalidValue, "size must not be NULL");
    RT_ENTER();
    return rt_variable(__func__, symbol, &address, size);
}

// The place in the variable, after the range is checked.
cudaError_t rt_symbol_place(const char *function, const void *symbol, size_t count, size_t offset,
                            void **pointer) {
    CUdeviceptr address;
    size_t size;
    RT_ENTER();
    RT_TRY(rt_variable(function, symbol, &address, &size));
    if (offset > size || count > size - offset)
        return rt_fail(function, cudaErrorInvalidValue,
                       "%zu bytes at offset %zu do not fit in a variable of %zu bytes", count,
                       offset, size);
    *pointer = (void *)(uintptr_t)(address + offset);
    return cudaSuccess;
}

cudaError_t rt_symbol_direction(const char *function, enum cudaMemcpyKind kind,
                                enum cudaMemcpyKind host) {
    if (kind == host || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault)
        return cudaSuccess;
    return rt_fail(function, cudaErrorInvalidMemcpyDirection,
                   "%d is no direction of a copy %s a variable", (int)kind,
                   host == cudaMemcpyHostToDevice ? "to" : "from");
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset,
                               enum cudaMemcpyKind kind) {
    void *dst;
    RT_TRY(rt_symbol_direction(__func__, kind, cudaMemcpyHostToDevice));
    RT_TRY(rt_symbol_place(__func__, symbol, count, offset, &dst));
    return cudaMemcpy(dst, src, count, kind);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream) {
    void *dst;
    RT_TRY(rt_symbol_direction(__func__, kind, cudaMemcpyHostToDevice));
    RT_TRY(rt_symbol_place(__func__, symbol, count, offset, &dst));
    return cudaMemcpyAsync(dst, src, count, kind, stream);
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset,
                                 enum cudaMemcpyKind kind) {
    void *src;
    RT_TRY(rt_symbol_direction(__func__, kind, cudaMemcpyDeviceToHost));
    RT_TRY(rt_symbol_place(__func__, symbol, count, offset, &src));
    return cudaMemcpy(dst, src, count, kind);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream) {
    void *src;
    RT_TRY(rt_symbol_direction(__func__, kind, cudaMemcpyDeviceToHost));
    RT_TRY(rt_symbol_place(__func__, symbol, count, offset, &src));
    return cudaMemcpyAsync(dst, src, count, kind, stream);
}
