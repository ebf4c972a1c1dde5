#include "tools/smi_fields.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static bool timestamp(nvmlDevice_t device, char *out, unsigned size) {
    struct timespec now;
    struct tm local;
    clock_gettime(CLOCK_REALTIME, &now);
    if (!localtime_r(&now.tv_sec, &local))
        return false;
    size_t n = strftime(out, size, "%Y/%m/%d %H:%M:%S", &local);
    snprintf(out + n, size - n, ".%03ld", now.tv_nsec / 1000000);
    return true;
}

static bool driver_version(nvmlDevice_t device, char *out, unsigned size) {
    return !nvml.DriverVersion(out, size);
}

static bool count(nvmlDevice_t device, char *out, unsigned size) {
    unsigned n;
    bool known = !nvml.Count(&n);
    snprintf(out, size, "%u", n);
    return known;
}

#define TEXT(field, function)                                                                      \
    static bool field(nvmlDevice_t device, char *out, unsigned size) {                             \
        return !nvml.function(device, out, size);                                                  \
    }
TEXT(name, Name)
TEXT(uuid, UUID)
TEXT(serial, Serial)
TEXT(vbios, Vbios)

#define NUMBER(field, ...)                                                                         \
    static bool field(nvmlDevice_t device, char *out, unsigned size) {                             \
        unsigned value = 0;                                                                        \
        bool known = !__VA_ARGS__;                                                                 \
        snprintf(out, size, "%u", value);                                                          \
        return known;                                                                              \
    }
NUMBER(index_of, nvml.Index(device, &value))
NUMBER(temperature, nvml.Temperature(device, NVML_TEMPERATURE_GPU, &value))
NUMBER(fan, nvml.Fan(device, &value))
NUMBER(clock_graphics, nvml.Clock(device, NVML_CLOCK_GRAPHICS, &value))
NUMBER(clock_sm, nvml.Clock(device, NVML_CLOCK_SM, &value))
NUMBER(clock_memory, nvml.Clock(device, NVML_CLOCK_MEM, &value))
NUMBER(clock_max_sm, nvml.MaxClock(device, NVML_CLOCK_SM, &value))
NUMBER(clock_max_memory, nvml.MaxClock(device, NVML_CLOCK_MEM, &value))
NUMBER(link_generation, nvml.LinkGeneration(device, &value))
NUMBER(link_width, nvml.LinkWidth(device, &value))

static bool pstate(nvmlDevice_t device, char *out, unsigned size) {
    unsigned value = NVML_PSTATE_UNKNOWN;
    bool known = !nvml.Pstate(device, &value);
    snprintf(out, size, "P%u", value);
    return known;
}

#define PCI(field, ...)                                                                            \
    static bool field(nvmlDevice_t device, char *out, unsigned size) {                             \
        nvmlPciInfo_t pci;                                                                         \
        bool known = !nvml.Pci(device, &pci);                                                      \
        if (known)                                                                                 \
            snprintf(out, size, __VA_ARGS__);                                                      \
        return known;                                                                              \
    }
PCI(bus_id, "%s", pci.busId)
PCI(pci_domain, "0x%04X", pci.domain)
PCI(pci_bus, "0x%02X", pci.bus)
PCI(pci_device, "0x%02X", pci.device)

#define MEMORY(field)                                                                              \
    static bool memory_##field(nvmlDevice_t device, char *out, unsigned size) {                    \
        nvmlMemory_t memory = {0};                                                                 \
        bool known = !nvml.Memory(device, &memory);                                                \
        snprintf(out, size, "%llu", memory.field >> 20);                                           \
        return known;                                                                              \
    }
MEMORY(total)
MEMORY(used)
MEMORY(free)

#define UTILIZATION(field)                                                                         \
    static bool utilization_##field(nvmlDevice_t device, char *out, unsigned size) {               \
        nvmlUtilization_t utilization = {0};                                                       \
        bool known = !nvml.Utilization(device, &utilization);                                      \
        snprintf(out, size, "%u", utilization.field);                                              \
        return known;                                                                              \
    }
UTILIZATION(gpu)
UTILIZATION(memory)

#define WATTS(field, function)                                                                     \
    static bool field(nvmlDevice_t device, char *out, unsigned size) {                             \
        unsigned milliwatts = 0;                                                                   \
        bool known = !nvml.function(device, &milliwatts);                                          \
        snprintf(out, size, "%u.%02u", milliwatts / 1000, milliwatts % 1000 / 10);                 \
        return known;                                                                              \
    }
WATTS(power, Power)
WATTS(power_limit, PowerLimit)

#define ENABLED(field, ...)                                                                        \
    static bool field(nvmlDevice_t device, char *out, unsigned size) {                             \
        nvmlEnableState_t state = NVML_FEATURE_DISABLED, pending;                                  \
        (void)pending;                                                                             \
        bool known = !__VA_ARGS__;                                                                 \
        snprintf(out, size, "%s", state ? "Enabled" : "Disabled");                                 \
        return known;                                                                              \
    }
ENABLED(persistence_mode, nvml.PersistenceMode(device, &state))
ENABLED(display_mode, nvml.DisplayMode(device, &state))
ENABLED(display_active, nvml.DisplayActive(device, &state))
ENABLED(ecc_mode, nvml.Ecc(device, &state, &pending))
ENABLED(mig_mode, nvml.Mig(device, (unsigned *)&state, (unsigned *)&pending))

static bool compute_mode(nvmlDevice_t device, char *out, unsigned size) {
    static const char *const names[] = {"Default", "Exclusive_Thread", "Prohibited",
                                        "Exclusive_Process"};
    nvmlComputeMode_t mode;
    if (nvml.ComputeMode(device, &mode) || (unsigned)mode > 3)
        return false;
    snprintf(out, size, "%s", names[mode]);
    return true;
}

static bool compute_capability(nvmlDevice_t device, char *out, unsigned size) {
    int major = 0, minor = 0;
    bool known = !nvml.Capability(device, &major, &minor);
    snprintf(out, size, "%d.%d", major, minor);
    return known;
}

const struct smi_field smi_fields[] = {
    {"timestamp", "", "", "When it was asked", timestamp},
    {"driver_version", "", "", "The driver's version", driver_version},
    {"count", "", "", "The number of devices", count},
    {"name", "gpu_name", "", "The device's name", name},
    {"index", "", "", "The device's number, from 0", index_of},
    {"uuid", "gpu_uuid", "", "An identifier of its own", uuid},
    {"serial", "gpu_serial", "", "The board's number", serial},
    {"pci.bus_id", "gpu_bus_id", "", "domain:bus:device.function", bus_id},
    {"pci.domain", "", "", "Of the PCI address", pci_domain},
    {"pci.bus", "", "", "Of the PCI address", pci_bus},
    {"pci.device", "", "", "Of the PCI address", pci_device},
    {"vbios_version", "", "", "The version of its firmware", vbios},
    {"compute_cap", "", "", "The compute capability", compute_capability},
    {"compute_mode", "", "", "Who may use it", compute_mode},
    {"persistence_mode", "", "", "Whether the driver stays loaded", persistence_mode},
    {"display_mode", "", "", "Whether a display is connected", display_mode},
    {"display_active", "", "", "Whether a display is in use", display_active},
    {"ecc.mode.current", "", "", "Whether memory corrects errors", ecc_mode},
    {"mig.mode.current", "", "", "Whether it is divided", mig_mode},
    {"pcie.link.gen.current", "", "", "Of its bus", link_generation},
    {"pcie.link.width.current", "", "", "Of its bus", link_width},
    {"memory.total", "", "MiB", "Device memory", memory_total},
    {"memory.used", "", "MiB", "Device memory in use", memory_used},
    {"memory.free", "", "MiB", "Device memory that is left", memory_free},
    {"utilization.gpu", "", "%", "How busy it is", utilization_gpu},
    {"utilization.memory", "", "%", "How busy its memory is", utilization_memory},
    {"temperature.gpu", "", "", "In degrees Celsius", temperature},
    {"fan.speed", "", "%", "Of the fan's top speed", fan},
    {"pstate", "", "", "P0 (fastest) to P15", pstate},
    {"power.draw", "", "W", "What it consumes", power},
    {"power.limit", "enforced.power.limit", "W", "What it may consume", power_limit},
    {"clocks.current.graphics", "clocks.gr", "MHz", "Graphics Clock", clock_graphics},
    {"clocks.current.sm", "clocks.sm", "MHz", "SM Clock", clock_sm},
    {"clocks.current.memory", "clocks.mem", "MHz", "Memory Clock", clock_memory},
    {"clocks.max.sm", "", "MHz", "Max SM Clock", clock_max_sm},
    {"clocks.max.memory", "clocks.max.mem", "MHz", "Max Memory Clock", clock_max_memory},
};
const int smi_field_count = sizeof smi_fields / sizeof smi_fields[0];

const struct smi_field *smi_find_field(const char *name, unsigned length) {
    for (int i = 0; i < smi_field_count; ++i) {
        const struct smi_field *f = &smi_fields[i];
        if ((strlen(f->name) == length && !strncmp(f->name, name, length)) ||
            (*f->alias && strlen(f->alias) == length && !strncmp(f->alias, name, length)))
            return f;
    }
    return NULL;
}

void smi_value(const struct smi_field *f, nvmlDevice_t device, bool with_unit, bool brackets,
               char *out, unsigned size) {
    if (!f->write(device, out, size)) {
        snprintf(out, size, brackets ? "[N/A]" : "N/A");
        return;
    }
    size_t n = strlen(out);
    if (with_unit && *f->unit)
        snprintf(out + n, size - n, " %s", f->unit);
}
