// Any bytes as a device image. The first byte says as what: a container, a cubin, a native image as
// it stands, or the description inside a native image, packed here with right checksums. Readers
// must not crash, and everything that they give out must be readable.
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

#include "fuzz.h"
#include "image/cubin.h"
#include "image/image.h"
#include "image/native_format.h"

static volatile uint64_t sink; // keeps reads

static void read_bytes(const void *data, size_t size) {
    uint64_t sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += ((const uint8_t *)data)[i];
    sink += sum;
}

static void read_description(const struct kj_module_info *i) {
    for (uint32_t k = 0; k < i->nkernels; k++) {
        sink += strlen(i->kernels[k].name);
        read_bytes(i->kernels[k].params, i->kernels[k].nparams * sizeof *i->kernels[k].params);
    }
    for (uint32_t v = 0; v < i->nvars; v++) {
        const struct kj_var *var = &i->vars[v];
        sink += strlen(var->name);
        if (var->init)
            read_bytes(var->init, var->size);
        for (uint32_t r = 0; r < var->nrelocs; r++)
            if (var->relocs[r].offset + var->relocs[r].size > var->size ||
                var->relocs[r].var >= (int32_t)i->nvars)
                abort();
    }
}

static void check_native(const void *data, size_t size) {
    char err[256] = "";
    struct kimg_native *n = kimg_native_open(data, size, err, sizeof err);
    if (!n && !err[0])
        abort(); // refused without a reason
    if (!n)
        return;
    read_description(kimg_native_info(n));
    sink += strlen(kimg_native_version(n));
    for (size_t c = 0; c < kimg_native_code_count(n); c++) {
        const struct kimg_code *code = kimg_native_code(n, c);
        if (code->kernel >= kimg_native_info(n)->nkernels)
            abort();
        read_bytes(code->obj, code->obj_size);
    }
    kimg_native_close(n);
}

static void check_container(const void *data, size_t size) {
    char err[256] = "";
    struct kimg it;
    struct kimg_entry e;
    if (!kimg_is_container(data, size) || !kimg_open(&it, data, size, err, sizeof err))
        return;
    int more;
    while ((more = kimg_next(&it, &e, err, sizeof err)) == 1) {
        read_bytes(e.data, e.size);
        if (e.name)
            sink += strlen(e.name);
    }
    if (more == -1 && !err[0])
        abort();
    if (kimg_best_ptx(data, size, 90, false, &e, err, sizeof err))
        read_bytes(e.data, e.size);
    if (kimg_find_native(data, size, &e))
        check_native(e.data, e.size);
}

static void check_cubin(const void *data, size_t size) {
    char err[256] = "";
    struct cubin_file f;
    struct cubin_section section;
    struct cubin_symbol symbol;
    bool foreign;
    size_t bytes;
    if (!cubin_open(&f, data, size, err, sizeof err)) {
        if (!err[0])
            abort();
        return;
    }
    for (uint32_t i = 0; i < f.nsections && cubin_section(&f, i, &section); i++) {
        sink += strlen(section.name);
        if (section.data)
            read_bytes(section.data, section.size);
    }
    for (uint32_t i = 0; i < cubin_symbol_count(&f); i++) {
        if (!cubin_symbol(&f, i, &symbol))
            continue;
        sink += strlen(symbol.name);
        if (symbol.value)
            read_bytes(symbol.value, symbol.size);
    }
    const void *container = cubin_container(data, size, &bytes, &foreign, err, sizeof err);
    if (container)
        check_container(container, bytes);
    else if (!err[0])
        abort();
}

static void check_packed(const uint8_t *plain, size_t size) {
    struct native_header h = {.format = NATIVE_FORMAT, .abi = KD_ABI_VERSION, .plain = size};
    memcpy(h.magic, NATIVE_MAGIC, sizeof h.magic);
    h.plain_hash = XXH3_64bits(plain, size);
    size_t bound = ZSTD_compressBound(size);
    uint8_t *image = malloc(sizeof h + bound);
    if (!image)
        return;
    h.compressed = ZSTD_compress(image + sizeof h, bound, plain, size, 1);
    h.compressed_hash = XXH3_64bits(image + sizeof h, h.compressed);
    memcpy(image, &h, sizeof h);
    check_native(image, sizeof h + h.compressed);
    free(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2)
        return 0;
    // In a buffer of its own size and alignment.
    uint8_t *rest = malloc(size - 1);
    memcpy(rest, data + 1, size - 1);
    if (data[0] == 'c')
        check_container(rest, size - 1);
    else if (data[0] == 'e')
        check_cubin(rest, size - 1);
    else if (data[0] == 'n')
        check_native(rest, size - 1);
    else
        check_packed(rest, size - 1);
    free(rest);
    return 0;
}
