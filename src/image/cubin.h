// Cubins: ELF files as assemblers and linkers of CUDA's tools write them.
//
// kudzu's have machine number 190 and the architecture in e_flags, the symbols of kernels,
// functions and variables, and the variables' values, for programs that read these. What is loaded
// is the section ".kudzu_image", a container (image.h). A kernel's or function's symbol tells where
// in that section its PTX stands. There is no ".text": a GPU's driver finds no kernel in it. The
// section headers come last, so that a cubin in memory tells its own length.
#ifndef KUDZU_IMAGE_CUBIN_H
#define KUDZU_IMAGE_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cubin_symbol_kind {
    CUBIN_KERNEL,
    CUBIN_FUNCTION,
    CUBIN_GLOBAL,   // a variable in global memory
    CUBIN_CONSTANT, // in constant memory
    CUBIN_OTHER     // of other assemblers' files
};
enum cubin_binding { CUBIN_LOCAL, CUBIN_EXTERNAL, CUBIN_WEAK };

struct cubin_symbol {
    const char *name;
    enum cubin_symbol_kind kind;
    enum cubin_binding binding;
    bool defined;
    uint64_t offset;   // of a kernel's or function's text in the PTX; when reading: in its section
    uint64_t size;     // bytes
    uint64_t align;    // of a variable, when writing
    const void *value; // of a variable; NULL: zero, or not known
    uint32_t section;  // when reading
};

struct cubin {
    uint32_t arch;         // 90 for sm_90
    bool arch_specific;    // sm_90a
    uint32_t virtual_arch; // what the PTX was compiled for: 80 for compute_80
    bool relocatable;      // functions may be defined in other files
    // A container whose first entry is the PTX that the symbols' offsets count in.
    const void *container;
    size_t container_size;
    const struct cubin_symbol *symbols;
    size_t nsymbols;
};

// *out is malloc'ed; the same input gives the same bytes. False: out of memory.
bool cubin_build(const struct cubin *c, void **out, size_t *out_size);

bool cubin_is_elf(const void *data, size_t size); // size 0: not known

// ---- Reading: kudzu's and others' ---------------------------------------------------------

struct cubin_section {
    const char *name;
    uint32_t type, link, info;
    uint64_t flags, offset, size, align;
    const void *data; // NULL: it has none in the file
};

struct cubin_file {
    const uint8_t *data;
    size_t size;
    uint32_t type, machine, flags; // e_type, e_machine, e_flags
    uint32_t abi;                  // e_ident[EI_ABIVERSION]
    uint32_t nsections;
    uint64_t sections; // offset of their headers
    uint32_t names;    // number of the section with their names
};

// Whether the bytes are an ELF file of 64-bit little-endian form all of whose tables lie within
// it. size 0: not known; what the headers say is taken. False: the reason in err.
bool cubin_open(struct cubin_file *f, const void *data, size_t size, char *err, size_t err_size);
// False: it lies outside the file.
bool cubin_section(const struct cubin_file *f, uint32_t number, struct cubin_section *out);
bool cubin_section_named(const struct cubin_file *f, const char *name, struct cubin_section *out);
uint32_t cubin_symbol_count(const struct cubin_file *f);
// False: number 0, sections' own and damaged symbols, and file names.
bool cubin_symbol(const struct cubin_file *f, uint32_t number, struct cubin_symbol *out);
bool cubin_is_for_gpu(const struct cubin_file *f); // machine 190
uint32_t cubin_architecture(const struct cubin_file *f);
bool cubin_is_architecture_specific(const struct cubin_file *f);

// The container in a cubin of kudzu's. NULL: the reason in err; *foreign tells whether that is that
// the file is in order, but has a GPU's machine code alone.
const void *cubin_container(const void *data, size_t size, size_t *container_size, bool *foreign,
                            char *err, size_t err_size);

#endif
