// Files and images that hold no code, or code that needs linking: what cuModuleLoad,
// cuModuleLoadData, cuLibraryLoadFromFile, cuLibraryLoadData and the linker answer.
#include <sys/stat.h>

#include "questions.h"

#define PTX ".version 8.0\n.target sm_70\n.address_size 64\n"
static const char kernel[] = PTX ".visible .entry k()\n{\n    ret;\n}\n";
static const char calls_missing[] =
    PTX ".extern .func missing;\n.visible .entry k()\n{\n    call missing;\n    ret;\n}\n"
        ".visible .entry other()\n{\n    ret;\n}\n";
static const char declares_missing[] =
    PTX ".extern .func missing;\n.visible .entry k()\n{\n    ret;\n}\n";
static const char reads_missing[] =
    PTX ".extern .global .u32 missing;\n.visible .entry k()\n{\n    .reg .b32 %r;\n"
        "    ld.global.u32 %r, [missing];\n    st.global.u32 [missing], %r;\n    ret;\n}\n";
static const char initializer_missing[] =
    PTX ".extern .global .u32 missing;\n.visible .global .u64 at = missing;\n"
        ".visible .entry k()\n{\n    ret;\n}\n";
static const char function_alone[] = PTX ".visible .func f()\n{\n    ret;\n}\n";
static const char nothing_in_it[] = PTX;
static const char version_alone[] = ".version 8.0\n";
static const char newer_target[] =
    ".version 8.6\n.target sm_100\n.address_size 64\n.visible .entry k()\n{\n    ret;\n}\n";
static const char newer_version[] =
    ".version 9.9\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n    ret;\n}\n";
static const char wrong[] = PTX ".visible .entry k()\n{\n    nonsense;\n    ret;\n}\n";

struct image {
    const char *name, *data;
    size_t size;
};
#define TEXT(name) #name, name, sizeof name
static const struct image images[] = {
    {TEXT(kernel)},
    {TEXT(calls_missing)},
    {TEXT(declares_missing)},
    {TEXT(reads_missing)},
    {TEXT(initializer_missing)},
    {TEXT(function_alone)},
    {TEXT(nothing_in_it)},
    {TEXT(version_alone)},
    {TEXT(newer_target)},
    {TEXT(newer_version)},
    {TEXT(wrong)},
    {"empty_text", "", 1},
    {"blank", " ", 2},
    {"word", "hello", 6},
    {"elf_magic",
     "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
     "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
     65},
    {"bitcode", "BC\300\336\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 33},
};
enum { IMAGES = sizeof images / sizeof *images };

static char folder[] = "/tmp/code_to_load.XXXXXX";

static void write_file(const char *path, const void *data, size_t size) {
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f))
        exit(2);
}

static void use_module(CUmodule m, const char *name) {
    CUfunction f;
    unsigned n = 0;
    if (answer("count", cuModuleGetFunctionCount(&n, m)) == CUDA_SUCCESS)
        printf("    kernels: %u\n", n);
    CUresult r = answer("get function", cuModuleGetFunction(&f, m, name));
    if (r == CUDA_SUCCESS)
        answer("launch", cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, NULL, NULL));
    answer("wait", cuCtxSynchronize());
    answer("unload", cuModuleUnload(m));
}

static void use_library(CUlibrary l, const char *name) {
    CUkernel k;
    CUfunction f;
    CUmodule m;
    unsigned n = 0;
    if (answer("count", cuLibraryGetKernelCount(&n, l)) == CUDA_SUCCESS)
        printf("    kernels: %u\n", n);
    CUresult r = answer("get kernel", cuLibraryGetKernel(&k, l, name));
    answer("get module", cuLibraryGetModule(&m, l));
    if (r == CUDA_SUCCESS)
        r = answer("get function", cuKernelGetFunction(&f, k));
    if (r == CUDA_SUCCESS)
        answer("launch", cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, NULL, NULL));
    answer("wait", cuCtxSynchronize());
    answer("unload", cuLibraryUnload(l));
}

static void link_image(const struct image *i) {
    CUlinkState s;
    void *cubin = NULL;
    size_t size = 0;
    CUmodule m;
    MUST(cuLinkCreate(0, NULL, NULL, &s));
    CUresult r = answer("add", cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)i->data, i->size, "image",
                                             0, NULL, NULL));
    if (r == CUDA_SUCCESS)
        r = answer("complete", cuLinkComplete(s, &cubin, &size));
    if (r == CUDA_SUCCESS && answer("load", cuModuleLoadData(&m, cubin)) == CUDA_SUCCESS)
        use_module(m, "k");
    answer("destroy", cuLinkDestroy(s));
}

static void with_module(const struct image *i) {
    CUmodule m;
    if (answer("cuModuleLoadData", cuModuleLoadData(&m, i->data)) == CUDA_SUCCESS)
        use_module(m, "k");
}

static void with_library(const struct image *i) {
    CUlibrary l;
    CUlibraryOption option = CU_LIBRARY_BINARY_IS_PRESERVED;
    void *value = (void *)1;
    if (answer("cuLibraryLoadData",
               cuLibraryLoadData(&l, i->data, NULL, NULL, 0, &option, &value, 1)) == CUDA_SUCCESS)
        use_library(l, "k");
}

static void as_file(const struct image *i, int library, size_t size) {
    char path[64];
    CUmodule m;
    CUlibrary l;
    snprintf(path, sizeof path, "%s/%s_%d", folder, i->name, library);
    write_file(path, i->data, size);
    if (library) {
        if (answer("cuLibraryLoadFromFile",
                   cuLibraryLoadFromFile(&l, path, NULL, NULL, 0, NULL, NULL, 0)) == CUDA_SUCCESS)
            use_library(l, "k");
    } else if (answer("cuModuleLoad", cuModuleLoad(&m, path)) == CUDA_SUCCESS) {
        use_module(m, "k");
    }
    unlink(path);
}

enum how { MODULE, LIBRARY, EAGER_LIBRARY, FILE_OF_MODULE, FILE_OF_LIBRARY, LINK_PTX, HOWS };
static const char *const how_names[] = {"module",      "library",      "eager_library",
                                        "module_file", "library_file", "link"};

static void ask_image(int image, int how) {
    const struct image *i = &images[image];
    if (how == EAGER_LIBRARY)
        setenv("CUDA_MODULE_LOADING", "EAGER", 1);
    question_context();
    if (how == MODULE)
        with_module(i);
    else if (how == LIBRARY || how == EAGER_LIBRARY)
        with_library(i);
    else if (how == LINK_PTX)
        link_image(i);
    else
        as_file(i, how == FILE_OF_LIBRARY, i->size - 1);
}

// ---- Names of files ---------------------------------------------------------------------------

static const char *const paths[] = {
    "",      NULL,     "/",        ".",           "/nowhere/file",
    "EMPTY", "FOLDER", "NOT_OURS", "/etc/passwd", "/etc/passwd/file"};
enum { PATHS = sizeof paths / sizeof *paths };

static void ask_path(int path, int how) {
    const char *name = paths[path];
    char at[64];
    CUmodule m;
    CUlibrary l;
    question_context();
    if (name && !strcmp(name, "EMPTY")) {
        snprintf(at, sizeof at, "%s/empty_%d", folder, how);
        write_file(at, "", 0);
        name = at;
    } else if (name && !strcmp(name, "FOLDER")) {
        name = folder;
    } else if (name && !strcmp(name, "NOT_OURS")) {
        snprintf(at, sizeof at, "%s/closed_%d", folder, how);
        write_file(at, kernel, sizeof kernel);
        if (chmod(at, 0))
            exit(2);
        if (setuid(65534))
            printf("    not root\n");
        name = at;
    }
    if (how == 0)
        answer("cuModuleLoad", cuModuleLoad(&m, name));
    else
        answer("cuLibraryLoadFromFile",
               cuLibraryLoadFromFile(&l, name, NULL, NULL, 0, NULL, NULL, 0));
    if (how == 0)
        answer("no handle", cuModuleLoad(NULL, name));
    else
        answer("no handle", cuLibraryLoadFromFile(NULL, name, NULL, NULL, 0, NULL, NULL, 0));
}

// What is not compared: here, a PTX version that is not known yet is tried, a variable that is
// defined nowhere is an error of the load, not of the link alone, and a target is checked when a
// link is loaded.
static int differs(const char *image, int how) {
    int link = how == LINK_PTX;
    return !strcmp(image, "newer_version") || (!strcmp(image, "newer_target") && link) ||
           ((!strcmp(image, "reads_missing") || !strcmp(image, "initializer_missing")) && !link);
}

int main(int argc, char **argv) {
    static struct question q[IMAGES * HOWS + PATHS * 2];
    int n = 0;
    if (!mkdtemp(folder) || chmod(folder, 0755))
        return 2;
    for (int i = 0; i < IMAGES; i++)
        for (int h = 0; h < HOWS; h++) {
            if (differs(images[i].name, h))
                continue;
            q[n] = (struct question){.ask = ask_image, .a = i, .b = h};
            snprintf(q[n++].name, sizeof q->name, "%s %s", images[i].name, how_names[h]);
        }
    for (int i = 0; i < PATHS; i++)
        for (int h = 0; h < 2; h++) {
            q[n] = (struct question){.ask = ask_path, .a = i, .b = h};
            snprintf(q[n++].name, sizeof q->name, "%s of '%s'", h ? "library" : "module",
                     paths[i] ? paths[i] : "(null)");
        }
    int status = questions_run(q, n, argc, argv);
    char command[96];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command) ? 2 : status;
}
