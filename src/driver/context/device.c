// Devices: which there are (CUDA_VISIBLE_DEVICES), their names and sizes.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/context/device_rights.h"
#include "driver/driver.h"
#include "support/capability.h"
#include "support/environment.h"

static struct drv_device devices[DRV_MAX_DEVICES];
static int count;

static void uuid_text(const uint8_t uuid[16], char text[41]) {
    char *at = text + sprintf(text, "GPU-");
    for (int i = 0; i < 16; i++)
        at += sprintf(at, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", uuid[i]);
}

// The index of the device that one element of CUDA_VISIBLE_DEVICES names: a number, or the
// beginning of a UUID that only one device has. -1: none.
static int device_named(const char *name, size_t length) {
    int total = kd_device_count(), found = -1;
    if (length && isdigit((unsigned char)name[0])) {
        char *end;
        long index = strtol(name, &end, 10);
        return end == name + length && index < total ? (int)index : -1;
    }
    for (int i = 0; i < total && length > 4; i++) {
        struct kd_device *d = kd_device_open(i);
        char text[41];
        if (!d)
            continue;
        uuid_text(kd_device_properties(d)->uuid, text);
        if (!strncasecmp(name, text, length)) {
            if (found >= 0)
                return -1;
            found = i;
        }
    }
    return found;
}

// Fills `indices` in the order in which the program sees the devices. The list of
// CUDA_VISIBLE_DEVICES ends at the first element that names no device, or one twice.
static int visible_devices(int indices[DRV_MAX_DEVICES]) {
    int total = kd_device_count(), n = 0;
    const char *list = environment_get("CUDA_VISIBLE_DEVICES");
    if (!list) {
        while (n < total && n < DRV_MAX_DEVICES) {
            indices[n] = n;
            n++;
        }
        return n;
    }
    while (*list && n < DRV_MAX_DEVICES) {
        list += strspn(list, " \t");
        size_t length = strcspn(list, ", \t");
        int index = device_named(list, length);
        for (int i = 0; i < n; i++)
            if (indices[i] == index)
                index = -1;
        if (index < 0)
            return n;
        indices[n++] = index;
        list += length;
        list += strspn(list, ", \t");
    }
    return n;
}

CUresult drv_devices_open(void) {
    int indices[DRV_MAX_DEVICES];
    int n = visible_devices(indices);
    REQUIRE(n > 0, CUDA_ERROR_NO_DEVICE, "CUDA_VISIBLE_DEVICES leaves no device");
    for (int i = 0; i < n; i++) {
        struct drv_device *d = &devices[i];
        d->ordinal = i;
        d->d = kd_device_open(indices[i]);
        REQUIRE(d->d, CUDA_ERROR_OUT_OF_MEMORY, "device %d: %s", i, kd_reason());
        d->properties = kd_device_properties(d->d);
        if (!d->primary)
            d->primary = drv_context_new_primary(d);
        if (!d->default_pool)
            d->default_pool = drv_pool_new(d);
        REQUIRE(d->primary && d->default_pool, CUDA_ERROR_OUT_OF_MEMORY, "no memory for device %d",
                i);
    }
    count = n;
    for (int i = 0; i < n; i++)
        drv_pool_enforce(devices[i].default_pool);
    drv_answer_kernels();
    return CUDA_SUCCESS;
}

int drv_device_count(void) {
    return count;
}

int drv_device_ordinal(const struct kd_device *d) {
    for (int i = 0; i < count; i++)
        if (devices[i].d == d)
            return i;
    return CU_DEVICE_INVALID;
}

CUresult drv_device_find(CUdevice dev, struct drv_device **out) {
    REQUIRE(dev >= 0 && dev < count, CUDA_ERROR_INVALID_DEVICE,
            "device %d does not exist; there are %d", dev, count);
    *out = &devices[dev];
    return CUDA_SUCCESS;
}

uint64_t drv_device_indices(uint64_t which) {
    uint64_t indices = 0;
    for (int k = 0; k < count; k++)
        if (which >> k & 1)
            indices |= 1ull << kd_device_index(devices[k].d);
    return indices;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    ENTER();
    REQUIRE_POINTER(device);
    struct drv_device *d;
    TRY(drv_device_find(ordinal, &d));
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *out) {
    ENTER();
    REQUIRE(out != NULL, CUDA_ERROR_INVALID_VALUE, "count cannot be NULL");
    *out = count;
    return CUDA_SUCCESS;
}

// The name is cut to `len` bytes with its NUL.
CUresult cuDeviceGetName(char *name, int len, CUdevice dev) {
    ENTER();
    REQUIRE_POINTER(name);
    REQUIRE(len > 0, CUDA_ERROR_INVALID_VALUE, "len must be positive");
    struct drv_device *d;
    TRY(drv_device_find(dev, &d));
    snprintf(name, (size_t)len, "%s", d->properties->name);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev) {
    ENTER();
    REQUIRE_POINTER(uuid);
    struct drv_device *d;
    TRY(drv_device_find(dev, &d));
    memcpy(uuid->bytes, d->properties->uuid, sizeof uuid->bytes);
    return CUDA_SUCCESS;
}

// The first version knew no parts of devices; kudzu has none, so that both mean the same.
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev) {
    return cuDeviceGetUuid_v2(uuid, dev);
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev) {
    ENTER();
    REQUIRE_POINTER(bytes);
    struct drv_device *d;
    TRY(drv_device_find(dev, &d));
    *bytes = d->properties->total_memory;
    return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice dev) {
    ENTER();
    REQUIRE_POINTER(major);
    REQUIRE_POINTER(minor);
    struct drv_device *d;
    TRY(drv_device_find(dev, &d));
    *major = (int)d->properties->capability->number / 10;
    *minor = (int)d->properties->capability->number % 10;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetProperties(CUdevprop *prop, CUdevice dev) {
    ENTER();
    REQUIRE_POINTER(prop);
    struct drv_device *d;
    TRY(drv_device_find(dev, &d));
    const struct {
        int *to;
        CUdevice_attribute attribute;
    } fields[] = {
        {&prop->maxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
        {&prop->maxThreadsDim[0], CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X},
        {&prop->maxThreadsDim[1], CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y},
        {&prop->maxThreadsDim[2], CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z},
        {&prop->maxGridSize[0], CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X},
        {&prop->maxGridSize[1], CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y},
        {&prop->maxGridSize[2], CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z},
        {&prop->sharedMemPerBlock, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK},
        {&prop->totalConstantMemory, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY},
        {&prop->SIMDWidth, CU_DEVICE_ATTRIBUTE_WARP_SIZE},
        {&prop->memPitch, CU_DEVICE_ATTRIBUTE_MAX_PITCH},
        {&prop->regsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK},
        {&prop->clockRate, CU_DEVICE_ATTRIBUTE_CLOCK_RATE},
        {&prop->textureAlign, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT},
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        TRY(drv_device_attribute(d, fields[i].attribute, fields[i].to));
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetExecAffinitySupport(int *pi, CUexecAffinityType type, CUdevice dev) {
    ENTER();
    REQUIRE_POINTER(pi);
    struct drv_device *d;
    TRY(drv_device_find(dev, &d));
    REQUIRE(type == CU_EXEC_AFFINITY_TYPE_SM_COUNT, CUDA_ERROR_INVALID_VALUE,
            "there is no execution affinity of type %d", (int)type);
    *pi = 0;
    return CUDA_SUCCESS;
}

// A PCI address that stands for the device: domain 0, bus 0, device = its number in the machine,
// whatever CUDA_VISIBLE_DEVICES leaves of them.
CUresult cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev) {
    ENTER();
    REQUIRE_POINTER(pciBusId);
    struct drv_device *d;
    TRY(drv_device_find(dev, &d));
    REQUIRE(len >= 13, CUDA_ERROR_INVALID_VALUE, "len must be at least 13, not %d", len);
    snprintf(pciBusId, (size_t)len, "0000:00:%02X.0", (unsigned)kd_device_index(d->d));
    return CUDA_SUCCESS;
}

// [domain:]bus:device[.function], hexadecimal.
CUresult cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId) {
    ENTER();
    REQUIRE_POINTER(dev);
    REQUIRE_POINTER(pciBusId);
    unsigned domain = 0, bus, device, function = 0;
    if (sscanf(pciBusId, "%x:%x:%x.%x", &domain, &bus, &device, &function) < 3) {
        domain = function = 0;
        REQUIRE(sscanf(pciBusId, "%x:%x.%x", &bus, &device, &function) >= 2,
                CUDA_ERROR_INVALID_VALUE, "'%s' is no PCI address", pciBusId);
    }
    for (int i = 0; i < count && !domain && !bus && !function; i++) {
        if ((unsigned)kd_device_index(devices[i].d) == device) {
            *dev = i;
            return CUDA_SUCCESS;
        }
    }
    FAIL(CUDA_ERROR_INVALID_DEVICE, "no device has the PCI address %s", pciBusId);
}
