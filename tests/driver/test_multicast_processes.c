// Multicast objects between processes (guide 14.9): two processes, each of which controls one
// device of a team, reach both devices' memory by multimem instructions, with descriptors and
// fabric handles.
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { PAGE = 2 << 20, WORDS = 32 };

static const char ptx[] =
    ".version 8.5\n.target sm_90\n.address_size 64\n"
    ".visible .entry work(.param .u64 at, .param .u64 out, .param .u32 add)\n{\n"
    "    .reg .b32 %r<8>;\n    .reg .b64 %a, %o, %rd<4>;\n    .reg .pred %p;\n"
    "    ld.param.u64 %a, [at];\n    ld.param.u64 %o, [out];\n    ld.param.u32 %r3, [add];\n"
    "    mov.u32 %r1, %tid.x;\n    mul.wide.u32 %rd1, %r1, 4;\n"
    "    add.u64 %a, %a, %rd1;\n    add.u64 %o, %o, %rd1;\n"
    "    multimem.ld_reduce.relaxed.sys.global.add.s32 %r2, [%a];\n"
    "    st.global.b32 [%o], %r2;\n"
    "    setp.eq.u32 %p, %r3, 0;\n    @%p ret;\n"
    "    multimem.red.relaxed.sys.global.add.u32 [%a], %r3;\n"
    "    ret;\n}\n";

static int other; // the socket to the other process

// Both processes have come here.
static void meet(void) {
    char c = 0;
    CHECK(write(other, &c, 1) == 1 && read(other, &c, 1) == 1);
}

static void send_descriptor(int fd) {
    char byte = 0, space[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec v = {&byte, 1};
    struct msghdr m = {
        .msg_iov = &v, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
    CHECK(sendmsg(other, &m, 0) == 1);
}

static int take_descriptor(void) {
    int fd = -1;
    char byte, space[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec v = {&byte, 1};
    struct msghdr m = {
        .msg_iov = &v, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
    CHECK(recvmsg(other, &m, 0) == 1);
    if (CMSG_FIRSTHDR(&m))
        memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fd);
    return fd;
}

static CUdeviceptr mapped(CUmemGenericAllocationHandle h, int device) {
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, device},
                              CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUdeviceptr p;
    NEED(cuMemAddressReserve(&p, PAGE, 0, 0, 0));
    NEED(cuMemMap(p, PAGE, 0, h, 0));
    NEED(cuMemSetAccess(p, PAGE, &access, 1));
    return p;
}

static void unmapped(CUdeviceptr p) {
    OK(cuMemUnmap(p, PAGE));
    OK(cuMemAddressFree(p, PAGE));
}

// The object, made by the first process.
static CUmemGenericAllocationHandle object(bool first, CUmemAllocationHandleType type) {
    CUmulticastObjectProp prop = {.numDevices = 2, .size = PAGE, .handleTypes = type};
    CUmemGenericAllocationHandle mc;
    CUmemFabricHandle fabric;
    int fd;
    if (first) {
        NEED(cuMulticastCreate(&mc, &prop));
        EXPECT(cuMemExportToShareableHandle(&fabric, mc,
                                            type == CU_MEM_HANDLE_TYPE_FABRIC
                                                ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
                                                : CU_MEM_HANDLE_TYPE_FABRIC,
                                            0),
               CUDA_ERROR_INVALID_VALUE);
    }
    if (type == CU_MEM_HANDLE_TYPE_FABRIC) {
        if (first) {
            NEED(cuMemExportToShareableHandle(&fabric, mc, type, 0));
            CHECK(write(other, &fabric, sizeof fabric) == sizeof fabric);
            meet();
            return mc;
        }
        CHECK(read(other, &fabric, sizeof fabric) == sizeof fabric);
        NEED(cuMemImportFromShareableHandle(&mc, &fabric, type));
        fabric.data[20] ^= 1;
        CUmemGenericAllocationHandle none;
        EXPECT(cuMemImportFromShareableHandle(&none, &fabric, type), CUDA_ERROR_INVALID_VALUE);
        meet();
        return mc;
    }
    if (first) {
        NEED(cuMemExportToShareableHandle(&fd, mc, type, 0));
        send_descriptor(fd);
    } else {
        fd = take_descriptor();
        NEED(cuMemImportFromShareableHandle(&mc, (void *)(uintptr_t)fd, type));
    }
    close(fd);
    return mc;
}

static CUfunction kernel;
static CUdeviceptr out;

static CUresult work(CUdeviceptr at, uint32_t add, int32_t got[WORDS]) {
    void *params[] = {&at, &out, &add};
    OK(cuLaunchKernel(kernel, 1, 1, 1, WORDS, 1, 1, 0, 0, params, NULL));
    CUresult result = cuCtxSynchronize();
    if (result == CUDA_SUCCESS)
        OK(cuMemcpyDtoH(got, out, WORDS * 4));
    return result;
}

static void team(bool first, CUmemAllocationHandleType type) {
    int device = first ? 0 : 1;
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .location = {CU_MEM_LOCATION_TYPE_DEVICE, device}};
    CUmemGenericAllocationHandle mc = object(first, type), memory;
    int32_t word[WORDS], got[WORDS];
    OK(cuMulticastAddDevice(mc, device));
    NEED(cuMemCreate(&memory, PAGE, &prop, 0));
    // Waits for the other process's device.
    OK(cuMulticastBindMem(mc, 0, memory, 0, PAGE, 0));
    EXPECT(cuMulticastAddDevice(mc, !device), CUDA_ERROR_INVALID_VALUE);
    CUdeviceptr own = mapped(memory, device), all = mapped(mc, device);
    for (int i = 0; i < WORDS; i++)
        word[i] = first ? i : 1000 * i + 5;
    OK(cuMemcpyHtoD(own, word, sizeof word));
    meet();
    OK(work(all, 0, got));
    for (int i = 0; i < WORDS; i++)
        CHECK(got[i] == 1001 * i + 5);
    meet();
    if (first) // to both
        OK(work(all, 7, got));
    meet();
    OK(cuMemcpyDtoH(got, own, sizeof got));
    for (int i = 0; i < WORDS; i++)
        CHECK(got[i] == word[i] + 7);
    // The second unbinds its memory and binds other memory.
    meet();
    CUmemGenericAllocationHandle more;
    if (!first) {
        NEED(cuMemCreate(&more, 2 * PAGE, &prop, 0));
        OK(cuMulticastUnbind(mc, device, 0, PAGE));
        EXPECT(cuMulticastUnbind(mc, 0, 0, PAGE), CUDA_ERROR_INVALID_VALUE);
    }
    meet();
    OK(work(all, 0, got)); // of what is left
    for (int i = 0; i < WORDS; i++)
        CHECK(got[i] == i + 7);
    meet();
    if (!first) {
        OK(cuMulticastBindMem(mc, 0, more, PAGE, PAGE, 0));
        OK(cuMemRelease(more));
        EXPECT(cuMulticastBindMem(mc, 0, memory, 0, PAGE, 0), CUDA_ERROR_INVALID_VALUE);
    }
    meet();
    OK(work(all, 0, got)); // new memory is zero
    for (int i = 0; i < WORDS; i++)
        CHECK(got[i] == i + 7);
    meet();
    unmapped(all);
    unmapped(own);
    OK(cuMemRelease(mc));
    OK(cuMemRelease(memory));
    meet();
}

// The other process has ended, and its memory with it.
static void alone(bool first) {
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .location = {CU_MEM_LOCATION_TYPE_DEVICE, first ? 0 : 1}};
    CUmemGenericAllocationHandle mc = object(first, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
                                 memory;
    int32_t got[WORDS];
    OK(cuMulticastAddDevice(mc, first ? 0 : 1));
    NEED(cuMemCreate(&memory, PAGE, &prop, 0));
    OK(cuMulticastBindMem(mc, 0, memory, 0, PAGE, 0));
    meet();
    if (!first)
        return;
    char c;
    CHECK(read(other, &c, 1) == 0);
    CUdeviceptr all = mapped(mc, 0);
    OK(work(all, 3, got));
    OK(work(all, 0, got));
    for (int i = 0; i < WORDS; i++)
        CHECK(got[i] == 3 || got[i] == 6); // 6: its memory was mapped before it ended
    OK(cuMulticastUnbind(mc, 0, 0, PAGE));
    unmapped(all);
    OK(cuMemRelease(mc));
    OK(cuMemRelease(memory));
}

static int run(bool first) {
    CUcontext ctx;
    CUmodule module;
    setenv("KUDZU_DEVICES", "2", 1);
    NEED(cuInit(0));
    NEED(cuCtxCreate(&ctx, 0, first ? 0 : 1));
    NEED(cuModuleLoadData(&module, ptx));
    NEED(cuModuleGetFunction(&kernel, module, "work"));
    NEED(cuMemAlloc(&out, WORDS * 4));
    team(first, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    team(first, CU_MEM_HANDLE_TYPE_FABRIC);
    alone(first);
    OK(cuCtxDestroy(ctx));
    return check_result();
}

int main(void) {
    int ends[2], status = -1;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        return 1;
    pid_t child = fork();
    other = ends[child == 0];
    close(ends[child != 0]);
    if (child == 0)
        return run(false);
    int result = run(true);
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    return result | check_result();
}
