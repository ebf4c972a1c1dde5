// 30_ipc_mem_event: device memory and events shared by IPC handles between two processes.
// Guide: 6.2.11 Interprocess Communication, 6.2.8.8 Events, 6.2.8.5.3
#define TEST "30_ipc_mem_event"
#include <cuda_runtime.h>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

// Scaffolding: every check is soft (noted on stderr), one verdict line at the end.
static int g_bad;
static char g_why[512];
static void note(int line, const char *fmt, ...) {
    char b[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(b, sizeof b, fmt, ap);
    va_end(ap);
    for (char *c = b; *c; ++c) if (*c == '\n') *c = ' ';
    if (g_bad < 40) fprintf(stderr, TEST ":%d: %s\n", line, b);
    if (!g_bad++) snprintf(g_why, sizeof g_why, "line %d: %s", line, b);
}
static int finish() {
    if (g_bad) printf("FAIL " TEST ": %s\n", g_why);
    else printf("PASS " TEST "\n");
    fflush(stdout);
    return g_bad ? 1 : 0;
}
#define CHECK(c) do { if (!(c)) note(__LINE__, "not true: %s", #c); } while (0)
#define CHECKF(c, ...) do { if (!(c)) note(__LINE__, __VA_ARGS__); } while (0)
#define WANT(code, call) do { cudaError_t w_ = (code), e_ = (call); if (e_ != w_) \
    note(__LINE__, "%s gave %s, want %s", #call, cudaGetErrorName(e_), cudaGetErrorName(w_)); } while (0)
#define OK(call) WANT(cudaSuccess, call)
// Expected error: checks the code and clears the thread's error variable.
#define ERR(code, call) do { WANT(code, call); (void)cudaGetLastError(); } while (0)
// Some error, the code is not promised.
#define ANYERR(call) do { cudaError_t e_ = (call); if (e_ == cudaSuccess) \
    note(__LINE__, "%s succeeded, want an error", #call); (void)cudaGetLastError(); } while (0)
#define MUST(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { \
    note(__LINE__, "%s gave %s", #call, cudaGetErrorName(e_)); exit(finish()); } } while (0)
#define SKIP(why) do { printf("skipped: %s\n", why); return finish(); } while (0)
// Load kernels ahead of time (guide 25.3.2), so that no first launch has to load code while a stream is held.
template <class... K> static inline void preload(K... k) {
    cudaFuncAttributes a;
    for (cudaError_t e : {cudaFuncGetAttributes(&a, k)...}) OK(e);
}
#include <atomic>
#include <csignal>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void fill(int *p, int n, int v) { for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = v + i; }
__global__ void addTo(int *p, int n, int v) { for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] += v; }
__global__ void check(const int *p, int n, int v, int *bad) { for (int i = threadIdx.x; i < n; i += blockDim.x) if (p[i] != v + i) atomicAdd(bad, 1); }

static const int N = 1 << 19;  // two megabytes, as the guide recommends for sharing
struct Msg { cudaIpcMemHandle_t mem; cudaIpcEventHandle_t ready, done; };
struct Gate {
    std::atomic<int> open{0};
    static void CUDART_CB wait(void *p) { for (int i = 0; i < 5000 && !((Gate *)p)->open; ++i) usleep(1000); }
};
static bool get(int s, void *p, size_t n) { return recv(s, p, n, MSG_WAITALL) == (ssize_t)n; }
static bool put(int s, const void *p, size_t n) { return send(s, p, n, MSG_NOSIGNAL) == (ssize_t)n; }
static int badCount(const int *p, int v, cudaStream_t s) {
    int *bad, h = -1;
    MUST(cudaMalloc(&bad, 4));
    OK(cudaMemsetAsync(bad, 0, 4, s));
    check<<<1, 256, 0, s>>>(p, N, v, bad);
    OK(cudaMemcpyAsync(&h, bad, 4, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaFree(bad));
    return h;
}

static int other(int sock) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    timeval tv = {15, 0};
    setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv);
    Msg m;
    char c = 0;
    if (!get(sock, &m, sizeof m)) return 0;  // the parent skips
    preload(fill, addTo, check);
    int *p = nullptr, *again = nullptr;
    cudaEvent_t ready, done;
    cudaStream_t s;
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaIpcOpenMemHandle((void **)&p, m.mem, cudaIpcMemLazyEnablePeerAccess));
    OK(cudaIpcOpenMemHandle((void **)&again, m.mem, cudaIpcMemLazyEnablePeerAccess));  // counted; the same pointer
    CHECK(again == p);
    OK(cudaIpcCloseMemHandle(again));
    MUST(cudaIpcOpenEventHandle(&ready, m.ready));
    MUST(cudaIpcOpenEventHandle(&done, m.done));
    CHECK(put(sock, &c, 1));                 // opened
    CHECK(get(sock, &c, 1));                 // the parent has recorded "ready", its stream is held
    WANT(cudaErrorNotReady, cudaEventQuery(ready));
    OK(cudaStreamWaitEvent(s, ready, 0));
    addTo<<<1, 256, 0, s>>>(p, N, 1000000);  // stands behind the other process's fill
    OK(cudaEventRecord(done, s));
    WANT(cudaErrorNotReady, cudaStreamQuery(s));
    CHECK(put(sock, &c, 1));                 // now the parent may go on
    OK(cudaEventSynchronize(ready));
    OK(cudaStreamSynchronize(s));
    int b = badCount(p, 1000500, s);
    CHECKF(b == 0, "second process saw %d wrong values", b);
    CHECK(put(sock, &c, 1));                 // has looked: the parent may change them
    cudaPointerAttributes a;
    OK(cudaPointerGetAttributes(&a, p + 100));
    CHECK(a.type == cudaMemoryTypeDevice && a.device == 0);
    CHECK(get(sock, &c, 1));                 // the parent has looked and changed
    b = badCount(p, 2000500, s);
    CHECKF(b == 0, "second process saw %d wrong values at the end", b);
    OK(cudaIpcCloseMemHandle(p));
    OK(cudaEventDestroy(ready));
    OK(cudaEventDestroy(done));
    ANYERR(cudaIpcCloseMemHandle(p));        // closed already
    c = (char)(g_bad != 0);
    put(sock, &c, 1);
    return g_bad ? 1 : 0;
}

int main(int argc, char **argv) {
    if (argc > 1) return other(atoi(argv[1]));
    int sv[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sv)) { note(__LINE__, "socketpair"); return finish(); }
    pid_t pid = fork();  // before any CUDA call
    if (pid == 0) {
        close(sv[0]);
        char b[16];
        snprintf(b, sizeof b, "%d", sv[1]);
        execl("/proc/self/exe", "other", b, (char *)nullptr);
        _exit(97);
    }
    close(sv[1]);
    int sock = sv[0], sup = 0;
    timeval tv = {15, 0};
    setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv);
    MUST(cudaDeviceGetAttribute(&sup, cudaDevAttrIpcEventSupport, 0));
    if (!sup) {
        close(sock);
        waitpid(pid, nullptr, 0);
        SKIP("no IPC on this device");
    }
    preload(fill, addTo, check);
    int *p;
    cudaStream_t s;
    Msg m;
    MUST(cudaMalloc(&p, N * sizeof(int)));
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    cudaEvent_t ready, done, wrong;
    MUST(cudaEventCreateWithFlags(&ready, cudaEventInterprocess | cudaEventDisableTiming));
    MUST(cudaEventCreateWithFlags(&done, cudaEventInterprocess | cudaEventDisableTiming));
    MUST(cudaEventCreateWithFlags(&wrong, cudaEventDisableTiming));
    cudaIpcEventHandle_t eh;
    cudaIpcMemHandle_t mh;
    ANYERR(cudaIpcGetEventHandle(&eh, wrong));          // not an interprocess event
    int onHost = 0, managed = 0;
    ANYERR(cudaIpcGetMemHandle(&mh, &onHost));          // not device memory
    OK(cudaDeviceGetAttribute(&managed, cudaDevAttrManagedMemory, 0));
    if (managed) {
        int *mm;
        MUST(cudaMallocManaged(&mm, 4096));
        ANYERR(cudaIpcGetMemHandle(&mh, mm));           // not supported for managed memory
        OK(cudaFree(mm));
    }
    MUST(cudaIpcGetMemHandle(&m.mem, p));
    OK(cudaIpcGetMemHandle(&mh, p));                    // as often as one likes
    MUST(cudaIpcGetEventHandle(&m.ready, ready));
    MUST(cudaIpcGetEventHandle(&m.done, done));
    CHECK(put(sock, &m, sizeof m));
    char c = 9;
    CHECK(get(sock, &c, 1));
    Gate g;
    OK(cudaLaunchHostFunc(s, Gate::wait, &g));
    fill<<<1, 256, 0, s>>>(p, N, 500);
    OK(cudaEventRecord(ready, s));
    CHECK(put(sock, &c, 1));
    CHECK(get(sock, &c, 1));                            // the other side waits on the event
    OK(cudaStreamWaitEvent(s, done, 0));                // and recorded this one behind its own work
    WANT(cudaErrorNotReady, cudaEventQuery(done));
    g.open = 1;
    OK(cudaStreamSynchronize(s));
    OK(cudaEventQuery(done));
    int b = badCount(p, 1000500, s);
    CHECKF(b == 0, "first process saw %d wrong values", b);
    CHECK(get(sock, &c, 1));                            // the other side has looked, too
    addTo<<<1, 256, 0, s>>>(p, N, 1000000);
    OK(cudaStreamSynchronize(s));
    CHECK(put(sock, &c, 1));
    c = 99;
    CHECKF(get(sock, &c, 1) && c == 0, "second process reported %d", c);
    int st = 0;
    waitpid(pid, &st, 0);
    CHECKF(WIFEXITED(st) && WEXITSTATUS(st) == 0, "second process ended with status %x", st);
    OK(cudaFree(p));
    OK(cudaEventDestroy(ready));
    OK(cudaEventDestroy(done));
    return finish();
}
