// Whatever the system refuses to NVRTC: each of its allocations in turn gives
// NVRTC_ERROR_OUT_OF_MEMORY, and nothing is left of it, neither memory nor open files.
#include <dirent.h>
#include <nvrtc.h>

#include "load/refuse.h"

static int failures;
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

static int open_files(void) {
    DIR *d = opendir("/proc/self/fd");
    int n = 0;
    while (d && readdir(d))
        n++;
    closedir(d);
    return n;
}

static const char source[] = "#include \"add.h\"\n"
                             "template <typename T> __global__ void f(T *p) { *p = add(*p, 1); }\n";
static const char header[] = "template <typename T> __device__ T add(T a, T b) { return a + b; }\n";

// 0: it went well, 1: memory ran out, -1: it was wrong.
static int compile(nvrtcProgram p) {
    static const char *const options[] = {"-arch=sm_90", "-DX=1", "-lineinfo"};
    const char *name;
    size_t size = 0;
    nvrtcResult r = nvrtcAddNameExpression(p, "f<int>");
    if (r == NVRTC_SUCCESS)
        r = nvrtcCompileProgram(p, 3, options);
    if (r == NVRTC_SUCCESS)
        r = nvrtcGetLoweredName(p, "f<int>", &name);
    if (r == NVRTC_SUCCESS)
        r = nvrtcGetPTXSize(p, &size);
    if (r == NVRTC_ERROR_OUT_OF_MEMORY) {
        CHECK(nvrtcGetProgramLogSize(p, &size) == NVRTC_SUCCESS); // the program is still one
        return 1;
    }
    if (r != NVRTC_SUCCESS || strcmp(name, "_Z1fIiEvPT_") || size < 100)
        fprintf(stderr, "%s where %s was refused\n", nvrtcGetErrorString(r), what);
    return r == NVRTC_SUCCESS ? 0 : -1;
}

static int whole(void) {
    static const char *const texts[] = {header}, *const names[] = {"add.h"};
    nvrtcProgram p = NULL;
    nvrtcResult r = nvrtcCreateProgram(&p, source, "f.cu", 1, texts, names);
    int result = r == NVRTC_SUCCESS ? compile(p) : r == NVRTC_ERROR_OUT_OF_MEMORY ? 1 : -1;
    atomic_store(&countdown, -1);
    CHECK(!p || nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
    return result;
}

static int scenario(int n, int unused) {
    (void)unused;
    alarm(200);
    long before = atomic_load(&live);
    int files = open_files();
    atomic_store(&countdown, n);
    int result = whole();
    if (result < 0 || (result == 1 && !refused))
        return 1;
    if (!refused)
        return 2;
    CHECK(atomic_load(&live) == before);
    if (open_files() != files) {
        fprintf(stderr, "call %d, %s: %d open files more\n", n, what, open_files() - files);
        failures++;
    }
    return failures != 0;
}

int main(void) {
    refuse_calls_of("libnvrtc.so");
    CHECK(in_child(scenario, 1 << 30, 0) == 2);
    all_calls("a compilation", scenario, 0, 8);
    CHECK(!refuse_failures);
    return failures != 0;
}
