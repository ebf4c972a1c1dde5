// The environment variables of the guide's chapter 22 that change what a program sees. Each case
// runs in a process of its own, as the variables are read when the library starts.
#include "check.h"
#include "kernels.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

// Runs body(argument) in a child with name=value set. Its result, or -1.
static int in_child(const char *name, const char *value, int (*body)(const char *),
                    const char *argument) {
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setenv(name, value, 1);
        _exit(body(argument));
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static CUresult trap_once(CUcontext *ctx) {
    CUmodule m;
    CUfunction f;
    *ctx = check_context();
    NEED(cuModuleLoadData(&m, PTX_HEAD PTX_TRAP));
    NEED(cuModuleGetFunction(&f, m, "trap_now"));
    return cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, NULL, NULL);
}

// 1: the launch itself reports the kernel's error.
static int blocking_launch(const char *unused) {
    CUcontext ctx;
    return trap_once(&ctx) == CUDA_ERROR_LAUNCH_FAILED;
}

static int blocking_graph(const char *unused) {
    CUcontext ctx = check_context();
    CUmodule m;
    CUfunction f;
    CUgraph g;
    CUgraphExec e;
    CUgraphNode n;
    NEED(cuModuleLoadData(&m, PTX_HEAD PTX_TRAP));
    NEED(cuModuleGetFunction(&f, m, "trap_now"));
    CUDA_KERNEL_NODE_PARAMS p = {.func = f,
                                 .gridDimX = 1,
                                 .gridDimY = 1,
                                 .gridDimZ = 1,
                                 .blockDimX = 1,
                                 .blockDimY = 1,
                                 .blockDimZ = 1};
    NEED(cuGraphCreate(&g, 0));
    NEED(cuGraphAddKernelNode(&n, g, NULL, 0, &p));
    NEED(cuGraphInstantiate(&e, g, 0));
    freopen("/dev/null", "w", stderr);
    (void)ctx;
    return cuGraphLaunch(e, NULL) == CUDA_ERROR_LAUNCH_FAILED;
}

static int faulting(const char *unused) {
    CUcontext ctx;
    freopen("/dev/null", "w", stderr);
    return trap_once(&ctx) == CUDA_SUCCESS && cuCtxSynchronize() == CUDA_ERROR_LAUNCH_FAILED ? 7
                                                                                             : 8;
}

// The process stops at the fault, and goes on when it is let.
static void waits_on_exception(void) {
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setenv("CUDA_DEVICE_WAITS_ON_EXCEPTION", "1", 1);
        _exit(faulting(NULL));
    }
    waitpid(child, &status, WUNTRACED);
    CHECK(WIFSTOPPED(status));
    kill(child, SIGCONT);
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    CHECK(in_child("CUDA_DEVICE_WAITS_ON_EXCEPTION", "0", faulting, NULL) == 7);
}

static void uuid_text(CUdevice device, char text[48]) {
    CUuuid u;
    OK(cuDeviceGetUuid(&u, device));
    char *at = text + sprintf(text, "GPU-");
    for (int i = 0; i < 16; i++)
        at += sprintf(at, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
                      (unsigned char)u.bytes[i]);
}

// Exits with 1 + the number of the only device, told by its PCI address; 0: no device.
static int only_device(const char *unused) {
    char bus[16];
    int n;
    unsigned device;
    if (cuInit(0) != CUDA_SUCCESS)
        return 0;
    OK(cuDeviceGetCount(&n));
    OK(cuDeviceGetPCIBusId(bus, sizeof bus, 0));
    return n == 1 && sscanf(bus, "0000:00:%x.0", &device) == 1 ? 1 + (int)device : 99;
}

static int print_uuids(const char *path) {
    FILE *f = fopen(path, "w");
    char text[48];
    NEED(cuInit(0));
    for (int i = 0; i < 3; i++) {
        uuid_text(i, text);
        fprintf(f, "%s\n", text);
    }
    return fclose(f);
}

static void devices_by_uuid(void) {
    char path[] = "/tmp/kudzu-uuids-XXXXXX", uuid[3][48];
    int fd = mkstemp(path);
    CHECK(in_child("CUDA_DEVICE_ORDER", "PCI_BUS_ID", print_uuids, path) == 0);
    FILE *f = fdopen(fd, "r");
    for (int i = 0; i < 3; i++)
        CHECK(fscanf(f, "%47s", uuid[i]) == 1);
    fclose(f);
    unlink(path);
    CHECK(in_child("CUDA_VISIBLE_DEVICES", uuid[2], only_device, NULL) == 3);
    CHECK(in_child("CUDA_VISIBLE_DEVICES", "1", only_device, NULL) == 2);
    uuid[1][strlen(uuid[1]) - 1] ^= 1; // no device's
    CHECK(in_child("CUDA_VISIBLE_DEVICES", uuid[1], only_device, NULL) != 2);
    // An abbreviation is good where one device alone begins so.
    int first = 0;
    while (uuid[0][first] == uuid[1][first] || uuid[0][first] == uuid[2][first])
        first++;
    uuid[0][first + 1] = '\0';
    CHECK(in_child("CUDA_VISIBLE_DEVICES", uuid[0], only_device, NULL) == 1);
    uuid[0][4] = '\0'; // "GPU-" is the beginning of all
    CHECK(in_child("CUDA_VISIBLE_DEVICES", uuid[0], only_device, NULL) == 0);
}

static int loading_mode(const char *unused) {
    CUmoduleLoadingMode mode;
    NEED(cuInit(0));
    OK(cuModuleGetLoadingMode(&mode));
    return mode;
}

static int compiler_loaded(const char *unused) {
    char line[512];
    int found = 0;
    NEED(cuInit(0));
    FILE *f = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, f))
        found |= strstr(line, "libkudzu-jit") != NULL;
    fclose(f);
    return found;
}

// Whether a graph that was instantiated with these flags keeps its nodes' priorities.
static int node_priorities(const char *flags) {
    CUgraph g;
    CUgraphExec e;
    cuuint64_t kept;
    check_context();
    NEED(cuGraphCreate(&g, 0));
    NEED(cuGraphInstantiate(&e, g, (unsigned long long)atoi(flags)));
    NEED(cuGraphExecGetFlags(e, &kept));
    return kept == CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY ? 1 : kept == 0 ? 0 : 2;
}

static void priorities_of_nodes(void) {
    char with[8];
    snprintf(with, sizeof with, "%d", CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY);
    const char *name = "CUDA_GRAPHS_USE_NODE_PRIORITY";
    CHECK(in_child(name, "1", node_priorities, "0") == 1);
    CHECK(in_child(name, "1", node_priorities, with) == 1);
    CHECK(in_child(name, "0", node_priorities, "0") == 0);
    CHECK(in_child(name, "0", node_priorities, with) == 0);
    CHECK(in_child("OTHER", "", node_priorities, "0") == 0);
    CHECK(in_child("OTHER", "", node_priorities, with) == 1);
}

// 1: PTX loads. 2: nothing is compiled.
static int ptx_loads(const char *unused) {
    CUmodule m;
    check_context();
    CUresult result = cuModuleLoadData(&m, PTX_HEAD PTX_NOTHING);
    return result == CUDA_SUCCESS ? 1 : result == CUDA_ERROR_NO_BINARY_FOR_GPU ? 2 : 3;
}

static int ptx_loads_after_all(const char *unused) {
    setenv("CUDA_DISABLE_PTX_JIT", "0", 1); // comes before the general one
    return ptx_loads(unused);
}

// What has no meaning here is taken, and changes nothing.
static void without_effect(void) {
    static const char *names[][2] = {
        {"CUDA_MANAGED_FORCE_DEVICE_ALLOC", "1"},
        {"CUDA_DEVICE_MAX_CONNECTIONS", "1"},
        {"CUDA_DEVICE_MAX_COPY_CONNECTIONS", "1"},
        {"CUDA_SCALE_LAUNCH_QUEUES", "0.25x"},
        {"CUDA_AUTO_BOOST", "0"},
        {"CUDA_DEVICE_DEFAULT_PERSISTENT_L2_CACHE_PERCENTAGE", "50"},
        {"CUDA_DEVICE_DEFAULT_PERSISTING_L2_CACHE_PERCENTAGE_LIMIT", "50"},
        {"CUDA_MODULE_DATA_LOADING", "LAZY"},
        {"CUDA_DEVICE_ORDER", "PCI_BUS_ID"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        CHECK(in_child(names[i][0], names[i][1], ptx_loads, NULL) == 1);
}

int main(void) {
    setenv("KUDZU_DEVICES", "3", 1);
    priorities_of_nodes();
    CHECK(in_child("CUDA_DISABLE_JIT", "1", ptx_loads, NULL) == 2);
    CHECK(in_child("CUDA_DISABLE_PTX_JIT", "1", ptx_loads, NULL) == 2);
    CHECK(in_child("CUDA_DISABLE_JIT", "1", ptx_loads_after_all, NULL) == 1);
    CHECK(in_child("CUDA_DISABLE_JIT", "0", ptx_loads, NULL) == 1);
    without_effect();
    CHECK(in_child("CUDA_LAUNCH_BLOCKING", "1", blocking_launch, NULL) == 1);
    CHECK(in_child("CUDA_LAUNCH_BLOCKING", "0", blocking_launch, NULL) == 0);
    CHECK(in_child("CUDA_LAUNCH_BLOCKING", "1", blocking_graph, NULL) == 1);
    CHECK(in_child("CUDA_LAUNCH_BLOCKING", "0", blocking_graph, NULL) == 0);
    waits_on_exception();
    devices_by_uuid();
    CHECK(in_child("CUDA_MODULE_LOADING", "EAGER", loading_mode, NULL) == CU_MODULE_EAGER_LOADING);
    CHECK(in_child("CUDA_MODULE_LOADING", "LAZY", loading_mode, NULL) == CU_MODULE_LAZY_LOADING);
    CHECK(in_child("CUDA_MODULE_LOADING", "DEFAULT", loading_mode, NULL) == CU_MODULE_LAZY_LOADING);
    CHECK(in_child("CUDA_FORCE_PRELOAD_LIBRARIES", "1", compiler_loaded, NULL) == 1);
    CHECK(in_child("CUDA_FORCE_PRELOAD_LIBRARIES", "0", compiler_loaded, NULL) == 0);
    return check_result();
}
