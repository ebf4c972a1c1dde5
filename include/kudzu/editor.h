// What clangd includes before a source (`kudzu clangd-config`): the runtime's header, as nvcc does,
// and builtin functions of device code that clang before 19 has not, which editors run nowhere.
#ifndef KUDZU_EDITOR_H
#define KUDZU_EDITOR_H

#if __clang_major__ < 19
#define __nvvm_activemask() 0u
#define __nvvm_read_ptx_sreg_clusterid_x() 0u
#define __nvvm_read_ptx_sreg_clusterid_y() 0u
#define __nvvm_read_ptx_sreg_clusterid_z() 0u
#define __nvvm_read_ptx_sreg_nclusterid_x() 0u
#define __nvvm_read_ptx_sreg_nclusterid_y() 0u
#define __nvvm_read_ptx_sreg_nclusterid_z() 0u
#endif

#include <cuda_runtime.h>

#endif
