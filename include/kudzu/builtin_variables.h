// threadIdx, blockIdx, blockDim, gridDim, warpSize (guide 10.4). Reading a member reads the
// special register; there is no object behind the names.
#ifndef KUDZU_BUILTIN_VARIABLES_H
#define KUDZU_BUILTIN_VARIABLES_H

#include "vector_types.h"

#define KUDZU_REGISTER_FIELD(field, reg)                                                           \
    __declspec(property(get = __get_##field)) unsigned int field;                                  \
    static inline __attribute__((device, always_inline, nodebug)) unsigned int __get_##field() {   \
        return __nvvm_read_ptx_sreg_##reg##_##field();                                             \
    }

// Copies are allowed (`auto i = threadIdx;`): a copy reads the same registers.
#define KUDZU_REGISTER_TRIPLE(type, reg)                                                           \
    struct type {                                                                                  \
        KUDZU_REGISTER_FIELD(x, reg)                                                               \
        KUDZU_REGISTER_FIELD(y, reg)                                                               \
        KUDZU_REGISTER_FIELD(z, reg)                                                               \
        __attribute__((device, always_inline, nodebug)) operator dim3() const {                    \
            return dim3(__get_x(), __get_y(), __get_z());                                          \
        }                                                                                          \
        __attribute__((device, always_inline, nodebug)) operator uint3() const {                   \
            uint3 v;                                                                               \
            v.x = __get_x(), v.y = __get_y(), v.z = __get_z();                                     \
            return v;                                                                              \
        }                                                                                          \
                                                                                                   \
      private:                                                                                     \
        __attribute__((device)) void operator=(const type &) const;                                \
        __attribute__((device)) type *operator&() const;                                           \
    }

KUDZU_REGISTER_TRIPLE(__kudzu_threadIdx_t, tid);
KUDZU_REGISTER_TRIPLE(__kudzu_blockIdx_t, ctaid);
KUDZU_REGISTER_TRIPLE(__kudzu_blockDim_t, ntid);
KUDZU_REGISTER_TRIPLE(__kudzu_gridDim_t, nctaid);

#undef KUDZU_REGISTER_TRIPLE
#undef KUDZU_REGISTER_FIELD

extern const __attribute__((device, weak)) __kudzu_threadIdx_t threadIdx;
extern const __attribute__((device, weak)) __kudzu_blockIdx_t blockIdx;
extern const __attribute__((device, weak)) __kudzu_blockDim_t blockDim;
extern const __attribute__((device, weak)) __kudzu_gridDim_t gridDim;

// A constant on every architecture that there has been.
__attribute__((device)) const int warpSize = 32;

#endif
