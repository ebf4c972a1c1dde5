// The device language: built-in variables and functions. Host compilation sees all of it too,
// since it parses kernels and __host__ __device__ functions.
#ifndef KUDZU_DEVICE_LANGUAGE_H
#define KUDZU_DEVICE_LANGUAGE_H

#include "kudzu/builtin_variables.h"

// clang's headers ask for the toolkit's version. Of versions before 9.2 they expect the SIMD
// functions on packed bytes and halves (__vadd2 ...) in the device library, where kudzu has them.
#pragma push_macro("CUDA_VERSION")
#undef CUDA_VERSION
#define CUDA_VERSION 9010

// The votes without a mask are kudzu's own (warp_functions.h): the instructions that clang's
// versions stand for are gone from compute capability 7.0 on.
#define __all __clang_vote_all
#define __any __clang_vote_any
#define __ballot __clang_vote_ballot
#include <__clang_cuda_libdevice_declares.h>

#include <__clang_cuda_device_functions.h>
#undef __all
#undef __any
#undef __ballot
#include <__clang_cuda_math.h>

#pragma pop_macro("CUDA_VERSION")

#include "kudzu/atomic_functions.h"
#include "kudzu/integer_functions.h"
#include "kudzu/math_overloads.h"
#include "kudzu/memory_functions.h"
#include "kudzu/system_functions.h"
#include "kudzu/warp_functions.h"

#include <__clang_cuda_cmath.h>
#include <__clang_cuda_complex_builtins.h>

// Device versions of operator new and delete.
#include <new>

#endif
