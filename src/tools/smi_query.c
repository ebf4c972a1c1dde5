// `kudzu smi -q`: all that is known of the devices, as text, of chosen sections (-d), or as XML.
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tools/smi.h"

enum section {
    MEMORY = 1 << 0,
    UTILIZATION = 1 << 1,
    ECC = 1 << 2,
    TEMPERATURE = 1 << 3,
    POWER = 1 << 4,
    CLOCK = 1 << 5,
    COMPUTE = 1 << 6,
    PIDS = 1 << 7,
    PERFORMANCE = 1 << 8,
    OTHER = 1 << 9, // what nvidia-smi has a section of and no row belongs to
};

static const struct {
    const char *name;
    unsigned mask;
} sections[] = {
    {"MEMORY", MEMORY},
    {"UTILIZATION", UTILIZATION},
    {"ECC", ECC},
    {"TEMPERATURE", TEMPERATURE},
    {"POWER", POWER},
    {"CLOCK", CLOCK},
    {"COMPUTE", COMPUTE},
    {"PIDS", PIDS},
    {"PERFORMANCE", PERFORMANCE},
    {"SUPPORTED_CLOCKS", OTHER},
    {"PAGE_RETIREMENT", OTHER},
    {"ACCOUNTING", OTHER},
    {"ENCODER_STATS", OTHER},
    {"SUPPORTED_GPU_TARGET_TEMP", OTHER},
    {"VOLTAGE", OTHER},
    {"FBC_STATS", OTHER},
    {"ROW_REMAPPER", OTHER},
    {"RESET_STATUS", OTHER},
    {"GSP_FIRMWARE_VERSION", OTHER},
};

unsigned smi_parse_sections(const char *list, const char **wrong) {
    size_t n = sizeof sections / sizeof sections[0], k;
    unsigned mask = 0;
    do {
        size_t length = strcspn(list, ",");
        for (k = 0; k < n; ++k)
            if (strlen(sections[k].name) == length && !strncmp(sections[k].name, list, length))
                break;
        if (k == n) {
            *wrong = list;
            return 0;
        }
        mask |= sections[k].mask;
        list += length;
    } while (*list++);
    return mask;
}

// ---- What is shown --------------------------------------------------------------------------

static void brand(nvmlDevice_t d, char *out, unsigned size) {
    static const struct {
        nvmlBrandType_t brand;
        const char *name;
    } names[] = {{NVML_BRAND_QUADRO, "Quadro"},   {NVML_BRAND_TESLA, "Tesla"},
                 {NVML_BRAND_GEFORCE, "GeForce"}, {NVML_BRAND_TITAN, "Titan"},
                 {NVML_BRAND_NVIDIA, "NVIDIA"},   {NVML_BRAND_NVIDIA_RTX, "NVIDIA RTX"}};
    nvmlBrandType_t value;
    snprintf(out, size, "N/A");
    if (nvml.Brand(d, &value))
        return;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (names[i].brand == value)
            snprintf(out, size, "%s", names[i].name);
}

static void architecture(nvmlDevice_t d, char *out, unsigned size) {
    static const char *const names[] = {
        [NVML_DEVICE_ARCH_VOLTA] = "Volta",   [NVML_DEVICE_ARCH_TURING] = "Turing",
        [NVML_DEVICE_ARCH_AMPERE] = "Ampere", [NVML_DEVICE_ARCH_ADA] = "Ada Lovelace",
        [NVML_DEVICE_ARCH_HOPPER] = "Hopper", [NVML_DEVICE_ARCH_BLACKWELL] = "Blackwell"};
    nvmlDeviceArchitecture_t a;
    bool known =
        !nvml.Architecture(d, &a) && a < sizeof names / sizeof names[0] && names[a] != NULL;
    snprintf(out, size, "%s", known ? names[a] : "N/A");
}

static void multi_gpu_board(nvmlDevice_t d, char *out, unsigned size) {
    unsigned value = 0;
    bool known = !nvml.MultiGpuBoard(d, &value);
    snprintf(out, size, "%s", !known ? "N/A" : value ? "Yes" : "No");
}

static void pending_ecc(nvmlDevice_t d, char *out, unsigned size) {
    nvmlEnableState_t now, next;
    bool known = !nvml.Ecc(d, &now, &next);
    snprintf(out, size, "%s", !known ? "N/A" : next ? "Enabled" : "Disabled");
}

static void pending_mig(nvmlDevice_t d, char *out, unsigned size) {
    unsigned now, next;
    bool known = !nvml.Mig(d, &now, &next);
    snprintf(out, size, "%s", !known ? "N/A" : next ? "Enabled" : "Disabled");
}

// A group has neither a field nor a function; its rows follow, one deeper.
struct row {
    int depth;
    unsigned sections; // of rows at depth 0; 0: without -d alone
    const char *title, *xml;
    const char *field, *unit; // a field of smi_fields; unit: NULL for the field's own
    void (*write)(nvmlDevice_t d, char *out, unsigned size);
};

static const struct row rows[] = {
    {0, 0, "Product Name", "product_name", "name", NULL, NULL},
    {0, 0, "Product Brand", "product_brand", NULL, NULL, brand},
    {0, 0, "Product Architecture", "product_architecture", NULL, NULL, architecture},
    {0, 0, "Compute Capability", "compute_capability", "compute_cap", NULL, NULL},
    {0, 0, "Display Mode", "display_mode", "display_mode", NULL, NULL},
    {0, 0, "Display Active", "display_active", "display_active", NULL, NULL},
    {0, 0, "Persistence Mode", "persistence_mode", "persistence_mode", NULL, NULL},
    {0, 0, "MIG Mode", "mig_mode", NULL, NULL, NULL},
    {1, 0, "Current", "current_mig", "mig.mode.current", NULL, NULL},
    {1, 0, "Pending", "pending_mig", NULL, NULL, pending_mig},
    {0, 0, "Serial Number", "serial", "serial", NULL, NULL},
    {0, 0, "GPU UUID", "uuid", "uuid", NULL, NULL},
    {0, 0, "Minor Number", "minor_number", "index", NULL, NULL},
    {0, 0, "VBIOS Version", "vbios_version", "vbios_version", NULL, NULL},
    {0, 0, "MultiGPU Board", "multigpu_board", NULL, NULL, multi_gpu_board},
    {0, 0, "PCI", "pci", NULL, NULL, NULL},
    {1, 0, "Bus", "pci_bus", "pci.bus", NULL, NULL},
    {1, 0, "Device", "pci_device", "pci.device", NULL, NULL},
    {1, 0, "Domain", "pci_domain", "pci.domain", NULL, NULL},
    {1, 0, "Bus Id", "pci_bus_id", "pci.bus_id", NULL, NULL},
    {1, 0, "GPU Link Info", "pci_gpu_link_info", NULL, NULL, NULL},
    {2, 0, "PCIe Generation", "pcie_gen", NULL, NULL, NULL},
    {3, 0, "Current", "current_link_gen", "pcie.link.gen.current", NULL, NULL},
    {2, 0, "Link Width", "link_widths", NULL, NULL, NULL},
    {3, 0, "Current", "current_link_width", "pcie.link.width.current", NULL, NULL},
    {0, 0, "Fan Speed", "fan_speed", "fan.speed", NULL, NULL},
    {0, PERFORMANCE, "Performance State", "performance_state", "pstate", NULL, NULL},
    {0, MEMORY, "FB Memory Usage", "fb_memory_usage", NULL, NULL, NULL},
    {1, 0, "Total", "total", "memory.total", NULL, NULL},
    {1, 0, "Used", "used", "memory.used", NULL, NULL},
    {1, 0, "Free", "free", "memory.free", NULL, NULL},
    {0, COMPUTE, "Compute Mode", "compute_mode", "compute_mode", NULL, NULL},
    {0, UTILIZATION, "Utilization", "utilization", NULL, NULL, NULL},
    {1, 0, "GPU", "gpu_util", "utilization.gpu", NULL, NULL},
    {1, 0, "Memory", "memory_util", "utilization.memory", NULL, NULL},
    {0, ECC, "ECC Mode", "ecc_mode", NULL, NULL, NULL},
    {1, 0, "Current", "current_ecc", "ecc.mode.current", NULL, NULL},
    {1, 0, "Pending", "pending_ecc", NULL, NULL, pending_ecc},
    {0, TEMPERATURE, "Temperature", "temperature", NULL, NULL, NULL},
    {1, 0, "GPU Current Temp", "gpu_temp", "temperature.gpu", "C", NULL},
    {0, POWER, "GPU Power Readings", "gpu_power_readings", NULL, NULL, NULL},
    {1, 0, "Power Draw", "power_draw", "power.draw", NULL, NULL},
    {1, 0, "Current Power Limit", "current_power_limit", "power.limit", NULL, NULL},
    {0, CLOCK, "Clocks", "clocks", NULL, NULL, NULL},
    {1, 0, "Graphics", "graphics_clock", "clocks.current.graphics", NULL, NULL},
    {1, 0, "SM", "sm_clock", "clocks.current.sm", NULL, NULL},
    {1, 0, "Memory", "mem_clock", "clocks.current.memory", NULL, NULL},
    {0, CLOCK, "Max Clocks", "max_clocks", NULL, NULL, NULL},
    {1, 0, "SM", "sm_clock", "clocks.max.sm", NULL, NULL},
    {1, 0, "Memory", "mem_clock", "clocks.max.memory", NULL, NULL},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

// False: the row is a group.
static bool value_of(const struct row *r, nvmlDevice_t d, char *out, unsigned size) {
    if (r->write)
        r->write(d, out, size);
    else if (r->field)
        smi_field_value(r->field, d, !r->unit, out, size);
    else
        return false;
    size_t n = strlen(out);
    if (r->unit && strcmp(out, "N/A"))
        snprintf(out + n, size - n, " %s", r->unit);
    return true;
}

struct head {
    char now[64], driver[96], cuda[32];
    unsigned count;
};

static void read_head(struct head *h) {
    time_t t = time(NULL);
    struct tm local;
    int version = 0;
    *h = (struct head){.driver = "N/A"};
    if (localtime_r(&t, &local))
        strftime(h->now, sizeof h->now, "%a %b %e %H:%M:%S %Y", &local);
    nvml.DriverVersion(h->driver, sizeof h->driver);
    nvml.CudaVersion(&version);
    snprintf(h->cuda, sizeof h->cuda, "%d.%d", version / 1000, version % 1000 / 10);
    nvml.Count(&h->count);
}

static nvmlProcessInfo_t processes[SMI_MAX_PROCESSES];

static void process_memory(const nvmlProcessInfo_t *p, char out[32]) {
    unsigned long long mib;
    if (smi_process_memory(p, &mib))
        snprintf(out, 32, "%llu MiB", mib);
    else
        snprintf(out, 32, "N/A");
}

// ---- Text -----------------------------------------------------------------------------------

enum { COLUMN = 42 }; // of the colons

static void put(int depth, const char *title, const char *value) {
    printf("%*s%-*s: %s\n", 4 * depth, "", COLUMN - 4 * depth, title, value);
}

static void print_processes(nvmlDevice_t d) {
    unsigned n = smi_list_processes(d, processes);
    if (!n)
        return put(1, "Processes", "None");
    puts("    Processes");
    for (unsigned k = 0; k < n; ++k) {
        char name[256] = "?", id[16], memory[32];
        nvml.ProcessName(processes[k].pid, name, sizeof name);
        snprintf(id, sizeof id, "%u", processes[k].pid);
        process_memory(&processes[k], memory);
        put(2, "GPU instance ID", "N/A");
        put(2, "Compute instance ID", "N/A");
        put(2, "Process ID", id);
        put(3, "Type", "C");
        put(3, "Name", name);
        put(3, "Used GPU Memory", memory);
    }
}

void smi_print_all(unsigned chosen) {
    char value[256];
    struct head h;
    read_head(&h);
    puts("\n==============NVSMI LOG==============\n");
    put(0, "Timestamp", h.now);
    put(0, "Driver Version", h.driver);
    put(0, "CUDA Version", h.cuda);
    snprintf(value, sizeof value, "%u", h.count);
    puts("");
    put(0, "Attached GPUs", value);
    for (int i = 0; i < smi_device_count; ++i) {
        bool shown = false;
        smi_field_value("pci.bus_id", smi_devices[i], false, value, sizeof value);
        printf("GPU %s\n", value);
        for (int k = 0; k < ROWS; ++k) {
            if (!rows[k].depth)
                shown = !chosen || chosen & rows[k].sections;
            if (shown && value_of(&rows[k], smi_devices[i], value, sizeof value))
                put(1 + rows[k].depth, rows[k].title, value);
            else if (shown)
                printf("%*s%s\n", 4 + 4 * rows[k].depth, "", rows[k].title);
        }
        if (!chosen || chosen & PIDS)
            print_processes(smi_devices[i]);
        puts("");
    }
}

// ---- XML ------------------------------------------------------------------------------------

static void put_tabs(int n) {
    while (n-- > 0)
        putchar('\t');
}

// Bytes that XML does not allow become '?'.
static void put_escaped(const char *s) {
    for (; *s; ++s)
        switch (*s) {
        case '&':
            fputs("&amp;", stdout);
            break;
        case '<':
            fputs("&lt;", stdout);
            break;
        case '>':
            fputs("&gt;", stdout);
            break;
        default:
            putchar((unsigned char)*s < 0x20 ? '?' : *s);
        }
}

static void put_element(int depth, const char *name, const char *value) {
    put_tabs(depth);
    printf("<%s>", name);
    put_escaped(value);
    printf("</%s>\n", name);
}

static void print_xml_processes(nvmlDevice_t d) {
    puts("\t\t<processes>");
    for (unsigned k = 0, n = smi_list_processes(d, processes); k < n; ++k) {
        char name[256] = "?", id[16], memory[32];
        nvml.ProcessName(processes[k].pid, name, sizeof name);
        snprintf(id, sizeof id, "%u", processes[k].pid);
        process_memory(&processes[k], memory);
        puts("\t\t\t<process_info>");
        put_element(4, "gpu_instance_id", "N/A");
        put_element(4, "compute_instance_id", "N/A");
        put_element(4, "pid", id);
        put_element(4, "type", "C");
        put_element(4, "process_name", name);
        put_element(4, "used_memory", memory);
        puts("\t\t\t</process_info>");
    }
    puts("\t\t</processes>");
}

static void print_xml_device(nvmlDevice_t d) {
    const char *open[4]; // the groups that are not closed yet
    char value[256];
    int depth = 0;
    smi_field_value("pci.bus_id", d, false, value, sizeof value);
    printf("\t<gpu id=\"%s\">\n", value);
    for (int k = 0; k <= ROWS; ++k) {
        int level = k < ROWS ? rows[k].depth : 0;
        for (; depth > level; --depth) {
            put_tabs(1 + depth);
            printf("</%s>\n", open[depth - 1]);
        }
        if (k == ROWS)
            break;
        if (value_of(&rows[k], d, value, sizeof value)) {
            put_element(2 + level, rows[k].xml, strncmp(value, "0x", 2) ? value : value + 2);
        } else {
            put_tabs(2 + level);
            printf("<%s>\n", rows[k].xml);
            open[depth++] = rows[k].xml;
        }
    }
    print_xml_processes(d);
    puts("\t</gpu>");
}

void smi_print_xml(void) {
    char count[16];
    struct head h;
    read_head(&h);
    snprintf(count, sizeof count, "%u", h.count);
    puts("<?xml version=\"1.0\" ?>\n"
         "<!DOCTYPE nvidia_smi_log SYSTEM \"nvsmi_device_v12.dtd\">\n"
         "<nvidia_smi_log>");
    put_element(1, "timestamp", h.now);
    put_element(1, "driver_version", h.driver);
    put_element(1, "cuda_version", h.cuda);
    put_element(1, "attached_gpus", count);
    for (int i = 0; i < smi_device_count; ++i)
        print_xml_device(smi_devices[i]);
    puts("</nvidia_smi_log>");
}
