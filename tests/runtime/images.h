// Device images for the tests, as PTX text, registered by hand in the way of the compiler's code.
#ifndef KUDZU_TESTS_RUNTIME_IMAGES_H
#define KUDZU_TESTS_RUNTIME_IMAGES_H

#include "kudzu/registration.h"

// fill(int *p, int v): thread i of the grid stores v + i in p[i].
// shape(int *p): thread 0 of block 0 stores grid and block shape, then dynamic shared bytes.
// add_table(int *p): p[0] = table[0] + table[3] + counter.
// trap(): ends with a trap.
static const char test_image[] = "\
.version 8.0\n\
.target sm_50\n\
.address_size 64\n\
.visible .const .align 4 .b8 table[16];\n\
.visible .global .align 4 .u32 counter = 5;\n\
.visible .entry fill(.param .u64 fill_p, .param .u32 fill_v)\n\
{\n\
  .reg .b32 %r<6>;\n\
  .reg .b64 %d<4>;\n\
  ld.param.u64 %d0, [fill_p];\n\
  ld.param.u32 %r0, [fill_v];\n\
  cvta.to.global.u64 %d1, %d0;\n\
  mov.u32 %r1, %ctaid.x;\n\
  mov.u32 %r2, %ntid.x;\n\
  mov.u32 %r3, %tid.x;\n\
  mad.lo.s32 %r4, %r1, %r2, %r3;\n\
  add.s32 %r5, %r0, %r4;\n\
  mul.wide.u32 %d2, %r4, 4;\n\
  add.s64 %d3, %d1, %d2;\n\
  st.global.u32 [%d3], %r5;\n\
  ret;\n\
}\n\
.visible .entry shape(.param .u64 shape_p)\n\
{\n\
  .reg .b32 %r<9>;\n\
  .reg .b64 %d<2>;\n\
  .reg .pred %p<2>;\n\
  mov.u32 %r0, %tid.x;\n\
  mov.u32 %r1, %ctaid.x;\n\
  or.b32 %r2, %r0, %r1;\n\
  mov.u32 %r3, %tid.y;\n\
  or.b32 %r2, %r2, %r3;\n\
  mov.u32 %r3, %tid.z;\n\
  or.b32 %r2, %r2, %r3;\n\
  mov.u32 %r3, %ctaid.y;\n\
  or.b32 %r2, %r2, %r3;\n\
  mov.u32 %r3, %ctaid.z;\n\
  or.b32 %r2, %r2, %r3;\n\
  setp.ne.u32 %p0, %r2, 0;\n\
  @%p0 bra done;\n\
  ld.param.u64 %d0, [shape_p];\n\
  cvta.to.global.u64 %d1, %d0;\n\
  mov.u32 %r3, %nctaid.x;\n\
  st.global.u32 [%d1], %r3;\n\
  mov.u32 %r4, %nctaid.y;\n\
  st.global.u32 [%d1+4], %r4;\n\
  mov.u32 %r5, %nctaid.z;\n\
  st.global.u32 [%d1+8], %r5;\n\
  mov.u32 %r6, %ntid.x;\n\
  st.global.u32 [%d1+12], %r6;\n\
  mov.u32 %r7, %ntid.y;\n\
  st.global.u32 [%d1+16], %r7;\n\
  mov.u32 %r8, %ntid.z;\n\
  st.global.u32 [%d1+20], %r8;\n\
  mov.u32 %r8, %dynamic_smem_size;\n\
  st.global.u32 [%d1+24], %r8;\n\
done:\n\
  ret;\n\
}\n\
.visible .entry add_table(.param .u64 add_table_p)\n\
{\n\
  .reg .b32 %r<6>;\n\
  .reg .b64 %d<3>;\n\
  ld.param.u64 %d0, [add_table_p];\n\
  cvta.to.global.u64 %d1, %d0;\n\
  ld.const.u32 %r0, [table];\n\
  ld.const.u32 %r1, [table+12];\n\
  ld.global.u32 %r2, [counter];\n\
  add.s32 %r3, %r0, %r1;\n\
  add.s32 %r4, %r3, %r2;\n\
  st.global.u32 [%d1], %r4;\n\
  ret;\n\
}\n\
.visible .entry trap()\n\
{\n\
  trap;\n\
  ret;\n\
}\n";

// Host stubs and shadows: only their addresses count.
static char fill_stub, shape_stub, add_table_stub, trap_stub, missing_stub, unknown_stub;
static char table_shadow[16], missing_shadow;
static int counter_shadow;

static struct __cudaFatBinaryWrapper test_wrapper = {KUDZU_FATBIN_WRAPPER_MAGIC, 1, test_image, 0};
static void **test_handle;

static inline void register_kernel(void **handle, const char *stub, const char *name) {
    __cudaRegisterFunction(handle, stub, (char *)stub, name, -1, 0, 0, 0, 0, 0);
}

static inline void register_test_image(void) {
    test_handle = __cudaRegisterFatBinary(&test_wrapper);
    register_kernel(test_handle, &fill_stub, "fill");
    register_kernel(test_handle, &shape_stub, "shape");
    register_kernel(test_handle, &add_table_stub, "add_table");
    register_kernel(test_handle, &trap_stub, "trap");
    register_kernel(test_handle, &missing_stub, "no_such_kernel");
    __cudaRegisterVar(test_handle, table_shadow, table_shadow, "table", 0, 16, 1, 0);
    __cudaRegisterVar(test_handle, (char *)&counter_shadow, (char *)&counter_shadow, "counter", 0,
                      4, 0, 0);
    __cudaRegisterVar(test_handle, &missing_shadow, &missing_shadow, "no_such_variable", 0, 4, 0,
                      0);
    __cudaRegisterFatBinaryEnd(test_handle);
}

#endif
