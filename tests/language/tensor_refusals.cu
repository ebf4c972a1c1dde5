// Where boxes of tensors may begin (10.29.2), as an H100 has it: an innermost coordinate that is
// not at a multiple of 16 bytes, a store to a negative coordinate, pixels that begin outside of the
// bounding box, and a store by pixels with one that reaches out of the tensor are illegal
// instructions. Each launch has a process of its own, as the error stays.
#include <initializer_list>
#include <sys/wait.h>
#include <unistd.h>

#include "tensor_boxes.h"

enum operation { LOAD, STORE, ADD };

struct box_at {
    operation what;
    bool pixels;
    int x, y, z;
};

__global__ void copy_box(const __grid_constant__ CUtensorMap map, box_at b, unsigned bytes) {
    __shared__ alignas(128) unsigned char tile[512];
    __shared__ unsigned long long bar;
    unsigned to = (unsigned)__cvta_generic_to_shared(tile);
    const CUtensorMap *m = &map;
    if (b.what == LOAD) {
        unsigned at = begin_copy(&bar, bytes);
        if (b.pixels)
            asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::"
                         "complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5], {%6};" ::"r"(to),
                         "l"(m), "r"(b.x), "r"(b.y), "r"(b.z), "r"(at), "h"((short)0)
                         : "memory");
        else
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::"
                         "complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                         "l"(m), "r"(b.x), "r"(b.y), "r"(at)
                         : "memory");
        end_copy(at);
        return;
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    if (b.pixels)
        asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group"
                     " [%0, {%1, %2, %3}], [%4];" ::"l"(m),
                     "r"(b.x), "r"(b.y), "r"(b.z), "r"(to)
                     : "memory");
    else if (b.what == STORE)
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group"
                     " [%0, {%1, %2}], [%3];" ::"l"(m),
                     "r"(b.x), "r"(b.y), "r"(to)
                     : "memory");
    else
        asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group"
                     " [%0, {%1, %2}], [%3];" ::"l"(m),
                     "r"(b.x), "r"(b.y), "r"(to)
                     : "memory");
    store_done();
}

static cudaError_t launch(const CUtensorMap &map, box_at b) {
    copy_box<<<1, 1>>>(map, b, 256);
    return cudaDeviceSynchronize();
}

// 256 bytes a box: 64 bytes of 4 rows, or 8 pixels of 32 bytes.
static bool refused(CUtensorMapDataType type, int element, int corner, box_at b) {
    unsigned wide = 64u / (unsigned)element;
    tensor t{b.pixels ? 3 : 2, element, type, {4 * wide, 8, 5}, {wide, 4, 1}};
    void *a;
    CUDA(cudaMalloc(&a, 256 * 8 * 5));
    CUtensorMap map = b.pixels ? pixels_map(t, a, corner, wide / 2, 8) : tiled_map(t, a);
    cudaError_t e = launch(map, b);
    CHECK(e == cudaSuccess || e == cudaErrorIllegalInstruction);
    return e != cudaSuccess;
}

static void expect(bool is, CUtensorMapDataType type, int element, int corner, box_at b) {
    fflush(stdout);
    pid_t child = fork();
    if (!child)
        _exit(refused(type, element, corner, b) + 2 * (failures != 0));
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    if (WEXITSTATUS(status) != is && failures++ < 20)
        printf("%s of %d bytes at %d %d %d, corner %d: %s\n",
               b.what == LOAD    ? "load"
               : b.what == STORE ? "store"
                                 : "add",
               element, b.x, b.y, b.z, corner, is ? "taken" : "refused");
}

// A map may have no address yet (10.30.3): what uses it then reaches an illegal address.
static void without_address() {
    for (operation what : {LOAD, STORE, ADD}) {
        fflush(stdout);
        pid_t child = fork();
        if (!child) {
            tensor t{2, 4, CU_TENSOR_MAP_DATA_TYPE_INT32, {64, 8, 1}, {16, 4, 1}};
            CUDA(cudaFree(0));
            CUtensorMap map = tiled_map(t, nullptr);
            CHECK(launch(map, {what, false, 0, 0, 0}) == cudaErrorIllegalAddress);
            fflush(stdout);
            _exit(failures != 0);
        }
        int status = 0;
        CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
    }
}

int main() {
    without_address();
    const CUtensorMapDataType byte = CU_TENSOR_MAP_DATA_TYPE_UINT8,
                              half = CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
                              word = CU_TENSOR_MAP_DATA_TYPE_INT32,
                              wide = CU_TENSOR_MAP_DATA_TYPE_UINT64;
    for (operation what : {LOAD, STORE}) {
        expect(true, byte, 1, 0, {what, false, 8, 1, 0});
        expect(false, byte, 1, 0, {what, false, 16, 1, 0});
        expect(true, half, 2, 0, {what, false, 4, 1, 0});
        expect(false, half, 2, 0, {what, false, 8, 1, 0});
        expect(true, wide, 8, 0, {what, false, 1, 1, 0});
        expect(false, wide, 8, 0, {what, false, 2, 1, 0});
    }
    for (operation what : {LOAD, STORE, ADD}) {
        expect(true, word, 4, 0, {what, false, 2, 0, 0});
        expect(true, word, 4, 0, {what, false, -1, 0, 0});
        expect(false, word, 4, 0, {what, false, 4, 0, 0});
        expect(what != LOAD, word, 4, 0, {what, false, -4, 0, 0});
        expect(what != LOAD, word, 4, 0, {what, false, 0, -1, 0});
        expect(false, word, 4, 0, {what, false, 60, 7, 0}); // beyond the end is no error
        expect(false, word, 4, 0, {what, false, 64, 8, 0});
    }
    expect(false, word, 4, -1, {LOAD, true, 4, -1, 0});
    expect(true, word, 4, -1, {LOAD, true, 2, 0, 0});
    expect(true, word, 4, 0, {LOAD, true, 0, -1, 0});
    expect(false, word, 4, 0, {LOAD, true, 0, 7, 0}); // the last one of the bounding box
    expect(true, word, 4, 0, {LOAD, true, 0, 8, 0});
    expect(true, word, 4, 0, {STORE, true, 0, 8, 0});
    expect(true, word, 4, -1, {STORE, true, 0, 0, 0});
    expect(false, word, 4, 0, {STORE, true, 4, 2, 3});
    expect(true, word, 4, 0, {STORE, true, 2, 0, 0});
    expect(true, word, 4, 0, {STORE, true, 0, 0, -1});
    return failures != 0;
}
