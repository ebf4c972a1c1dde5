#include "layout.h"
#include "vector_functions.h"

int main() {
    // What C++ programs write.
    dim3 block(16), grid = 3, shape = dim3(1, 2), copy(make_uint3(4, 5, 6));
    uint3 back = copy;
    cudaStreamAttrValue attribute = {};
    attribute.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    cudaMemcpy3DParms parms = {};
    cudaLaunchConfig_t config = {};
    return !(block.y == 1 && grid.x == 3 && shape.y == 2 && back.z == 6 && !parms.srcArray &&
             attribute.accessPolicyWindow.missProp == cudaAccessPropertyNormal &&
             config.gridDim.x == 1);
}
