#include "quad_library.h"

__asm__(".section .rodata\n"
        ".balign 16\n"
        ".hidden quad_library\n"
        ".globl quad_library\n"
        "quad_library:\n"
        ".incbin \"" KUDZU_QUAD_LIBRARY "\"\n"
        ".hidden quad_library_end\n"
        ".globl quad_library_end\n"
        "quad_library_end:\n"
        ".byte 0\n"
        ".previous\n");
