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

int main(void) {
    setenv("KUDZU_DEVICES", "3", 1);
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
