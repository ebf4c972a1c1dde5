// Questions that a CPU device answers with "none" or "unknown": racks, interface cards, excluded
// devices, buses, capabilities, licences, metrics, fields.
#include "nvml/nvml.h"

static nvmlReturn_t give_none(unsigned *out) {
    REQUIRE(out);
    *out = 0;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlUnitGetCount(unsigned int *unitCount) {
    ENTER(s);
    return give_none(unitCount);
}

nvmlReturn_t nvmlUnitGetHandleByIndex(unsigned int index, nvmlUnit_t *unit) {
    ENTER(s);
    return NVML_ERROR_INVALID_ARGUMENT; // no index is below their number
}

nvmlReturn_t nvmlSystemGetHicVersion(unsigned int *hwbcCount, nvmlHwbcEntry_t *hwbcEntries) {
    ENTER(s);
    return give_none(hwbcCount);
}

nvmlReturn_t nvmlGetExcludedDeviceCount(unsigned int *deviceCount) {
    ENTER(s);
    return give_none(deviceCount);
}

nvmlReturn_t nvmlGetExcludedDeviceInfoByIndex(unsigned int index, nvmlExcludedDeviceInfo_t *info) {
    ENTER(s);
    return NVML_ERROR_INVALID_ARGUMENT; // no index is below their number
}

nvmlReturn_t nvmlDeviceGetBusType(nvmlDevice_t device, unsigned int *type) {
    ENTER_DEVICE(s, device);
    return give_none(type); // NVML_BUS_TYPE_UNKNOWN
}

nvmlReturn_t nvmlDeviceGetCapabilities(nvmlDevice_t device, nvmlDeviceCapabilities_t *caps) {
    ENTER_DEVICE(s, device);
    REQUIRE(caps);
    if (caps->version != nvmlDeviceCapabilities_v1)
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    return give_none(&caps->capMask);
}

// Structures of all versions begin with the two numbers, and have no more than they count.
nvmlReturn_t
nvmlDeviceGetGridLicensableFeatures_v4(nvmlDevice_t device,
                                       nvmlGridLicensableFeatures_t *pGridLicensableFeatures) {
    ENTER_DEVICE(s, device);
    REQUIRE(pGridLicensableFeatures);
    pGridLicensableFeatures->isGridLicenseSupported = 0;
    return give_none(&pGridLicensableFeatures->licensableFeaturesCount);
}

nvmlReturn_t nvmlGpmQueryDeviceSupport(nvmlDevice_t device, nvmlGpmSupport_t *gpmSupport) {
    ENTER_DEVICE(s, device);
    REQUIRE(gpmSupport);
    if (gpmSupport->version != NVML_GPM_SUPPORT_VERSION)
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    return give_none(&gpmSupport->isSupportedDevice);
}

// Each field has an answer of its own.
nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int valuesCount,
                                      nvmlFieldValue_t *values) {
    ENTER_DEVICE(s, device);
    REQUIRE(values && valuesCount > 0);
    for (int i = 0; i < valuesCount; ++i)
        values[i].nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceClearFieldValues(nvmlDevice_t device, int valuesCount,
                                        nvmlFieldValue_t *values) {
    return nvmlDeviceGetFieldValues(device, valuesCount, values);
}
