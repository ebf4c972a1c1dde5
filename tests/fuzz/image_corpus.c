// Writes what fuzz_image starts from: image_corpus FOLDER.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "image/cubin.h"
#include "image/image.h"
#include "image/native_format.h"

static const char ptx[] = ".version 8.5\n.target sm_90\n.address_size 64\n";
static const struct kj_param params[] = {{0, 8, 8}, {8, 4, 4}};
static const struct kj_kernel kernels[] = {
    {.name = "saxpy", .nparams = 2, .params = params, .param_bytes = 12, .registers = 40},
    {.name = "empty", .registers = 1},
};
static const uint8_t init[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static const struct kj_reloc relocs[] = {{.var = 1, .size = 8}};
static const struct kj_var vars[] = {
    {.name = "table", .size = 8, .align = 8, .init = init, .nrelocs = 1, .relocs = relocs},
    {.name = "zeros", .size = 4096, .align = 256, .is_const = 1},
};
static const struct kj_module_info info = {2, 2, kernels, vars, 8, 5, 90};

static void write_file(const char *folder, const char *name, char kind, const void *data,
                       size_t n) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.image", folder, name);
    FILE *f = fopen(path, "wb");
    if (!f || fputc(kind, f) == EOF || fwrite(data, 1, n, f) != n || fclose(f)) {
        perror(path);
        exit(1);
    }
}

// Symbols of all kinds around the container.
static void write_cubin(const char *folder, const void *container, size_t size) {
    static const struct cubin_symbol symbols[] = {
        {.name = "saxpy",
         .kind = CUBIN_KERNEL,
         .binding = CUBIN_EXTERNAL,
         .defined = true,
         .offset = 3,
         .size = 9},
        {.name = "helper", .kind = CUBIN_FUNCTION, .defined = true},
        {.name = "table",
         .kind = CUBIN_GLOBAL,
         .binding = CUBIN_WEAK,
         .defined = true,
         .size = sizeof init,
         .align = 8,
         .value = init},
        {.name = "zeros", .kind = CUBIN_CONSTANT, .defined = true, .size = 64, .align = 16},
        {.name = "elsewhere", .binding = CUBIN_EXTERNAL},
    };
    struct cubin c = {.arch = 90,
                      .virtual_arch = 80,
                      .container = container,
                      .container_size = size,
                      .symbols = symbols,
                      .nsymbols = 5};
    void *cubin;
    if (!cubin_build(&c, &cubin, &size))
        exit(1);
    write_file(folder, "cubin", 'e', cubin, size);
    free(cubin);
}

// An archive with the container as its member, and clang's file around it.
static void write_wrapped(const char *folder, const void *container, size_t size) {
    enum { HEADER = 72 };
    uint8_t *data = calloc(1, HEADER + size);
    if (!data)
        exit(1);
    snprintf((char *)data, HEADER, "!<arch>\n%-16s%-12d%-6d%-6d%-8d%-10zu`\n", "a.o/", 0, 0, 0, 644,
             size);
    memcpy(data + 68, container, size);
    write_file(folder, "archive", 'f', data, 68 + size);
    const uint64_t words[9] = {0x1AD10FF10, HEADER + size, 32, 40, 1 | 1 << 16, 0, 0, HEADER, size};
    memcpy(data, words, HEADER);
    memcpy(data + HEADER, container, size);
    write_file(folder, "offload", 'f', data, HEADER + size);
    free(data);
}

int main(int argc, char **argv) {
    void *native, *container;
    size_t native_size, size;
    struct kimg_code code = {
        .info = {.abi_version = KD_ABI_VERSION, .mode = KD_MODE_BLOCK, .width = 8},
        .obj = init,
        .obj_size = sizeof init};
    if (argc != 2 ||
        !kimg_native_build(&info, &code, 1, ptx, sizeof ptx, "1", &native, &native_size))
        return 1;
    const struct kimg_entry entries[] = {
        {.kind = KIMG_PTX, .arch = 70, .ptx_major = 8, .data = ptx, .size = sizeof ptx - 1},
        {.kind = KIMG_ELF, .arch = 90, .data = init, .size = sizeof init},
        {.kind = KIMG_PTX, .arch = 90, .data = ptx, .size = sizeof ptx, .name = "a.cu"},
        {.kind = KIMG_NATIVE, .data = native, .size = native_size},
    };
    if (!kimg_build(entries, 4, &container, &size))
        return 1;
    struct native_header h;
    memcpy(&h, native, sizeof h);
    uint8_t *plain = malloc(h.plain);
    if (!plain ||
        ZSTD_decompress(plain, h.plain, (uint8_t *)native + sizeof h, h.compressed) != h.plain)
        return 1;
    write_file(argv[1], "container", 'c', container, size);
    write_cubin(argv[1], container, size);
    write_wrapped(argv[1], container, size);
    write_file(argv[1], "native", 'n', native, native_size);
    write_file(argv[1], "packed", 'p', plain, h.plain);
    free(plain);
    free(native);
    free(container);
    return 0;
}
