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

// A linear image whose rows have no gaps, as a CUDA array.
static void images(void) {
    VkExternalMemoryImageCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                              .pNext = &external,
                              .imageType = VK_IMAGE_TYPE_2D,
                              .format = VK_FORMAT_R32_UINT,
                              .extent = {WIDTH, HEIGHT, 1},
                              .mipLevels = 1,
                              .arrayLayers = 1,
                              .samples = VK_SAMPLE_COUNT_1_BIT,
                              .tiling = VK_IMAGE_TILING_LINEAR,
                              .usage =
                                  VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                              .initialLayout = VK_IMAGE_LAYOUT_PREINITIALIZED};
    VkImageSubresource sub = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT};
    VkSubresourceLayout layout;
    VkMemoryRequirements needs;
    VkImage image;
    VkDeviceMemory own_memory;
    VkBuffer own = make_buffer(WIDTH * HEIGHT * 4, false, &own_memory);
    VK_OK(vkCreateImage, device, &info, NULL, &image);
    VK_CALL(vkGetImageMemoryRequirements, device, image, &needs);
    VK_CALL(vkGetImageSubresourceLayout, device, image, &sub, &layout);
    CHECK(layout.rowPitch == WIDTH * 4);
    VkDeviceMemory memory = allocate(needs.size, true);
    VK_OK(vkBindImageMemory, device, image, memory, 0);
    CUexternalMemory m = import(memory, needs.size);
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC desc = {
        .offset = layout.offset,
        .arrayDesc = {.Width = WIDTH,
                      .Height = HEIGHT,
                      .Format = CU_AD_FORMAT_UNSIGNED_INT32,
                      .NumChannels = 1},
        .numLevels = 1};
    unsigned data[HEIGHT][WIDTH];
    CUmipmappedArray mipmap;
    CUarray a;
    for (unsigned y = 0; y < HEIGHT; y++)
        for (unsigned x = 0; x < WIDTH; x++)
            data[y][x] = y << 16 | x;
    NEED(cuExternalMemoryGetMappedMipmappedArray(&mipmap, m, &desc));
    OK(cuMipmappedArrayGetLevel(&a, mipmap, 0));
    CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                       .srcHost = data,
                       .srcPitch = WIDTH * 4,
                       .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                       .dstArray = a,
                       .WidthInBytes = WIDTH * 4,
                       .Height = HEIGHT};
    OK(cuMemcpy2D(&c));
    VkCommandBuffer commands = begin();
    VkBufferImageCopy all = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                             .imageExtent = {WIDTH, HEIGHT, 1}};
    VK_CALL(vkCmdCopyImageToBuffer, commands, image, VK_IMAGE_LAYOUT_GENERAL, own, 1, &all);
    run(commands);
    CHECK(!memcmp(map(own_memory), data, sizeof data));
    OK(cuMipmappedArrayDestroy(mipmap));
    OK(cuDestroyExternalMemory(m));
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
