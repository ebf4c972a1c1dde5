// `kudzu smi topo`: how devices are joined with each other and with the machine's processors.
#include <stdio.h>
#include <string.h>

#include "tools/smi.h"

enum { WORDS = 64, WORD_BITS = 8 * sizeof(unsigned long) };

// "0-3,8": the bits that are set; "N/A": none, or not known.
static void list_bits(const unsigned long *set, bool known, char *out, unsigned size) {
    unsigned n = 0;
    snprintf(out, size, "N/A");
    for (unsigned i = 0; known && i < WORDS * WORD_BITS; ++i) {
        unsigned last = i;
        if (!(set[i / WORD_BITS] >> i % WORD_BITS & 1))
            continue;
        while (last + 1 < WORDS * WORD_BITS &&
               set[(last + 1) / WORD_BITS] >> (last + 1) % WORD_BITS & 1)
            last++;
        if (n < size)
            n += (unsigned)snprintf(out + n, size - n, last > i ? "%s%u-%u" : "%s%u", n ? "," : "",
                                    i, last);
        i = last;
    }
}

static const char *level_name(nvmlDevice_t a, nvmlDevice_t b) {
    nvmlGpuTopologyLevel_t level;
    if (nvml.CommonAncestor(a, b, &level))
        return "N/A";
    return level >= NVML_TOPOLOGY_SYSTEM       ? "SYS"
           : level >= NVML_TOPOLOGY_NODE       ? "NODE"
           : level >= NVML_TOPOLOGY_HOSTBRIDGE ? "PHB"
           : level >= NVML_TOPOLOGY_MULTIPLE   ? "PXB"
           : level >= NVML_TOPOLOGY_SINGLE     ? "PIX"
                                               : "INT";
}

static void print_heads(void) {
    for (int k = 0; k < smi_device_count; ++k) {
        char index[16];
        smi_field_value("index", smi_devices[k], false, index, sizeof index);
        printf("\tGPU%s", index);
    }
}

static void print_matrix(void) {
    print_heads();
    puts("\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID");
    for (int i = 0; i < smi_device_count; ++i) {
        unsigned long processors[WORDS] = {0}, nodes[WORDS] = {0};
        char text[512];
        smi_field_value("index", smi_devices[i], false, text, sizeof text);
        printf("GPU%s", text);
        for (int k = 0; k < smi_device_count; ++k)
            printf("\t%s", i == k ? " X " : level_name(smi_devices[i], smi_devices[k]));
        bool known = !nvml.CpuAffinity(smi_devices[i], WORDS, processors);
        list_bits(processors, known, text, sizeof text);
        printf("\t%s", text);
        known = !nvml.MemoryAffinity(smi_devices[i], WORDS, nodes, NVML_AFFINITY_SCOPE_NODE);
        list_bits(nodes, known, text, sizeof text);
        printf("\t%s\t\tN/A\n", text);
    }
    puts("\nLegend:\n\n"
         "  X    = Self\n"
         "  SYS  = Through the whole machine, between memory nodes\n"
         "  NODE = Within a memory node\n"
         "  PHB  = Through a PCIe host bridge\n"
         "  PXB  = Through several PCIe switches\n"
         "  PIX  = Through a PCIe switch\n"
         "  INT  = Within a board");
}

static int print_peers(const char *what) {
    static const struct {
        char letter;
        nvmlGpuP2PCapsIndex_t index;
    } kinds[] = {{'r', NVML_P2P_CAPS_INDEX_READ},
                 {'w', NVML_P2P_CAPS_INDEX_WRITE},
                 {'n', NVML_P2P_CAPS_INDEX_NVLINK},
                 {'a', NVML_P2P_CAPS_INDEX_ATOMICS},
                 {'p', NVML_P2P_CAPS_INDEX_PCI}};
    size_t n = sizeof kinds / sizeof kinds[0], kind = 0;
    while (kind < n && (what[0] != kinds[kind].letter || what[1]))
        ++kind;
    if (kind == n) {
        fprintf(stderr, "kudzu smi: error: -p2p takes r, w, n, a or p, not '%s'\n", what);
        return SMI_INVALID_ARGUMENT;
    }
    print_heads();
    puts("");
    for (int i = 0; i < smi_device_count; ++i) {
        char index[16];
        smi_field_value("index", smi_devices[i], false, index, sizeof index);
        printf("GPU%s", index);
        for (int k = 0; k < smi_device_count; ++k) {
            nvmlGpuP2PStatus_t status = NVML_P2P_STATUS_UNKNOWN;
            if (i != k &&
                nvml.P2PStatus(smi_devices[i], smi_devices[k], kinds[kind].index, &status))
                status = NVML_P2P_STATUS_UNKNOWN;
            printf("\t%s", i == k                             ? " X "
                           : status == NVML_P2P_STATUS_OK     ? "OK"
                           : status < NVML_P2P_STATUS_UNKNOWN ? "NS"
                                                              : "U");
        }
        puts("");
    }
    puts("\nLegend:\n\n  X  = Self\n  OK = Status Ok\n  NS = Not supported\n  U  = Unknown");
    return 0;
}

int smi_topology(int argc, char **argv) {
    static const char *const id[] = {"--id", "-i", NULL}, *const peers[] = {"--p2p", "-p2p", NULL};
    const char *value, *devices = NULL, *peer = NULL;
    bool matrix = false;
    for (int i = 1; i < argc; ++i) {
        const char *option = argv[i];
        if (!strcmp(option, "-h") || !strcmp(option, "--help"))
            return puts(
                       "Usage: kudzu smi topo [options]\n\n"
                       "  -m, --matrix            How devices are joined\n"
                       "  -p2p, --p2p=r|w|n|a|p   Which devices reach each other's memory: reads,\n"
                       "                          writes, NVLink, atomics, PCIe\n"
                       "  -i, --id=ID,...         These devices"),
                   0;
        if (!strcmp(option, "-m") || !strcmp(option, "--matrix"))
            matrix = true;
        else if ((value = smi_option_value(peers, argc, argv, &i)))
            peer = value;
        else if ((value = smi_option_value(id, argc, argv, &i)))
            devices = value;
        else
            return smi_refuse(option);
    }
    if (!smi_find_devices(devices))
        return SMI_NOT_FOUND;
    if (peer)
        return print_peers(peer);
    if (matrix)
        return print_matrix(), 0;
    fputs("kudzu smi: error: topo needs -m or -p2p\n", stderr);
    return SMI_INVALID_ARGUMENT;
}
