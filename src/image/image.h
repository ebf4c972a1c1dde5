// Device images: what `kudzu cc` embeds in programs and cuModuleLoadData accepts.
//
// (a) The container is the publicly known "fat binary": a header of 16 bytes (magic, version,
//     header size, payload size), then entries, each with a header of at least 64 bytes. PTX
//     entries are plain, so that any driver that knows the layout, NVIDIA's among them, can read
//     them. kudzu's native code is one more entry, of a kind of its own.
// (b) A native image holds the description of a PTX module (kj_module_info) and object code per
//     kernel and specialisation, compressed with zstd, with checksums over both forms.
//
// Readers check everything before they use it; damaged data gives false and a reason.
#ifndef KUDZU_IMAGE_IMAGE_H
#define KUDZU_IMAGE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/generated_code.h"
#include "abi/jit.h"

enum {
    KIMG_MAGIC = (int)0xBA55ED50u,   // first word of a container
    KIMG_WRAPPER_MAGIC = 0x466243B1, // of the struct in .nvFatBinSegment that points to it
    KIMG_HEADER_BYTES = 16,
    KIMG_ENTRY_HEADER_BYTES = 64,
};
enum kimg_kind {
    KIMG_PTX = 1,
    KIMG_ELF = 2,         // a cubin (cubin.h): kudzu's, or machine code of an NVIDIA GPU
    KIMG_NATIVE = 0x6B7A, // (b)
    // An archive, the user's libcudadevrt.a: the runtime links PTX with it for a GPU
    // (src/runtime/load/gpu_image.c).
    KIMG_DEVICE_RUNTIME = 0x6B64,
};

// What __cudaRegisterFatBinary is given: version 1, `data` is a container.
struct kimg_wrapper {
    uint32_t magic, version;
    const void *data;
    void *more;
};

struct kimg_entry {
    uint32_t kind;                 // enum kimg_kind, or one that is not known here
    uint32_t arch;                 // 90 for sm_90 / compute_90; 0 for native code
    uint32_t ptx_major, ptx_minor; // of a PTX entry
    uint64_t flags;                // as read; ignored when building
    const void *data;              // PTX: with the NUL at its end, if it has one
    size_t size;
    const char *name; // source name, may be NULL
};

// Builds a container; the same entries give the same bytes. *out is malloc'ed. A PTX entry's
// text need not end with NUL: one is added. False: out of memory.
bool kimg_build(const struct kimg_entry *entries, size_t n, void **out, size_t *out_size);

// Iteration. `size` 0: unknown, the header's word is taken (as cuModuleLoadData must).
struct kimg {
    const uint8_t *data;
    size_t size, at;
};
bool kimg_is_container(const void *data, size_t size);
bool kimg_open(struct kimg *it, const void *data, size_t size, char *err, size_t err_size);
// 1: *e is the next entry; 0: no more; -1: damaged, reason in err.
int kimg_next(struct kimg *it, struct kimg_entry *e, char *err, size_t err_size);
// The PTX with the highest arch that is not above `arch` and runs there (ptx_target.h), also in
// cubins of kudzu's. `lenient`: what it has of features does not count, and if there is none, the
// one with the lowest arch above. False: none, or damaged (err not "").
bool kimg_best_ptx(const void *data, size_t size, uint32_t arch, bool lenient,
                   struct kimg_entry *out, char *err, size_t err_size);
// The first native entry. False: none or damaged.
bool kimg_find_native(const void *data, size_t size, struct kimg_entry *out);

// ---- Native images ------------------------------------------------------------------------

struct kimg_code {
    uint32_t kernel; // index in the module description
    struct kd_spec spec;
    struct kd_code_info info;
    const void *obj;
    size_t obj_size;
};
// `ptx` is the text that the code was compiled from: its hash is stored, so that code is never
// used with other PTX. `version` is kj_version(). *out is malloc'ed.
bool kimg_native_build(const struct kj_module_info *info, const struct kimg_code *codes,
                       size_t ncodes, const char *ptx, size_t ptx_size, const char *version,
                       void **out, size_t *out_size);

struct kimg_native;
bool kimg_is_native(const void *data, size_t size);
// Decompresses and checks everything. NULL: damaged or of another ABI version, reason in err.
struct kimg_native *kimg_native_open(const void *data, size_t size, char *err, size_t err_size);
void kimg_native_close(struct kimg_native *n);
const struct kj_module_info *kimg_native_info(const struct kimg_native *n);
const char *kimg_native_version(const struct kimg_native *n);
uint64_t kimg_native_ptx_hash(const struct kimg_native *n);
uint64_t kimg_ptx_hash(const char *ptx, size_t size); // a NUL at the end does not count
size_t kimg_native_code_count(const struct kimg_native *n);
const struct kimg_code *kimg_native_code(const struct kimg_native *n, size_t i);

#endif
