// Memory of Vulkan by descriptors of files (guide 6.2.16.1): buffers and linear images that Mesa's
// Vulkan for CPUs exports, in both directions, and what that Vulkan exports at all.
#include "../driver/check.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <vulkan/vulkan.h>

enum { SKIPPED = 77, BYTES = 1 << 16, WIDTH = 64, HEIGHT = 20 };

static PFN_vkGetInstanceProcAddr get_address;
static VkInstance instance;
static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static VkCommandPool pool;

#define VK(name, ...)                                                                              \
    (((PFN_##name)get_address(instance, #name))                                                    \
         ? ((PFN_##name)get_address(instance, #name))(__VA_ARGS__)                                 \
         : (exit(9), (VkResult)0))
#define VK_OK(name, ...)                                                                           \
    do {                                                                                           \
        VkResult vk_result = VK(name, __VA_ARGS__);                                                \
        if (vk_result != VK_SUCCESS) {                                                             \
            fprintf(stderr, "%d: %s: %d\n", __LINE__, #name, (int)vk_result);                      \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define VK_CALL(name, ...) (((PFN_##name)get_address(instance, #name))(__VA_ARGS__))

static void skip(const char *reason) {
    printf("skipped: %s\n", reason);
    exit(SKIPPED);
}

static bool has_extension(const char *name) {
    static VkExtensionProperties list[400];
    uint32_t n = 400;
    VK(vkEnumerateDeviceExtensionProperties, physical, NULL, &n, list);
    for (uint32_t k = 0; k < n; k++)
        if (!strcmp(list[k].extensionName, name))
            return true;
    return false;
}

// A device that runs on the CPU.
static void open_vulkan(void) {
    void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                   .pApplicationInfo = &application};
    VkPhysicalDevice list[8];
    VkPhysicalDeviceProperties properties;
    uint32_t n = 8;
    if (!library)
        skip("there is no libvulkan.so.1");
    *(void **)&get_address = dlsym(library, "vkGetInstanceProcAddr");
    if (((PFN_vkCreateInstance)get_address(NULL, "vkCreateInstance"))(&create, NULL, &instance))
        skip("there is no Vulkan");
    if (VK(vkEnumeratePhysicalDevices, instance, &n, list) < 0)
        n = 0;
    for (uint32_t k = 0; k < n && !physical; k++) {
        VK_CALL(vkGetPhysicalDeviceProperties, list[k], &properties);
        if (properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU)
            physical = list[k];
    }
    if (!physical)
        skip("there is no Vulkan for CPUs");
    printf("Vulkan: %s\n", properties.deviceName);
    if (!has_extension("VK_KHR_external_memory_fd"))
        skip("it exports no memory");
    const char *extension = "VK_KHR_external_memory_fd";
    float priority = 1;
    VkDeviceQueueCreateInfo queues = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                      .queueCount = 1,
                                      .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queues,
                               .enabledExtensionCount = 1,
                               .ppEnabledExtensionNames = &extension};
    VkCommandPoolCreateInfo pools = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VK_OK(vkCreateDevice, physical, &info, NULL, &device);
    VK_CALL(vkGetDeviceQueue, device, 0, 0, &queue);
    VK_OK(vkCreateCommandPool, device, &pools, NULL, &pool);
}

static VkCommandBuffer begin(void) {
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = pool,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = 1};
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandBuffer commands;
    VK_OK(vkAllocateCommandBuffers, device, &allocate, &commands);
    VK_OK(vkBeginCommandBuffer, commands, &info);
    return commands;
}

static void run(VkCommandBuffer commands) {
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                           .commandBufferCount = 1,
                           .pCommandBuffers = &commands};
    VK_OK(vkEndCommandBuffer, commands);
    VK_OK(vkQueueSubmit, queue, 1, &submit, VK_NULL_HANDLE);
    VK_OK(vkQueueWaitIdle, queue);
}

static VkDeviceMemory allocate(VkDeviceSize size, bool exported) {
    VkExportMemoryAllocateInfo export = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                         .handleTypes =
                                             VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .pNext = exported ? &export : NULL,
                                 .allocationSize = size};
    VkDeviceMemory memory;
    VK_OK(vkAllocateMemory, device, &info, NULL, &memory);
    return memory;
}

static VkBuffer make_buffer(VkDeviceSize size, bool exported, VkDeviceMemory *memory) {
    VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .pNext = exported ? &external : NULL,
                               .size = size,
                               .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                        VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkMemoryRequirements needs;
    VkBuffer buffer;
    VK_OK(vkCreateBuffer, device, &info, NULL, &buffer);
    VK_CALL(vkGetBufferMemoryRequirements, device, buffer, &needs);
    *memory = allocate(needs.size, exported);
    VK_OK(vkBindBufferMemory, device, buffer, *memory, 0);
    return buffer;
}

static CUexternalMemory import(VkDeviceMemory memory, VkDeviceSize size) {
    VkMemoryGetFdInfoKHR info = {.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
                                 .memory = memory,
                                 .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
                                             .size = size};
    CUexternalMemory m;
    VK_OK(vkGetMemoryFdKHR, device, &info, &desc.handle.fd);
    desc.size = 1ull << 40;
    EXPECT(cuImportExternalMemory(&m, &desc), CUDA_ERROR_INVALID_VALUE);
    desc.size = size;
    NEED(cuImportExternalMemory(&m, &desc));
    return m;
}

static unsigned *map(VkDeviceMemory memory) {
    void *at;
    VK_OK(vkMapMemory, device, memory, 0, VK_WHOLE_SIZE, 0, &at);
    return at;
}

// What Vulkan fills, CUDA reads; what CUDA fills, Vulkan copies.
static void buffers(void) {
    VkDeviceMemory shared_memory, own_memory;
    VkBuffer shared = make_buffer(BYTES, true, &shared_memory);
    VkBuffer own = make_buffer(BYTES, false, &own_memory);
    static unsigned back[BYTES / 4];
    VkCommandBuffer commands = begin();
    VK_CALL(vkCmdFillBuffer, commands, shared, 0, BYTES, 0x12345678);
    run(commands);
    CUexternalMemory m = import(shared_memory, BYTES);
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC whole = {.size = BYTES}, part = {.offset = 4096, .size = 256};
    CUdeviceptr p, q;
    NEED(cuExternalMemoryGetMappedBuffer(&p, m, &whole));
    NEED(cuExternalMemoryGetMappedBuffer(&q, m, &part));
    OK(cuMemcpyDtoH(back, p, BYTES));
    for (int i = 0; i < BYTES / 4; i++)
        CHECK(back[i] == 0x12345678);
    OK(cuMemsetD32(p, 77, BYTES / 4));
    OK(cuMemsetD32(q, 99, 64));
    OK(cuCtxSynchronize());
    commands = begin();
    VkBufferCopy all = {.size = BYTES};
    VK_CALL(vkCmdCopyBuffer, commands, shared, own, 1, &all);
    run(commands);
    unsigned *here = map(own_memory);
    for (int i = 0; i < BYTES / 4; i++)
        CHECK(here[i] == (i >= 1024 && i < 1088 ? 99 : 77));
    OK(cuMemFree(p));
    OK(cuMemFree(q));
    OK(cuDestroyExternalMemory(m));
}

// A box of a layer of an array.
static void copy_layer(CUarray a, unsigned layer, unsigned *host, bool out, unsigned width,
                       unsigned height) {
    CUmemorytype array = CU_MEMORYTYPE_ARRAY, memory = CU_MEMORYTYPE_HOST;
    CUDA_MEMCPY3D c = {.WidthInBytes = width * 4, .Height = height, .Depth = 1};
    c.srcMemoryType = out ? array : memory;
    c.dstMemoryType = out ? memory : array;
    c.srcArray = c.dstArray = a;
    c.srcHost = c.dstHost = host;
    c.srcPitch = c.dstPitch = c.WidthInBytes;
    c.srcZ = out ? layer : 0;
    c.dstZ = out ? 0 : layer;
    OK(cuMemcpy3D(&c));
}

// Images as CUDA arrays, with rows that Vulkan pads: what CUDA writes into each level and layer
// Vulkan copies out, and what Vulkan copies in CUDA reads.
static void image(VkImageTiling tiling, unsigned width, unsigned height, unsigned levels,
                  unsigned layers) {
    VkExternalMemoryImageCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                              .pNext = &external,
                              .imageType = VK_IMAGE_TYPE_2D,
                              .format = VK_FORMAT_R32_UINT,
                              .extent = {width, height, 1},
                              .mipLevels = levels,
                              .arrayLayers = layers,
                              .samples = VK_SAMPLE_COUNT_1_BIT,
                              .tiling = tiling,
                              .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                       VK_IMAGE_USAGE_TRANSFER_DST_BIT};
    VkMemoryRequirements needs;
    VkImage shared;
    VkDeviceMemory own_memory;
    VkBuffer own = make_buffer(width * height * 4, false, &own_memory);
    unsigned *here = map(own_memory), data[WIDTH * HEIGHT];
    VK_OK(vkCreateImage, device, &info, NULL, &shared);
    VK_CALL(vkGetImageMemoryRequirements, device, shared, &needs);
    VkDeviceMemory memory = allocate(needs.size, true);
    VK_OK(vkBindImageMemory, device, shared, memory, 0);
    CUexternalMemory m = import(memory, needs.size);
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC desc = {
        .arrayDesc = {.Width = width,
                      .Height = height,
                      .Depth = layers > 1 ? layers : 0,
                      .Format = CU_AD_FORMAT_UNSIGNED_INT32,
                      .NumChannels = 1,
                      .Flags = layers > 1 ? CUDA_ARRAY3D_LAYERED : 0},
        .numLevels = levels};
    CUmipmappedArray mipmap;
    CUarray a;
    NEED(cuExternalMemoryGetMappedMipmappedArray(&mipmap, m, &desc));
    for (unsigned level = 0; level < levels; level++) {
        unsigned w = width >> level, h = height >> level, n = w * h;
        OK(cuMipmappedArrayGetLevel(&a, mipmap, level));
        for (unsigned layer = 0; layer < layers; layer++) {
            for (unsigned i = 0; i < n; i++)
                data[i] = level << 24 | layer << 16 | i;
            copy_layer(a, layer, data, false, w, h);
        }
    }
    for (unsigned level = 0; level < levels; level++)
        for (unsigned layer = 0; layer < layers; layer++) {
            unsigned w = width >> level, h = height >> level, n = w * h, wrong = 0;
            VkBufferImageCopy all = {
                .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, layer, 1},
                .imageExtent = {w, h, 1}};
            VkCommandBuffer commands = begin();
            VK_CALL(vkCmdCopyImageToBuffer, commands, shared, VK_IMAGE_LAYOUT_GENERAL, own, 1,
                    &all);
            run(commands);
            for (unsigned i = 0; i < n; i++) {
                wrong += here[i] != (level << 24 | layer << 16 | i);
                here[i] += 1u << 30;
            }
            CHECK(wrong == 0);
            commands = begin();
            VK_CALL(vkCmdCopyBufferToImage, commands, own, shared, VK_IMAGE_LAYOUT_GENERAL, 1,
                    &all);
            run(commands);
            OK(cuMipmappedArrayGetLevel(&a, mipmap, level));
            memset(data, 0, sizeof data);
            copy_layer(a, layer, data, true, w, h);
            CHECK(!memcmp(data, here, n * 4));
        }
    OK(cuMipmappedArrayGetLevel(&a, mipmap, 0));
    // A copy may not reach into what lies between rows; byte by byte there is the first row alone.
    CUDA_MEMCPY2D wide = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                          .srcArray = a,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = data,
                          .dstPitch = 4 * width + 4,
                          .WidthInBytes = 4 * width + 4,
                          .Height = 1};
    EXPECT(cuMemcpy2D(&wide), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemcpyAtoH(data, a, 0, 4 * width));
    EXPECT(cuMemcpyAtoH(data, a, 0, 4 * width + 4), CUDA_ERROR_INVALID_VALUE);
    OK(cuMipmappedArrayDestroy(mipmap));
    OK(cuDestroyExternalMemory(m));
}

static void images(void) {
    image(VK_IMAGE_TILING_LINEAR, 64, 20, 1, 1);
    image(VK_IMAGE_TILING_LINEAR, 37, 11, 1, 1);
    image(VK_IMAGE_TILING_OPTIMAL, 64, 16, 5, 1);
    image(VK_IMAGE_TILING_OPTIMAL, 37, 19, 4, 1);
    image(VK_IMAGE_TILING_OPTIMAL, 21, 9, 2, 3);
}

static bool exports(VkExternalSemaphoreHandleTypeFlagBits type, VkSemaphoreType kind) {
    VkSemaphoreTypeCreateInfo what = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .semaphoreType = kind};
    VkPhysicalDeviceExternalSemaphoreInfo info = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
        .pNext = &what,
        .handleType = type};
    VkExternalSemaphoreProperties p = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
    VK_CALL(vkGetPhysicalDeviceExternalSemaphoreProperties, physical, &info, &p);
    return p.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT;
}

int main(void) {
    open_vulkan();
    check_context();
    buffers();
    images();
    printf("semaphores by descriptors: %s; binary %s, timeline %s\n",
           has_extension("VK_KHR_external_semaphore_fd") ? "yes" : "no",
           exports(VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT, VK_SEMAPHORE_TYPE_BINARY)
               ? "exported"
               : "not exported",
           exports(VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT, VK_SEMAPHORE_TYPE_TIMELINE)
               ? "exported"
               : "not exported");
    return check_result();
}
