// PTX of the kernels that the tests launch.
#ifndef KUDZU_TESTS_DRIVER_KERNELS_H
#define KUDZU_TESTS_DRIVER_KERNELS_H

#define PTX_HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

// fill(out, a, b): out[i] = a + b * i for every thread i of the grid.
#define PTX_FILL                                                                                   \
    ".visible .entry fill(.param .u64 out, .param .u32 a, .param .u32 b)\n"                        \
    "{\n"                                                                                          \
    "    .reg .b32 %r<8>;\n"                                                                       \
    "    .reg .b64 %rd<5>;\n"                                                                      \
    "    ld.param.u64 %rd1, [out];\n"                                                              \
    "    ld.param.u32 %r1, [a];\n"                                                                 \
    "    ld.param.u32 %r2, [b];\n"                                                                 \
    "    mov.u32 %r3, %ctaid.x;\n"                                                                 \
    "    mov.u32 %r4, %ntid.x;\n"                                                                  \
    "    mov.u32 %r5, %tid.x;\n"                                                                   \
    "    mad.lo.s32 %r6, %r3, %r4, %r5;\n"                                                         \
    "    mad.lo.s32 %r7, %r6, %r2, %r1;\n"                                                         \
    "    cvta.to.global.u64 %rd2, %rd1;\n"                                                         \
    "    mul.wide.u32 %rd3, %r6, 4;\n"                                                             \
    "    add.s64 %rd4, %rd2, %rd3;\n"                                                              \
    "    st.global.u32 [%rd4], %r7;\n"                                                             \
    "    ret;\n"                                                                                   \
    "}\n"

// nothing(): no parameters, no effect.
#define PTX_NOTHING ".visible .entry nothing()\n{\n    ret;\n}\n"

// bounded(): at most 64 threads a block.
#define PTX_BOUNDED ".visible .entry bounded()\n.maxntid 64, 1, 1\n{\n    ret;\n}\n"

// shared(): 16 KiB of static shared memory.
#define PTX_SHARED                                                                                 \
    ".visible .entry shared(.param .u64 out)\n"                                                    \
    "{\n"                                                                                          \
    "    .shared .align 4 .b8 tile[16384];\n"                                                      \
    "    .reg .b32 %r<3>;\n"                                                                       \
    "    .reg .b64 %rd<2>;\n"                                                                      \
    "    ld.param.u64 %rd1, [out];\n"                                                              \
    "    mov.u32 %r1, 7;\n"                                                                        \
    "    st.shared.u32 [tile+16380], %r1;\n"                                                       \
    "    ld.shared.u32 %r2, [tile+16380];\n"                                                       \
    "    st.global.u32 [%rd1], %r2;\n"                                                             \
    "    ret;\n"                                                                                   \
    "}\n"

// wait_for(word): until *word is not 0, which becomes 2 then.
#define PTX_WAIT_FOR                                                                               \
    ".visible .entry wait_for(.param .u64 word)\n"                                                 \
    "{\n"                                                                                          \
    "    .reg .pred %p;\n"                                                                         \
    "    .reg .b64 %rd<2>;\n"                                                                      \
    "    .reg .b32 %r<2>;\n"                                                                       \
    "    ld.param.u64 %rd1, [word];\n"                                                             \
    "again:\n"                                                                                     \
    "    ld.volatile.global.u32 %r1, [%rd1];\n"                                                    \
    "    setp.eq.u32 %p, %r1, 0;\n"                                                                \
    "    @%p bra again;\n"                                                                         \
    "    mov.u32 %r1, 2;\n"                                                                        \
    "    st.volatile.global.u32 [%rd1], %r1;\n"                                                    \
    "    ret;\n"                                                                                   \
    "}\n"

// trap_now(), store(address): a store to any address; fail_assert().
#define PTX_TRAP ".visible .entry trap_now()\n{\n    trap;\n}\n"
#define PTX_STORE                                                                                  \
    ".visible .entry store(.param .u64 address)\n"                                                 \
    "{\n"                                                                                          \
    "    .reg .b64 %rd<2>;\n"                                                                      \
    "    .reg .b32 %r<2>;\n"                                                                       \
    "    ld.param.u64 %rd1, [address];\n"                                                          \
    "    mov.u32 %r1, 1;\n"                                                                        \
    "    st.u32 [%rd1], %r1;\n"                                                                    \
    "    ret;\n"                                                                                   \
    "}\n"
#define PTX_ASSERT                                                                                 \
    ".extern .func __assertfail(.param .b64 p0, .param .b64 p1, .param .b32 p2, .param .b64 p3,\n" \
    "                           .param .b64 p4);\n"                                                \
    ".global .align 1 .b8 text[2] = {120, 0};\n"                                                   \
    ".visible .entry fail_assert()\n"                                                              \
    "{\n"                                                                                          \
    "    .reg .b64 %rd<4>;\n"                                                                      \
    "    mov.u64 %rd1, text;\n"                                                                    \
    "    cvta.global.u64 %rd2, %rd1;\n"                                                            \
    "    {\n"                                                                                      \
    "    .param .b64 a0;\n"                                                                        \
    "    st.param.b64 [a0], %rd2;\n"                                                               \
    "    .param .b64 a1;\n"                                                                        \
    "    st.param.b64 [a1], %rd2;\n"                                                               \
    "    .param .b32 a2;\n"                                                                        \
    "    st.param.b32 [a2], 12;\n"                                                                 \
    "    .param .b64 a3;\n"                                                                        \
    "    st.param.b64 [a3], %rd2;\n"                                                               \
    "    .param .b64 a4;\n"                                                                        \
    "    st.param.b64 [a4], 1;\n"                                                                  \
    "    call.uni __assertfail, (a0, a1, a2, a3, a4);\n"                                           \
    "    }\n"                                                                                      \
    "    ret;\n"                                                                                   \
    "}\n"

// Variables: a table of four words {1, 2, 3, 4}, a constant of 8 bytes, and read(out).
#define PTX_VARIABLES                                                                              \
    ".visible .global .align 4 .u32 table[4] = {1, 2, 3, 4};\n"                                    \
    ".visible .const .align 8 .u64 scale = 5;\n"                                                   \
    ".visible .entry read(.param .u64 out)\n"                                                      \
    "{\n"                                                                                          \
    "    .reg .b32 %r<2>;\n"                                                                       \
    "    .reg .b64 %rd<2>;\n"                                                                      \
    "    ld.param.u64 %rd1, [out];\n"                                                              \
    "    ld.global.u32 %r1, [table+8];\n"                                                          \
    "    st.global.u32 [%rd1], %r1;\n"                                                             \
    "    ret;\n"                                                                                   \
    "}\n"

// spin(flag): waits until *flag is not 0.
#define PTX_SPIN                                                                                   \
    ".visible .entry spin(.param .u64 flag)\n"                                                     \
    "{\n"                                                                                          \
    "    .reg .pred %p<2>;\n"                                                                      \
    "    .reg .b32 %r<2>;\n"                                                                       \
    "    .reg .b64 %rd<2>;\n"                                                                      \
    "    ld.param.u64 %rd1, [flag];\n"                                                             \
    "again:\n"                                                                                     \
    "    ld.volatile.global.u32 %r1, [%rd1];\n"                                                    \
    "    setp.eq.s32 %p1, %r1, 0;\n"                                                               \
    "    @%p1 bra again;\n"                                                                        \
    "    ret;\n"                                                                                   \
    "}\n"

#endif
