// kudzu smi: the devices that programs see, in nvidia-smi's familiar table. It asks the driver
// as any program would.
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "runtime/find_driver.h"
#include "tools/tools.h"

typedef int status;
typedef int device;

// The driver's documented functions that are needed.
static struct {
    status (*Init)(unsigned);
    status (*DriverGetVersion)(int *);
    status (*DeviceGetCount)(int *);
    status (*DeviceGet)(device *, int);
    status (*DeviceGetName)(char *, int, device);
    status (*DeviceTotalMem)(size_t *, device);
    status (*DeviceGetAttribute)(int *, int, device);
    status (*DevicePrimaryCtxRetain)(void **, device);
    status (*DevicePrimaryCtxRelease)(device);
    status (*CtxSetCurrent)(void *);
    status (*MemGetInfo)(size_t *, size_t *);
} cu;

enum { // CUdevice_attribute
    ATTRIBUTE_MULTIPROCESSORS = 16,
    ATTRIBUTE_PCI_BUS = 33,
    ATTRIBUTE_PCI_DEVICE = 34,
    ATTRIBUTE_PCI_DOMAIN = 50,
    ATTRIBUTE_MAJOR = 75,
    ATTRIBUTE_MINOR = 76,
};

static struct found_driver driver;

static bool load_driver(void) {
    find_driver(&driver);
    if (!driver.handle) {
        fprintf(stderr, "kudzu smi: error: %s\n", driver.why);
        return false;
    }
    static const struct {
        void *function;
        const char *name;
    } table[] = {
        {&cu.Init, "cuInit"},
        {&cu.DriverGetVersion, "cuDriverGetVersion"},
        {&cu.DeviceGetCount, "cuDeviceGetCount"},
        {&cu.DeviceGet, "cuDeviceGet"},
        {&cu.DeviceGetName, "cuDeviceGetName"},
        {&cu.DeviceTotalMem, "cuDeviceTotalMem_v2"},
        {&cu.DeviceGetAttribute, "cuDeviceGetAttribute"},
        {&cu.DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain"},
        {&cu.DevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2"},
        {&cu.CtxSetCurrent, "cuCtxSetCurrent"},
        {&cu.MemGetInfo, "cuMemGetInfo_v2"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i)
        if (!(*(void **)table[i].function = dlsym(driver.handle, table[i].name))) {
            fprintf(stderr, "kudzu smi: error: %s has no %s\n", driver.path, table[i].name);
            return false;
        }
    return true;
}

static int attribute(device d, int which) {
    int value = 0;
    return cu.DeviceGetAttribute(&value, which, d) ? 0 : value;
}

static void memory_of(device d, size_t *used_mib, size_t *total_mib) {
    size_t total = 0, free_bytes = 0;
    void *context;
    cu.DeviceTotalMem(&total, d);
    *total_mib = total >> 20;
    *used_mib = 0;
    if (cu.DevicePrimaryCtxRetain(&context, d))
        return;
    if (!cu.CtxSetCurrent(context) && !cu.MemGetInfo(&free_bytes, &total))
        *used_mib = (total - free_bytes) >> 20;
    cu.CtxSetCurrent(NULL);
    cu.DevicePrimaryCtxRelease(d);
}

#define RULE                                                                                       \
    "+-----------------------------------------+------------------------+----------------------+"

static void print_device(int index) {
    device d;
    char name[256] = "?", bus[32], memory[64];
    size_t used, total;
    if (cu.DeviceGet(&d, index))
        return;
    cu.DeviceGetName(name, sizeof name, d);
    memory_of(d, &used, &total);
    snprintf(bus, sizeof bus, "%08X:%02X:%02X.0", (unsigned)attribute(d, ATTRIBUTE_PCI_DOMAIN),
             (unsigned)attribute(d, ATTRIBUTE_PCI_BUS),
             (unsigned)attribute(d, ATTRIBUTE_PCI_DEVICE));
    snprintf(memory, sizeof memory, "%zuMiB / %zuMiB", used, total);
    printf("| %3d  %-34.34s | %-22s | %20s |\n", index, name, bus, "N/A");
    printf("| %-39s | %22s | %20s |\n", "", memory, "Default");
    char units[64];
    snprintf(units, sizeof units, "compute %d.%d, %d multiprocessors",
             attribute(d, ATTRIBUTE_MAJOR), attribute(d, ATTRIBUTE_MINOR),
             attribute(d, ATTRIBUTE_MULTIPROCESSORS));
    printf("|      %-34.34s | %22s | %20s |\n" RULE "\n", units, "", "");
}

static int print_table(int count) {
    int version = 0;
    char now[64] = "";
    time_t t = time(NULL);
    struct tm local;
    if (localtime_r(&t, &local))
        strftime(now, sizeof now, "%a %b %e %H:%M:%S %Y", &local);
    cu.DriverGetVersion(&version);
    // NVIDIA's driver tells its own version by no documented call.
    device first;
    char name[256] = "";
    bool own = !cu.DeviceGet(&first, 0) && !cu.DeviceGetName(name, sizeof name, first) &&
               !strncmp(name, "kudzu ", 6);
    printf("%s\n", now);
    puts("+---------------------------------------------------------------------------------------"
         "--+");
    printf("| KUDZU-SMI %-24s Driver Version: %-14s CUDA Version: %2d.%-4d |\n", KUDZU_VERSION,
           own ? KUDZU_VERSION : "N/A", version / 1000, version % 1000 / 10);
    puts(RULE "\n"
              "| Device  Name                            | Bus-Id                 | Volatile "
              "Uncorr. ECC |\n"
              "|                                         |           Memory-Usage |           "
              "Compute M. |\n"
              "|=========================================+========================+================"
              "======|");
    for (int i = 0; i < count; ++i)
        print_device(i);
    printf("Driver: %s, because %s\n", driver.path, driver.why);
    return 0;
}

static int print_list(int count) {
    for (int i = 0; i < count; ++i) {
        device d;
        char name[256] = "?";
        if (!cu.DeviceGet(&d, i) && !cu.DeviceGetName(name, sizeof name, d))
            printf("GPU %d: %s\n", i, name);
    }
    return 0;
}

int tool_smi(int argc, char **argv) {
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        puts("Usage: kudzu smi [-L]\n\n"
             "Shows the devices that CUDA programs see: a table, or with -L one line each; and\n"
             "which driver they use, and why. KUDZU_DEVICE=cpu, gpu or auto chooses.");
        return 0;
    }
    bool list = argc == 2 && (!strcmp(argv[1], "-L") || !strcmp(argv[1], "--list-gpus"));
    if (argc > 1 && !list) {
        fprintf(stderr, "kudzu smi: error: unknown option '%s'\n", argv[1]);
        return 1;
    }
    int count = 0;
    if (!load_driver())
        return 1;
    if (cu.Init(0) || cu.DeviceGetCount(&count) || !count) {
        fputs("kudzu smi: error: no devices were found\n", stderr);
        return 1;
    }
    return list ? print_list(count) : print_table(count);
}
