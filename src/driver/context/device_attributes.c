// What cuDeviceGetAttribute answers: the limits of all compute capabilities and of the
// device's own (guide, table 28), and what the machine has. Features that are not built answer 0.
#include <limits.h>

#include "device/mps_client.h"
#include "driver/driver.h"
#include "support/capability.h"
#include "support/check/check_tools.h"
#include "support/compute_modes.h"

static const struct {
    CUdevice_attribute attribute;
    int value;
} fixed[] = {
#define A(name, value) {CU_DEVICE_ATTRIBUTE_##name, value},
    // clang-format off: one row a line
    A(MAX_THREADS_PER_BLOCK, 1024) A(MAX_BLOCK_DIM_X, 1024) A(MAX_BLOCK_DIM_Y, 1024)
        A(MAX_BLOCK_DIM_Z, 64) A(MAX_GRID_DIM_X, INT_MAX) A(MAX_GRID_DIM_Y, 65535)
            A(MAX_GRID_DIM_Z, 65535) A(TOTAL_CONSTANT_MEMORY, 65536) A(WARP_SIZE, 32)
                A(MAX_PITCH, INT_MAX) A(MAX_REGISTERS_PER_BLOCK, 65536) A(TEXTURE_ALIGNMENT, 256)
                    A(TEXTURE_PITCH_ALIGNMENT, 32) A(SURFACE_ALIGNMENT, 512) A(GPU_OVERLAP, 1)
                        A(ASYNC_ENGINE_COUNT, 2) A(KERNEL_EXEC_TIMEOUT, 0)
                            A(INTEGRATED, 1) // device memory is the host's
    A(CAN_MAP_HOST_MEMORY, 1) A(CONCURRENT_KERNELS, 1) A(ECC_ENABLED, 0) A(PCI_BUS_ID, 0) A(
        PCI_DOMAIN_ID, 0) A(TCC_DRIVER, 0) A(GLOBAL_MEMORY_BUS_WIDTH, 64) A(UNIFIED_ADDRESSING, 1)
        A(STREAM_PRIORITIES_SUPPORTED, 1) A(GLOBAL_L1_CACHE_SUPPORTED, 1) A(
            LOCAL_L1_CACHE_SUPPORTED, 1) A(MANAGED_MEMORY, 1) A(MULTI_GPU_BOARD,
                                                                0) A(MULTI_GPU_BOARD_GROUP_ID, 0)
            A(HOST_NATIVE_ATOMIC_SUPPORTED, 1) A(SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, 2) A(
                CONCURRENT_MANAGED_ACCESS,
                1) A(COMPUTE_PREEMPTION_SUPPORTED, 0) A(CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM,
                                                        1) A(CAN_USE_STREAM_MEM_OPS_V1, 1)
                A(CAN_USE_64_BIT_STREAM_MEM_OPS_V1, 1) A(CAN_USE_STREAM_WAIT_VALUE_NOR_V1, 1) A(
                    CAN_USE_64_BIT_STREAM_MEM_OPS,
                    1) A(CAN_USE_STREAM_WAIT_VALUE_NOR,
                         1) A(COOPERATIVE_LAUNCH, 1)
                    A(COOPERATIVE_MULTI_DEVICE_LAUNCH, 1) A(CAN_FLUSH_REMOTE_WRITES, 1) A(
                        HOST_REGISTER_SUPPORTED,
                        1) A(READ_ONLY_HOST_REGISTER_SUPPORTED,
                             1) A(DIRECT_MANAGED_MEM_ACCESS_FROM_HOST, 1)
                        A(VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED, 1) A(
                            HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED,
                            1) A(HANDLE_TYPE_WIN32_HANDLE_SUPPORTED,
                                 0) A(HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED, 0)
                            A(HANDLE_TYPE_FABRIC_SUPPORTED, 1) A(GENERIC_COMPRESSION_SUPPORTED, 0) A(
                                GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED,
                                0) A(SPARSE_CUDA_ARRAY_SUPPORTED,
                                     1) A(TIMELINE_SEMAPHORE_INTEROP_SUPPORTED, 1)
                                A(MEMORY_POOLS_SUPPORTED, 1) A(GPU_DIRECT_RDMA_SUPPORTED, 0) A(
                                    GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS,
                                    0) A(GPU_DIRECT_RDMA_WRITES_ORDERING,
                                         CU_GPU_DIRECT_RDMA_WRITES_ORDERING_NONE)
                                    A(MEMPOOL_SUPPORTED_HANDLE_TYPES,
                                      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR |
                                          CU_MEM_HANDLE_TYPE_FABRIC)
                                        A(DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED, 1) A(
                                            DMA_BUF_SUPPORTED,
                                            0) A(IPC_EVENT_SUPPORTED,
                                                 1) A(UNIFIED_FUNCTION_POINTERS, 0)
                                            A(NUMA_CONFIG, CU_DEVICE_NUMA_CONFIG_NONE) A(
                                                NUMA_ID, -1) A(HOST_NUMA_ID,
                                                               0) A(MULTICAST_SUPPORTED, 1)
                                                A(D3D12_CIG_SUPPORTED, 0) A(VULKAN_CIG_SUPPORTED, 0) A(
                                                    MEM_DECOMPRESS_ALGORITHM_MASK,
                                                    0) A(MEM_DECOMPRESS_MAXIMUM_LENGTH,
                                                         0) A(GPU_PCI_DEVICE_ID, 0)
                                                    A(GPU_PCI_SUBSYSTEM_ID, 0) A(
                                                        HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
                                                        1) A(HOST_NUMA_MEMORY_POOLS_SUPPORTED,
                                                             1) A(HOST_NUMA_MULTINODE_IPC_SUPPORTED, 0)
                                                        A(HOST_MEMORY_POOLS_SUPPORTED, 1) A(
                                                            HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
                                                            1) A(HOST_ALLOC_DMA_BUF_SUPPORTED, 0)
                                                            A(ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED,
                                                              0)
    // Textures and surfaces (guide, table 28).
    A(MAXIMUM_TEXTURE1D_WIDTH, 131072) A(MAXIMUM_TEXTURE1D_LINEAR_WIDTH, 1 << 28)
        A(MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH, 32768) A(MAXIMUM_TEXTURE1D_LAYERED_WIDTH, 32768) A(
            MAXIMUM_TEXTURE1D_LAYERED_LAYERS, 2048) A(MAXIMUM_TEXTURE2D_WIDTH,
                                                      131072) A(MAXIMUM_TEXTURE2D_HEIGHT, 65536)
            A(MAXIMUM_TEXTURE2D_LINEAR_WIDTH, 131072) A(MAXIMUM_TEXTURE2D_LINEAR_HEIGHT, 65000) A(
                MAXIMUM_TEXTURE2D_LINEAR_PITCH, 2097120) A(MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH, 32768)
                A(MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT, 32768) A(CAN_TEX2D_GATHER, 1) A(
                    MAXIMUM_TEXTURE2D_GATHER_WIDTH, 32768) A(MAXIMUM_TEXTURE2D_GATHER_HEIGHT, 32768)
                    A(MAXIMUM_TEXTURE2D_LAYERED_WIDTH, 32768) A(MAXIMUM_TEXTURE2D_LAYERED_HEIGHT,
                                                                32768)
                        A(MAXIMUM_TEXTURE2D_LAYERED_LAYERS, 2048) A(MAXIMUM_TEXTURE3D_WIDTH, 16384)
                            A(MAXIMUM_TEXTURE3D_HEIGHT, 16384) A(MAXIMUM_TEXTURE3D_DEPTH, 16384) A(
                                MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE,
                                8192) A(MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE,
                                        8192) A(MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE, 32768)
                                A(MAXIMUM_TEXTURECUBEMAP_WIDTH,
                                  32768) A(MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH,
                                           32768) A(MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS, 2046)
                                    A(MAXIMUM_SURFACE1D_WIDTH, 32768) A(
                                        MAXIMUM_SURFACE1D_LAYERED_WIDTH,
                                        32768) A(MAXIMUM_SURFACE1D_LAYERED_LAYERS,
                                                 2048) A(MAXIMUM_SURFACE2D_WIDTH,
                                                         131072) A(MAXIMUM_SURFACE2D_HEIGHT, 65536)
                                        A(MAXIMUM_SURFACE2D_LAYERED_WIDTH,
                                          32768) A(MAXIMUM_SURFACE2D_LAYERED_HEIGHT,
                                                   32768) A(MAXIMUM_SURFACE2D_LAYERED_LAYERS, 2048)
                                            A(MAXIMUM_SURFACE3D_WIDTH,
                                              16384) A(MAXIMUM_SURFACE3D_HEIGHT,
                                                       16384) A(MAXIMUM_SURFACE3D_DEPTH, 16384)
                                                A(MAXIMUM_SURFACECUBEMAP_WIDTH, 32768) A(
                                                    MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH, 32768)
                                                    A(MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS, 2046)
// clang-format on
#undef A
};

// What came with a compute capability: 8.0 windows in the caches, 9.0 clusters and what is beside.
static bool of_capability(const struct capability *c, CUdevice_attribute attribute, int *out) {
    bool windows = c->number >= 80, clusters = c->number >= 90;
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *out = (int)c->number / 10;
        return true;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        *out = (int)c->number % 10;
        return true;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        *out = (int)c->max_shared_block;
        return true;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
        *out = (int)c->max_shared;
        return true;
    case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK:
        *out = (int)c->reserved_shared;
        return true;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
        *out = (int)c->max_threads;
        return true;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
        *out = (int)c->max_blocks;
        return true;
    case CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE:
        *out = windows ? 134213632 : 0;
        return true;
    case CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH:
    case CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED:
        *out = clusters;
        return true;
    case CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT:
        *out = clusters ? 4 : 1;
        return true;
    default:
        return false;
    }
}

static bool of_machine(const struct drv_device *d, CUdevice_attribute attribute, int *out) {
    const struct kd_properties *p = d->properties;
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS:
    case CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES:
        *out = !(check_tools() & CHECK_MEMORY); // the check reports such accesses
        return true;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
        *out = (int)p->max_shared_block;
        return true;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
        *out = (int)p->registers_sm;
        return true;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        *out = p->workers;
        return true;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
        *out = p->clock_khz;
        return true;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
        *out = p->memory_clock_khz;
        return true;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
        *out = p->l2_bytes > INT_MAX ? INT_MAX : (int)p->l2_bytes;
        return true;
    case CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE: // as on hardware, a part
        *out = p->capability->number < 80 ? 0
               : p->l2_bytes > INT_MAX    ? INT_MAX
                                          : (int)(p->l2_bytes / 16 * 11);
        return true;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
        *out = (int)compute_mode_get((unsigned)kd_device_index(d->d));
        return true;
    case CU_DEVICE_ATTRIBUTE_MPS_ENABLED:
        *out = kd_is_mps_client();
        return true;
    case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID:
        *out = kd_device_index(d->d);
        return true;
    default:
        return false;
    }
}

CUresult drv_device_attribute(struct drv_device *d, CUdevice_attribute attribute, int *out) {
    if (of_machine(d, attribute, out) || of_capability(d->properties->capability, attribute, out))
        return CUDA_SUCCESS;
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        if (fixed[i].attribute == attribute) {
            *out = fixed[i].value;
            return CUDA_SUCCESS;
        }
    }
    FAIL(CUDA_ERROR_INVALID_VALUE, "%d is no device attribute", (int)attribute);
}

CUresult cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev) {
    ENTER();
    REQUIRE_POINTER(pi);
    struct drv_device *d;
    TRY(drv_device_find(dev, &d));
    return drv_device_attribute(d, attrib, pi);
}
