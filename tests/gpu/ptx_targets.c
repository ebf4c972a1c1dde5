// ptx_targets: which PTX a driver loads, by .version and .target, and how it refuses the rest.
//
// Usage: ptx_targets libcuda.so.1
// Prints a line a case: RESULT of cuModuleLoadDataEx, and the first line of the JIT's log.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int call_any();

static call_any *load, *unload, *link_create, *link_add, *link_complete, *link_destroy,
    *get_attribute;

enum { ERROR_LOG = 5, ERROR_LOG_BYTES = 6, PTX = 1, LOG_BYTES = 4096 };

static const char *const versions[] = {"1.0", "1.4", "2.0", "3.0", "4.3", "6.0", "6.3",
                                       "7.0", "7.8", "8.0", "8.5", "8.6", "8.7", "8.8",
                                       "9.0", "9.1", "9.2", "9.3", "9.9", "10.0"};
static const char *const targets[] = {
    "sm_10",   "sm_13",   "sm_20",   "sm_30",   "sm_50",        "sm_52",      "sm_60",   "sm_61",
    "sm_70",   "sm_72",   "sm_73",   "sm_75",   "sm_80",        "sm_80a",     "sm_82",   "sm_86",
    "sm_87",   "sm_88",   "sm_89",   "sm_89a",  "sm_90",        "sm_90a",     "sm_90f",  "sm_91",
    "sm_95",   "sm_100",  "sm_100a", "sm_100f", "sm_101",       "sm_101a",    "sm_103",  "sm_103a",
    "sm_103f", "sm_110",  "sm_110a", "sm_110f", "sm_120",       "sm_120a",    "sm_120f", "sm_121",
    "sm_121a", "sm_121f", "sm_130",  "sm_999",  "sm_90, debug", "compute_90", "sm_9",    "sm_090"};

static char log_text[LOG_BYTES];

static const char *first_line(void) {
    log_text[LOG_BYTES - 1] = 0;
    for (char *p = log_text; *p; p++)
        if (*p == '\n')
            *p = '|';
    return log_text;
}

static int load_text(const void *text) {
    int options[] = {ERROR_LOG, ERROR_LOG_BYTES};
    void *values[] = {log_text, (void *)(size_t)LOG_BYTES}, *module = NULL;
    log_text[0] = 0;
    int result = load(&module, text, 2, options, values);
    if (!result)
        unload(module);
    return result;
}

static int link_text(const void *data, size_t size) {
    int options[] = {ERROR_LOG, ERROR_LOG_BYTES};
    void *values[] = {log_text, (void *)(size_t)LOG_BYTES}, *state = NULL, *image;
    size_t image_size;
    log_text[0] = 0;
    int result = link_create(2, options, values, &state);
    if (result)
        return result;
    result = link_add(state, PTX, data, size, "text", 0, NULL, NULL);
    if (!result)
        result = link_complete(state, &image, &image_size);
    link_destroy(state);
    return result;
}

static void body(const char *version, const char *target, const char *inside) {
    char text[2000];
    snprintf(text, sizeof text,
             ".version %s\n.target %s\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
             "%s    ret;\n}\n",
             version, target, inside);
    int result = load_text(text);
    printf("version %s target %s %s: %d %s\n", version, target, *inside ? "body" : "empty", result,
           first_line());
}

// A text at the very end of a page, behind which nothing can be read.
static void without_end(const char *text, int spare, const char *title) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = strlen(text);
    char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || mprotect(p + page, page, PROT_NONE))
        return;
    char *at = p + page - size - (size_t)spare;
    memcpy(at, text, size);
    int result = link_text(at, size + (size_t)spare);
    printf("linker, %s NULs: %d %s\n", title, result, first_line());
    munmap(p, 2 * page);
}

// The driver is started once more in the child: a process's contexts do not survive a fork.
static void without_end_apart(const char *program, const char *driver, const char *which) {
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        execl(program, program, driver, which, (char *)NULL);
        _exit(127);
    }
    if (child > 0)
        waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        printf("linker, case %s crashes\n", which);
}

static const struct {
    const char *title, *version, *target, *inside;
} instructions[] = {
    {"ld of one element", "8.0", "sm_80",
     "    .reg .b32 %r<3>;\n    .reg .b64 %d<3>;\n    ld.param.u64 %d1, [p];\n"
     "    ld.global.b32 { %r1 }, [%d1];\n    st.global.b32 [%d1], { %r1 };\n"},
    {"ld.v1", "8.0", "sm_80",
     "    .reg .b32 %r<3>;\n    .reg .b64 %d<3>;\n    ld.param.u64 %d1, [p];\n"
     "    ld.global.v1.b32 { %r1 }, [%d1];\n"},
    {"ld.v1 without braces", "8.0", "sm_80",
     "    .reg .b32 %r<3>;\n    .reg .b64 %d<3>;\n    ld.param.u64 %d1, [p];\n"
     "    ld.global.v1.b32 %r1, [%d1];\n"},
    {"mov of one element", "8.0", "sm_80",
     "    .reg .b32 %r<3>;\n    mov.b32 { %r1 }, 5;\n    mov.b32 %r2, { %r1 };\n"},
    {"atom of one element", "8.1", "sm_90",
     "    .reg .b32 %r<3>;\n    .reg .b64 %d<3>;\n    ld.param.u64 %d1, [p];\n"
     "    atom.global.add.u32 { %r1 }, [%d1], { %r1 };\n"},
    {"ld.v8.b32 on sm_90", "8.8", "sm_90",
     "    .reg .b32 %r<9>;\n    .reg .b64 %d<3>;\n    ld.param.u64 %d1, [p];\n"
     "    ld.global.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%d1];\n"},
    {"add.f32x2 on sm_90", "8.6", "sm_90",
     "    .reg .b64 %d<3>;\n    ld.param.u64 %d1, [p];\n    add.rn.f32x2 %d2, %d1, %d1;\n"},
    {"wgmma.fence on sm_90", "8.0", "sm_90", "    wgmma.fence.sync.aligned;\n"},
    {"wgmma.fence on sm_90a", "8.0", "sm_90a", "    wgmma.fence.sync.aligned;\n"},
    {"griddepcontrol in 7.0", "7.0", "sm_80", "    griddepcontrol.wait;\n"},
};

static void instruction_cases(void) {
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++) {
        printf("%s: ", instructions[i].title);
        body(instructions[i].version, instructions[i].target, instructions[i].inside);
    }
}

int main(int argc, char **argv) {
    void *library = argc == 2 || argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL,
         *context;
    if (!library) {
        fprintf(stderr, "usage: ptx_targets libcuda.so.1\n");
        return 2;
    }
#define FIND(name) ((call_any *)dlsym(library, name))
    load = FIND("cuModuleLoadDataEx");
    unload = FIND("cuModuleUnload");
    link_create = FIND("cuLinkCreate_v2");
    link_add = FIND("cuLinkAddData_v2");
    link_complete = FIND("cuLinkComplete");
    link_destroy = FIND("cuLinkDestroy");
    get_attribute = FIND("cuDeviceGetAttribute");
    if (FIND("cuInit")(0) || FIND("cuDevicePrimaryCtxRetain")(&context, 0) ||
        FIND("cuCtxSetCurrent")(context)) {
        fprintf(stderr, "ptx_targets: %s does not start\n", argv[1]);
        return 2;
    }
    if (argc == 3) { // the number of NULs behind a text that ends where nothing can be read
        without_end(".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { ret; }\n",
                    atoi(argv[2]), argv[2]);
        return 0;
    }
    for (int attribute = 1; attribute < 160; attribute++) {
        int value = 0, result = get_attribute(&value, attribute, 0);
        printf("attribute %d: %d %d\n", attribute, result, value);
    }
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++)
        for (size_t v = 0; v < sizeof versions / sizeof *versions; v++)
            body(versions[v], targets[t], "");
    instruction_cases();
    without_end_apart(argv[0], argv[1], "0");
    without_end_apart(argv[0], argv[1], "1");
    without_end_apart(argv[0], argv[1], "7");
    return 0;
}
