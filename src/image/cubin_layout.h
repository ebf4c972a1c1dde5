// What writers and readers of cubins agree on.
#ifndef KUDZU_IMAGE_CUBIN_LAYOUT_H
#define KUDZU_IMAGE_CUBIN_LAYOUT_H

#define CUBIN_IMAGE_SECTION ".kudzu_image"

enum {
    CUBIN_MACHINE = 190, // EM_CUDA
    CUBIN_OS_ABI = 51,
    CUBIN_ABI_VERSION = 7,
    // e_flags of that version of the ABI.
    CUBIN_FLAG_UNIFIED_TEXTURES = 0x100,
    CUBIN_FLAG_64BIT = 0x400,
    CUBIN_FLAG_SPECIFIC = 0x800, // sm_90a
    CUBIN_ARCH_MASK = 0xFF,
    CUBIN_VIRTUAL_SHIFT = 16,
    // The next one's have 16 bits of architecture.
    CUBIN_NEXT_ABI_VERSION = 8,
    CUBIN_NEXT_ARCH_SHIFT = 8,
    CUBIN_NEXT_ARCH_MASK = 0xFFFF,
    CUBIN_NEXT_FLAG_SPECIFIC = 0x8,
    CUBIN_KERNEL_MARK = 0x10, // st_other of a kernel
};

#endif
