// Attributes of launches, streams and kernel nodes: which values they may have. What is a hint
// about caches, placement or memory domains has no effect on results.
#include "driver/driver.h"

enum { MAX_WINDOW = 134213632, SYNC_DOMAINS = 4 };

// A window of addresses that caches should keep (guide 6.2.3).
static CUresult check_window(const CUaccessPolicyWindow *w) {
    REQUIRE(w->num_bytes <= MAX_WINDOW, CUDA_ERROR_INVALID_VALUE,
            "a window of %zu bytes; %d are possible", w->num_bytes, MAX_WINDOW);
    REQUIRE(w->hitRatio >= 0 && w->hitRatio <= 1, CUDA_ERROR_INVALID_VALUE,
            "hitRatio is from 0 to 1, not %g", (double)w->hitRatio);
    REQUIRE((unsigned)w->hitProp <= CU_ACCESS_PROPERTY_PERSISTING &&
                (unsigned)w->missProp <= CU_ACCESS_PROPERTY_STREAMING,
            CUDA_ERROR_INVALID_VALUE,
            "hitProp %d, missProp %d: missProp is normal or streaming, hitProp may be persisting",
            (int)w->hitProp, (int)w->missProp);
    return CUDA_SUCCESS;
}

static CUresult check_cluster(unsigned x, unsigned y, unsigned z) {
    REQUIRE(x && y && z, CUDA_ERROR_INVALID_CLUSTER_SIZE, "a cluster of (%u, %u, %u) blocks", x, y,
            z);
    return CUDA_SUCCESS;
}

CUresult drv_attribute_check(CUlaunchAttributeID id, const CUlaunchAttributeValue *v) {
    switch (id) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        return check_window(&v->accessPolicyWindow);
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
        REQUIRE(v->syncPolicy >= CU_SYNC_POLICY_AUTO &&
                    v->syncPolicy <= CU_SYNC_POLICY_BLOCKING_SYNC,
                CUDA_ERROR_INVALID_VALUE, "%d is no synchronisation policy", (int)v->syncPolicy);
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        return check_cluster(v->clusterDim.x, v->clusterDim.y, v->clusterDim.z);
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
        return check_cluster(v->preferredClusterDim.x, v->preferredClusterDim.y,
                             v->preferredClusterDim.z);
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        REQUIRE((unsigned)v->clusterSchedulingPolicyPreference <=
                    CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING,
                CUDA_ERROR_INVALID_VALUE, "%d is no scheduling policy",
                (int)v->clusterSchedulingPolicyPreference);
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
        REQUIRE(v->memSyncDomainMap.default_ < SYNC_DOMAINS &&
                    v->memSyncDomainMap.remote < SYNC_DOMAINS,
                CUDA_ERROR_INVALID_VALUE, "domains %d and %d: there are %d",
                v->memSyncDomainMap.default_, v->memSyncDomainMap.remote, SYNC_DOMAINS);
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
        REQUIRE((unsigned)v->memSyncDomain <= CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE,
                CUDA_ERROR_INVALID_VALUE, "%d is no memory synchronisation domain",
                (int)v->memSyncDomain);
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        REQUIRE((int)v->sharedMemCarveout >= -1 && (int)v->sharedMemCarveout <= 100,
                CUDA_ERROR_INVALID_VALUE, "the carveout is a percentage or -1, not %d",
                (int)v->sharedMemCarveout);
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
    case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
        return CUDA_SUCCESS;
    }
    FAIL(CUDA_ERROR_INVALID_VALUE, "%d is no attribute of a launch", (int)id);
}
