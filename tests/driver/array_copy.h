// Whole CUDA arrays to and from memory without gaps, by a copy of three dimensions: those of one
// take the first row alone.
#ifndef KUDZU_TESTS_DRIVER_ARRAY_COPY_H
#define KUDZU_TESTS_DRIVER_ARRAY_COPY_H

#include <cuda.h>

// row: bytes of a row; rows: of texels, or of blocks where they lie in blocks; slices: of the
// depth, layers or faces.
static inline CUDA_MEMCPY3D array_box(CUarray a, const void *memory, size_t row, size_t rows,
                                      size_t slices) {
    return (CUDA_MEMCPY3D){.srcHost = memory,
                           .dstHost = (void *)memory,
                           .srcArray = a,
                           .dstArray = a,
                           .srcPitch = row,
                           .dstPitch = row,
                           .srcHeight = rows,
                           .dstHeight = rows,
                           .WidthInBytes = row,
                           .Height = rows,
                           .Depth = slices};
}

static inline CUresult array_write(CUarray a, const void *from, size_t row, size_t rows,
                                   size_t slices) {
    CUDA_MEMCPY3D c = array_box(a, from, row, rows, slices);
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    return cuMemcpy3D(&c);
}

static inline CUresult array_read(void *to, CUarray a, size_t row, size_t rows, size_t slices) {
    CUDA_MEMCPY3D c = array_box(a, to, row, rows, slices);
    c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    c.dstMemoryType = CU_MEMORYTYPE_HOST;
    return cuMemcpy3D(&c);
}

#endif
