// Functions: attributes and preferences.
#include "check.h"
#include "kernels.h"

static const char ptx[] = PTX_HEAD PTX_FILL PTX_BOUNDED PTX_SHARED PTX_VARIABLES;

static int attribute(CUfunction f, CUfunction_attribute a) {
    int value = -99;
    OK(cuFuncGetAttribute(&value, a, f));
    return value;
}

int main(void) {
    CUcontext ctx = check_context();
    CUmodule m, owner;
    CUfunction fill, bounded, shared;
    const char *name;
    size_t offset, size;
    NEED(cuModuleLoadData(&m, ptx));
    NEED(cuModuleGetFunction(&fill, m, "fill"));
    NEED(cuModuleGetFunction(&bounded, m, "bounded"));
    NEED(cuModuleGetFunction(&shared, m, "shared"));
    CHECK(attribute(bounded, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK) == 64);
    CHECK(attribute(fill, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK) == 1024);
    CHECK(attribute(shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES) == 16384);
    CHECK(attribute(fill, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES) == 0);
    CHECK(attribute(fill, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES) == 8);
    int registers = attribute(fill, CU_FUNC_ATTRIBUTE_NUM_REGS);
    CHECK(registers >= 1 && registers <= 255);
    CHECK(attribute(fill, CU_FUNC_ATTRIBUTE_PTX_VERSION) == 90);
    CHECK(attribute(fill, CU_FUNC_ATTRIBUTE_BINARY_VERSION) == 90);
    for (int a = 0; a < CU_FUNC_ATTRIBUTE_MAX; a++)
        attribute(fill, (CUfunction_attribute)a);
    // What 48 KiB leave; with opting in, what 227 KiB leave.
    CHECK(attribute(shared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) == 32 * 1024);
    OK(cuFuncSetAttribute(shared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 211 * 1024));
    CHECK(attribute(shared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) == 211 * 1024);
    EXPECT(
        cuFuncSetAttribute(shared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 211 * 1024 + 1),
        CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuFuncSetAttribute(shared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1),
           CUDA_ERROR_INVALID_VALUE);
    OK(cuFuncSetAttribute(fill, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
    CHECK(attribute(fill, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) == 50);
    EXPECT(cuFuncSetAttribute(fill, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 101),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuFuncSetAttribute(fill, CU_FUNC_ATTRIBUTE_NUM_REGS, 3), CUDA_ERROR_INVALID_VALUE);
    int value;
    EXPECT(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX, fill), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuFuncGetAttribute(NULL, CU_FUNC_ATTRIBUTE_NUM_REGS, fill), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, NULL), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, (CUfunction)m),
           CUDA_ERROR_INVALID_HANDLE);
    OK(cuFuncSetCacheConfig(fill, CU_FUNC_CACHE_PREFER_L1));
    EXPECT(cuFuncSetCacheConfig(fill, (CUfunc_cache)8), CUDA_ERROR_INVALID_VALUE);
    OK(cuFuncSetSharedMemConfig(fill, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE));
    OK(cuFuncGetModule(&owner, fill));
    CHECK(owner == m);
    OK(cuFuncGetName(&name, shared));
    CHECK(!strcmp(name, "shared"));
    OK(cuFuncGetParamInfo(fill, 1, &offset, &size));
    CHECK(offset == 8 && size == 4);
    OK(cuFuncGetParamInfo(fill, 0, &offset, NULL));
    EXPECT(cuFuncGetParamInfo(bounded, 0, &offset, &size), CUDA_ERROR_INVALID_VALUE);
    CUfunctionLoadingState state;
    OK(cuFuncLoad(fill));
    OK(cuFuncIsLoaded(&state, fill));
    CHECK(state == CU_FUNCTION_LOADING_STATE_LOADED);
    OK(cuCtxDestroy(ctx));
    return check_result();
}
