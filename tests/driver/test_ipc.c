// Memory that processes share through handles of 64 bytes.
#define _GNU_SOURCE
#include "check.h"

#include <stdatomic.h>
#include <time.h>

#include "processes.h"

enum { SMALL = 1000, LARGE = 5 << 20 };

struct message {
    CUipcMemHandle small, large;
};

static void fill(CUdeviceptr p, size_t bytes, unsigned value) {
    OK(cuMemsetD8(p, (unsigned char)value, bytes));
    OK(cuCtxSynchronize());
}

static int all_are(CUdeviceptr p, size_t bytes, unsigned value) {
    unsigned char *back = malloc(bytes);
    size_t i = 0;
    OK(cuMemcpyDtoH(back, p, bytes));
    while (i < bytes && back[i] == value)
        i++;
    free(back);
    return i == bytes;
}

static int other(int socket) {
    struct message m;
    CUdeviceptr small, large, again, base;
    size_t size;
    unsigned capable = 9;
    CUcontext ctx = check_context();
    receive_message(socket, &m, sizeof m);
    NEED(cuIpcOpenMemHandle(&small, m.small, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    NEED(cuIpcOpenMemHandle(&large, m.large, 0));
    OK(cuMemGetAddressRange(&base, &size, small + 1));
    CHECK(base == small && size == SMALL);
    OK(cuMemGetAddressRange(&base, &size, large + LARGE - 1));
    CHECK(base == large && size == LARGE);
    CHECK(all_are(small, SMALL, 3) && all_are(large, LARGE, 4));
    OK(cuPointerGetAttribute(&capable, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, small));
    CHECK(capable == 0);
    // What was opened is not this process's to free or to hand on.
    EXPECT(cuMemFree(small), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemFreeAsync(small, 0), CUDA_ERROR_INVALID_VALUE);
    CUipcMemHandle h;
    EXPECT(cuIpcGetMemHandle(&h, small), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuIpcOpenMemHandle(&again, m.small, 8), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuIpcOpenMemHandle(NULL, m.small, 0), CUDA_ERROR_INVALID_VALUE);
    h = m.small;
    h.reserved[0] ^= 1;
    EXPECT(cuIpcOpenMemHandle(&again, h, 0), CUDA_ERROR_INVALID_HANDLE);
    h = m.small;
    h.reserved[17] ^= 1; // another file
    EXPECT(cuIpcOpenMemHandle(&again, h, 0), CUDA_ERROR_INVALID_HANDLE);
    for (size_t i = 0; i < 64; i++) { // another place, size, allocation
        h = m.small;
        h.reserved[i] ^= 2;
        CHECK(cuIpcOpenMemHandle(&again, h, 0) != CUDA_SUCCESS);
    }
    memset(&h, 0, sizeof h);
    EXPECT(cuIpcOpenMemHandle(&again, h, 0), CUDA_ERROR_INVALID_HANDLE);
    CUipcEventHandle of_memory; // its file holds no event
    CUevent event;
    memcpy(&of_memory, &m.small, sizeof of_memory);
    EXPECT(cuIpcOpenEventHandle(&event, of_memory), CUDA_ERROR_INVALID_HANDLE);
    // A second opening counts.
    OK(cuIpcOpenMemHandle(&again, m.small, 0));
    CHECK(again == small);
    OK(cuIpcCloseMemHandle(again));
    fill(small, SMALL, 5);
    fill(large, LARGE, 6);
    tell(socket);
    await(socket); // the other side writes
    CHECK(all_are(small, SMALL, 7) && all_are(large, LARGE, 8));
    EXPECT(cuIpcCloseMemHandle(large + 4096), CUDA_ERROR_INVALID_VALUE);
    OK(cuIpcCloseMemHandle(small));
    EXPECT(cuIpcCloseMemHandle(small), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemsetD8(small, 1, 1), CUDA_ERROR_INVALID_VALUE);
    tell(socket);
    await(socket); // the other side has freed its memory
    EXPECT(cuIpcOpenMemHandle(&again, m.small, 0), CUDA_ERROR_INVALID_HANDLE);
    CHECK(all_are(large, LARGE, 8)); // still mapped here
    OK(cuCtxDestroy(ctx));           // ends what is open
    ctx = check_context();
    EXPECT(cuIpcOpenMemHandle(&again, m.large, 0), CUDA_ERROR_INVALID_HANDLE);
    OK(cuCtxDestroy(ctx));
    return check_result();
}

// A process that was not started by this one, of another session: the 64 bytes must do.
static void exporter(int socket, pid_t pid) {
    struct message m;
    CUdeviceptr small, neighbour, large, again, managed;
    void *pinned;
    unsigned capable = 9;
    NEED(cuMemAlloc(&small, SMALL));
    NEED(cuMemAlloc(&neighbour, SMALL));
    NEED(cuMemAlloc(&large, LARGE));
    fill(small, SMALL, 3);
    fill(neighbour, SMALL, 9);
    fill(large, LARGE, 4);
    OK(cuPointerGetAttribute(&capable, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, small));
    CHECK(capable == 1);
    OK(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
    OK(cuMemAllocHost(&pinned, 64));
    EXPECT(cuIpcGetMemHandle(NULL, small), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuIpcGetMemHandle(&m.small, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuIpcGetMemHandle(&m.small, managed), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuIpcGetMemHandle(&m.small, (CUdeviceptr)pinned), CUDA_ERROR_INVALID_VALUE);
    NEED(cuIpcGetMemHandle(&m.small, small));
    NEED(cuIpcGetMemHandle(&m.large, large));
    EXPECT(cuIpcOpenMemHandle(&again, m.small, 0), CUDA_ERROR_INVALID_CONTEXT);
    CHECK(all_are(small, SMALL, 3) && all_are(neighbour, SMALL, 9) && all_are(large, LARGE, 4));
    send_message(socket, &m, sizeof m, -1);
    await(socket);
    CHECK(all_are(small, SMALL, 5) && all_are(large, LARGE, 6) && all_are(neighbour, SMALL, 9));
    fill(small, SMALL, 7);
    fill(large, LARGE, 8);
    tell(socket);
    await(socket);
    OK(cuMemFree(small));
    OK(cuMemFree(large));
    tell(socket);
    CHECK(end_of_process(pid) == 0);
    CHECK(all_are(neighbour, SMALL, 9));
    OK(cuMemFree(neighbour));
}

// Memory that is exported while kernels of other threads write to it loses nothing.
static void export_under_writes(void) {
    enum { ROUNDS = 20, BYTES = 8 << 20 };
    CUstream s;
    NEED(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < ROUNDS; i++) {
        CUdeviceptr p;
        CUipcMemHandle h;
        NEED(cuMemAlloc(&p, BYTES));
        for (unsigned v = 1; v <= 4; v++)
            OK(cuMemsetD32Async(p, v, BYTES / 4, s));
        OK(cuIpcGetMemHandle(&h, p));
        OK(cuMemsetD32Async(p + BYTES / 2, 5, BYTES / 8, s));
        OK(cuStreamSynchronize(s));
        unsigned *back = malloc(BYTES);
        OK(cuMemcpyDtoH(back, p, BYTES));
        size_t bad = 0;
        for (size_t k = 0; k < BYTES / 4; k++)
            bad += back[k] != (k < BYTES / 8 ? 4u : 5u);
        CHECK(bad == 0);
        free(back);
        OK(cuMemFree(p));
    }
    OK(cuStreamDestroy(s));
}

// ---- Events ---------------------------------------------------------------------------------

struct event_message {
    CUipcEventHandle event, answer;
    CUipcMemHandle memory;
};

static atomic_int go;

static void CUDA_CB hold(void *arg) {
    (void)arg;
    while (!go)
        nanosleep(&(struct timespec){0, 100000}, NULL);
}

static int listener(int socket) {
    struct event_message m;
    CUevent event, answer, none;
    CUdeviceptr p;
    CUstream s;
    CUcontext ctx = check_context();
    NEED(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    receive_message(socket, &m, sizeof m);
    NEED(cuIpcOpenEventHandle(&event, m.event));
    NEED(cuIpcOpenEventHandle(&answer, m.answer));
    NEED(cuIpcOpenMemHandle(&p, m.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    EXPECT(cuIpcOpenEventHandle(NULL, m.event), CUDA_ERROR_INVALID_VALUE);
    m.event.reserved[2] ^= 1;
    EXPECT(cuIpcOpenEventHandle(&none, m.event), CUDA_ERROR_INVALID_HANDLE);
    // The other process has recorded it behind work that is held up.
    EXPECT(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    OK(cuStreamWaitEvent(s, event, 0));
    unsigned value = 0;
    void *pinned;
    OK(cuMemAllocHost(&pinned, 4));
    OK(cuMemcpyDtoHAsync(pinned, p, 4, s));
    EXPECT(cuStreamQuery(s), CUDA_ERROR_NOT_READY);
    tell(socket); // go on
    OK(cuStreamSynchronize(s));
    memcpy(&value, pinned, 4);
    CHECK(value == 42);
    OK(cuEventQuery(event));
    OK(cuEventSynchronize(event));
    float ms;
    EXPECT(cuEventElapsedTime(&ms, event, event), CUDA_ERROR_INVALID_HANDLE);
    // The answer, recorded here and waited for there.
    OK(cuMemsetD32Async(p, 43, 1, s));
    OK(cuEventRecord(answer, s));
    tell(socket);
    await(socket);
    OK(cuEventDestroy(event));
    OK(cuEventDestroy(answer));
    OK(cuIpcCloseMemHandle(p));
    OK(cuCtxDestroy(ctx));
    return check_result();
}

static void events(int socket, pid_t pid) {
    struct event_message m;
    CUevent event, answer, plain;
    CUdeviceptr p;
    CUstream s;
    unsigned value = 0;
    EXPECT(cuEventCreate(&event, CU_EVENT_INTERPROCESS), CUDA_ERROR_INVALID_VALUE);
    NEED(cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    NEED(cuEventCreate(&answer, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    NEED(cuEventCreate(&plain, CU_EVENT_DISABLE_TIMING));
    NEED(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    NEED(cuMemAlloc(&p, 4));
    EXPECT(cuIpcGetEventHandle(&m.event, plain), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuIpcGetEventHandle(&m.event, NULL), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuIpcGetEventHandle(NULL, event), CUDA_ERROR_INVALID_VALUE);
    NEED(cuIpcGetEventHandle(&m.event, event));
    NEED(cuIpcGetEventHandle(&m.answer, answer));
    NEED(cuIpcGetMemHandle(&m.memory, p));
    EXPECT(cuIpcOpenEventHandle(&plain, m.event), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuEventQuery(event)); // never recorded
    OK(cuMemsetD32(p, 41, 1));
    OK(cuLaunchHostFunc(s, hold, NULL));
    OK(cuMemsetD32Async(p, 42, 1, s));
    OK(cuEventRecord(event, s));
    EXPECT(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    send_message(socket, &m, sizeof m, -1);
    await(socket);
    go = 1;
    OK(cuEventSynchronize(event));
    await(socket);
    OK(cuStreamWaitEvent(s, answer, 0));
    OK(cuMemcpyDtoHAsync(&value, p, 4, s));
    OK(cuStreamSynchronize(s));
    CHECK(value == 43);
    tell(socket);
    CHECK(end_of_process(pid) == 0);
    // Many records of one event, more than it has places.
    for (int i = 0; i < 1000; i++) {
        OK(cuEventRecord(event, s));
        OK(cuStreamWaitEvent(s, event, 0));
    }
    OK(cuEventSynchronize(event));
    // Destroyed while a stream has still to come to its record.
    go = 0;
    OK(cuLaunchHostFunc(s, hold, NULL));
    OK(cuEventRecord(event, s));
    OK(cuEventDestroy(event));
    EXPECT(cuEventDestroy(event), CUDA_ERROR_INVALID_HANDLE);
    go = 1;
    OK(cuStreamSynchronize(s));
    OK(cuEventDestroy(answer));
    OK(cuEventDestroy(plain));
    OK(cuStreamDestroy(s));
    OK(cuMemFree(p));
}

int main(void) {
    pid_t pid, listener_pid;
    int socket = start_process(other, &pid);
    int to_listener = start_process(listener, &listener_pid);
    CUcontext ctx = check_context();
    exporter(socket, pid);
    events(to_listener, listener_pid);
    export_under_writes();
    OK(cuCtxDestroy(ctx));
    return check_result();
}
