// ptx_run file.ptx [image]: loads the module, from the image (compile_ahead.c) if there is one,
// through the driver API, makes the launches that the text's comments describe, and prints what
// they left in memory. The same file run under another KUDZU_EXEC, KUDZU_WIDTH or KUDZU_CPU must
// print the same.
//
//   // run: kernel grid=2,1,1 block=64,1,1 shared=0 args=buf:256:rand,u32:5,f32:1.5
//
// buf:WORDS:PATTERN with PATTERN zero, iota, rand (any bits), float (ordinary numbers),
// special (floats with infinities, NaNs, subnormals), double, small (0..255).
// cluster=X,Y,Z launches with clusters of so many blocks.
// tex:WIDTHxHEIGHT:FILTER:MODE:FLAGS is a texture object over an array of floats (height 0: one
// dimension), with the numbers that the driver API has for filter, addressing mode and flags.
// surf:WIDTHxHEIGHT is a surface object over such an array.
// map:ARGUMENT:TYPE:SWIZZLE:FILL:SIZES:STRIDES:STEPS:BOX is the address of a tensor map over the
// buffer of an argument before it; lists are written 8x2x3, strides count bytes from the second
// dimension on (0: none). im2col:...:STEPS:LOWER:UPPER:CHANNELSxPIXELS is one for im2col.
//
// ptx_run --serve: each line of the standard input is a run in a process of its own, "EXEC CPU
// WIDTH SECONDS FILE" (the first three as in KUDZU_EXEC, KUDZU_CPU, KUDZU_WIDTH, a CPU of "host"
// the machine with all that it has; SECONDS of processor time at most). The answer is a line
// "STATUS BYTES" (exit status; 128 + signal) and so many bytes of output. The compiler's library is
// loaded once, before the first run.
#include "../driver/array_copy.h"

#include <cuda.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_ARGS = 16, MAX_LIST = 5, PRINT_WORDS = 64, MAX_FILE = 1 << 24 };

struct arg {
    uint64_t scalar; // or the device address
    uint32_t words;
};

static void check(CUresult r, const char *what) {
    const char *name = "?";
    if (r == CUDA_SUCCESS)
        return;
    cuGetErrorName(r, &name);
    printf("%s: %s\n", what, name);
    exit(1);
}

static uint64_t rng_state = 88172645463325252ULL;

static uint32_t rng(void) {
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return (uint32_t)(rng_state >> 16);
}

static uint32_t float_bits(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

static uint32_t special(void) {
    static const uint32_t edge[] = {0,          0x80000000, 1,          0x807fffff,
                                    0x00800000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
                                    0xff800000, 0x7fc00000, 0xffc12345, 0x7fffffff,
                                    0x3f800000, 0xbf800000, 0x4f000000, 0x7f812345};
    uint32_t r = rng();
    return r % 3 ? edge[r / 3 % (sizeof edge / sizeof *edge)] : rng();
}

static void fill(uint32_t *w, uint32_t n, const char *pattern) {
    for (uint32_t k = 0; k < n; k++) {
        if (!strcmp(pattern, "iota"))
            w[k] = k;
        else if (!strcmp(pattern, "rand"))
            w[k] = rng();
        else if (!strcmp(pattern, "small"))
            w[k] = rng() & 255;
        else if (!strcmp(pattern, "float"))
            w[k] = float_bits((float)(int32_t)rng() / 65536.0f);
        else if (!strcmp(pattern, "special"))
            w[k] = special();
        else
            w[k] = 0;
    }
    if (!strcmp(pattern, "double"))
        for (uint32_t k = 0; k + 1 < n; k += 2) {
            double d = (double)(int32_t)rng() / 1024.0;
            memcpy(w + k, &d, 8);
        }
}

// A surface object over an array of floats; neither is given back before the process ends.
static uint64_t make_surface(const char *text) {
    unsigned width, height;
    if (sscanf(text, "%ux%u", &width, &height) != 2) {
        printf("bad surface %s\n", text);
        exit(2);
    }
    CUDA_ARRAY3D_DESCRIPTOR d = {
        width, height, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
    CUsurfObject object;
    uint32_t rows = height ? height : 1, words = width * rows, *w = calloc(words + 1, 4);
    check(cuArray3DCreate(&resource.res.array.hArray, &d), "cuArray3DCreate");
    fill(w, words, "float");
    check(array_write(resource.res.array.hArray, w, width * 4, rows, 1), "cuMemcpy3D");
    free(w);
    check(cuSurfObjectCreate(&object, &resource), "cuSurfObjectCreate");
    return object;
}

// A texture object; neither it nor its array is given back before the process ends.
static uint64_t make_texture(const char *text) {
    unsigned width, height, filter, mode, flags;
    if (sscanf(text, "%ux%u:%u:%u:%u", &width, &height, &filter, &mode, &flags) != 5) {
        printf("bad texture %s\n", text);
        exit(2);
    }
    CUDA_ARRAY_DESCRIPTOR d = {width, height, CU_AD_FORMAT_FLOAT, 1};
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
    CUDA_TEXTURE_DESC texture = {.filterMode = (CUfilter_mode)filter, .flags = flags};
    CUtexObject object;
    uint32_t rows = height ? height : 1, words = width * rows, *w = calloc(words + 1, 4);
    check(cuArrayCreate(&resource.res.array.hArray, &d), "cuArrayCreate");
    fill(w, words, "float");
    check(array_write(resource.res.array.hArray, w, width * 4, rows, 1), "cuMemcpy3D");
    free(w);
    for (int k = 0; k < 3; k++)
        texture.addressMode[k] = (CUaddress_mode)mode;
    texture.borderColor[0] = 2.5f;
    check(cuTexObjectCreate(&object, &resource, &texture, NULL), "cuTexObjectCreate");
    return object;
}

// Numbers with 'x' between them, up to the next colon; *at goes on behind it.
static unsigned read_list(const char **at, int64_t *values) {
    unsigned n = 0;
    for (char *end;; *at = end + 1) {
        values[n++] = strtoll(*at, &end, 10);
        if (*end != 'x' || n == MAX_LIST) {
            *at = end + (*end == ':');
            return n;
        }
    }
}

// The map lies in device memory, which is not given back before the process ends.
static uint64_t make_map(const char *text, const struct arg *args, bool im2col) {
    int64_t head[MAX_LIST], list[3][MAX_LIST], box[3][MAX_LIST] = {{0}};
    for (int k = 0; k < 4; k++)
        read_list(&text, &head[k]);
    unsigned rank = read_list(&text, list[0]);
    for (int k = 1; k < 3; k++)
        read_list(&text, list[k]);
    for (int k = 0; k < (im2col ? 3 : 1); k++)
        read_list(&text, box[k]);
    cuuint64_t sizes[MAX_LIST], strides[MAX_LIST];
    cuuint32_t steps[MAX_LIST], edges[MAX_LIST];
    int lower[MAX_LIST], upper[MAX_LIST];
    for (unsigned k = 0; k < rank; k++) {
        sizes[k] = (cuuint64_t)list[0][k];
        strides[k] = (cuuint64_t)list[1][k];
        steps[k] = (cuuint32_t)list[2][k];
        edges[k] = (cuuint32_t)box[0][k];
        lower[k] = (int)box[0][k];
        upper[k] = (int)box[1][k];
    }
    CUtensorMap map;
    CUtensorMapDataType type = (CUtensorMapDataType)head[1];
    CUtensorMapSwizzle swizzle = (CUtensorMapSwizzle)head[2];
    CUtensorMapFloatOOBfill outside = (CUtensorMapFloatOOBfill)head[3];
    void *tensor = (void *)(uintptr_t)args[head[0]].scalar; // NOLINT
    if (im2col)
        check(cuTensorMapEncodeIm2col(&map, type, rank, tensor, sizes, strides, lower, upper,
                                      (cuuint32_t)box[2][0], (cuuint32_t)box[2][1], steps,
                                      CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                      CU_TENSOR_MAP_L2_PROMOTION_NONE, outside),
              "cuTensorMapEncodeIm2col");
    else
        check(cuTensorMapEncodeTiled(&map, type, rank, tensor, sizes, strides, edges, steps,
                                     CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                     CU_TENSOR_MAP_L2_PROMOTION_NONE, outside),
              "cuTensorMapEncodeTiled");
    CUdeviceptr p;
    check(cuMemAlloc(&p, sizeof map), "cuMemAlloc");
    check(cuMemcpyHtoD(p, &map, sizeof map), "cuMemcpyHtoD");
    return p;
}

// args: those before it.
static struct arg make_arg(char *text, const struct arg *args) {
    struct arg a = {0};
    char *value = strchr(text, ':');
    if (!value) {
        printf("bad argument %s\n", text);
        exit(2);
    }
    *value++ = 0;
    if (!strcmp(text, "buf")) {
        char *pattern = strchr(value, ':');
        a.words = (uint32_t)strtoul(value, NULL, 0);
        uint32_t *w = calloc(a.words + 1, 4);
        fill(w, a.words, pattern ? pattern + 1 : "zero");
        CUdeviceptr p;
        check(cuMemAlloc(&p, a.words * 4), "cuMemAlloc");
        check(cuMemcpyHtoD(p, w, a.words * 4), "cuMemcpyHtoD");
        free(w);
        a.scalar = p;
    } else if (!strcmp(text, "tex")) {
        a.scalar = make_texture(value);
    } else if (!strcmp(text, "surf")) {
        a.scalar = make_surface(value);
    } else if (!strcmp(text, "map") || !strcmp(text, "im2col")) {
        a.scalar = make_map(value, args, *text == 'i');
    } else if (!strcmp(text, "f32")) {
        a.scalar = float_bits(strtof(value, NULL));
    } else if (!strcmp(text, "f64")) {
        double d = strtod(value, NULL);
        memcpy(&a.scalar, &d, 8);
    } else {
        a.scalar = strtoull(value, NULL, 0);
    }
    return a;
}

static void dims(const char *line, const char *key, unsigned *d) {
    const char *at = strstr(line, key);
    d[0] = d[1] = d[2] = 1;
    if (at)
        sscanf(at + strlen(key), "%u,%u,%u", &d[0], &d[1], &d[2]);
}

static void print_buffer(unsigned index, const struct arg *a) {
    uint32_t *w = calloc(a->words + 1, 4);
    uint64_t hash = 14695981039346656037ULL;
    check(cuMemcpyDtoH(w, a->scalar, a->words * 4), "cuMemcpyDtoH");
    for (uint32_t k = 0; k < a->words; k++)
        hash = (hash ^ w[k]) * 1099511628211ULL;
    printf("  buffer %u: hash %016" PRIx64 "\n", index, hash);
    for (uint32_t k = 0; k < a->words && k < PRINT_WORDS; k++)
        printf("%s%08x", k % 8 ? " " : k ? "\n    " : "    ", w[k]);
    printf("\n");
    free(w);
    cuMemFree(a->scalar);
}

static void run_line(CUmodule m, char *line) {
    char name[128];
    struct arg args[MAX_ARGS];
    void *params[MAX_ARGS];
    unsigned grid[3], block[3], shared = 0, n = 0;
    CUfunction f;
    sscanf(line, "%127s", name);
    dims(line, "grid=", grid);
    dims(line, "block=", block);
    const char *s = strstr(line, "shared=");
    if (s)
        shared = (unsigned)strtoul(s + 7, NULL, 0);
    bool clustered = strstr(line, "cluster=");
    char *list = strstr(line, "args=");
    rng_state = 88172645463325252ULL;
    for (char *t = list ? strtok(list + 5, ", \n") : NULL; t && n < MAX_ARGS;
         t = strtok(NULL, ", \n")) {
        args[n] = make_arg(t, args);
        params[n] = &args[n].scalar;
        n++;
    }
    printf("%s grid %u,%u,%u block %u,%u,%u\n", name, grid[0], grid[1], grid[2], block[0], block[1],
           block[2]);
    check(cuModuleGetFunction(&f, m, name), "cuModuleGetFunction");
    CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    unsigned c[3];
    dims(line, "cluster=", c);
    cluster.value.clusterDim.x = c[0];
    cluster.value.clusterDim.y = c[1];
    cluster.value.clusterDim.z = c[2];
    CUlaunchConfig config = {grid[0],  grid[1], grid[2], block[0], block[1],
                             block[2], shared,  NULL,    &cluster, clustered};
    check(cuLaunchKernelEx(&config, f, params, NULL), "cuLaunchKernelEx");
    check(cuCtxSynchronize(), "cuCtxSynchronize");
    for (unsigned k = 0; k < n; k++)
        if (args[k].words)
            print_buffer(k, &args[k]);
}

static char *read_file(const char *path) {
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, MAX_FILE);
    if (!f || !text || fread(text, 1, MAX_FILE - 1, f) == 0) {
        printf("cannot read %s\n", path);
        exit(2);
    }
    fclose(f);
    return text;
}

// image_path: NULL for the text itself.
static int run_file(const char *path, const char *image_path) {
    CUdevice dev;
    CUcontext ctx;
    CUmodule m;
    char *text = read_file(path), *image = image_path ? read_file(image_path) : text;
    char log[8192] = "";
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&dev, 0), "cuDeviceGet");
    check(cuCtxCreate(&ctx, 0, dev), "cuCtxCreate");
    CUjit_option opt[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *val[] = {log, (void *)sizeof log};
    CUresult r = cuModuleLoadDataEx(&m, image, 2, opt, val);
    if (r != CUDA_SUCCESS)
        printf("%s", log);
    check(r, "cuModuleLoadDataEx");
    for (char *at = text; (at = strstr(at, "// run: ")); at++) {
        char line[1024];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at + 8, "\n"), at + 8);
        run_line(m, line);
    }
    cuCtxDestroy(ctx);
    if (image != text)
        free(image);
    free(text);
    return 0;
}

// The driver loads the compiler from the folder that it lies in itself; what is loaded already,
// before a process is split off, costs that process nothing.
static void load_compiler(void) {
    Dl_info info;
    char path[4096];
    if (!dladdr((void *)cuInit, &info) || !info.dli_fname)
        return;
    const char *slash = strrchr(info.dli_fname, '/');
    snprintf(path, sizeof path, "%.*s/libkudzu-jit.so", slash ? (int)(slash - info.dli_fname) : 1,
             slash ? info.dli_fname : ".");
    dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static _Noreturn void run_apart(char *request, FILE *out) {
    char exec[16], cpu[16], width[16], path[3800];
    unsigned seconds;
    close(0); // the requests are the parent's: an exit would set back where it reads
    if (dup2(fileno(out), 1) < 0 || dup2(1, 2) < 0)
        exit(2);
    if (sscanf(request, "%15s %15s %15s %u %3799[^\n]", exec, cpu, width, &seconds, path) != 5) {
        printf("bad request\n");
        exit(2);
    }
    setenv("KUDZU_EXEC", exec, 1);
    setenv("KUDZU_CPU", strcmp(cpu, "host") ? cpu : "", 1);
    setenv("KUDZU_WIDTH", width, 1);
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    alarm(40 * seconds); // for one that waits for ever
    setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds});
    exit(run_file(path, NULL));
}

static int serve(void) {
    char request[4096];
    load_compiler();
    while (fgets(request, sizeof request, stdin)) {
        FILE *out = tmpfile();
        int status = 0, c;
        pid_t child = out ? fork() : -1;
        if (child < 0)
            return 1;
        if (child == 0)
            run_apart(request, out);
        if (waitpid(child, &status, 0) < 0)
            return 1;
        fseek(out, 0, SEEK_END);
        printf("%d %ld\n", WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status),
               ftell(out));
        rewind(out);
        while ((c = getc(out)) != EOF)
            putchar(c);
        fclose(out);
        fflush(stdout);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 2 && argc != 3) {
        printf("usage: ptx_run file.ptx [image] | --serve\n");
        return 2;
    }
    return strcmp(argv[1], "--serve") == 0 ? serve() : run_file(argv[1], argv[2]);
}
