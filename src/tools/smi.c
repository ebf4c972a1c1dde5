// kudzu smi: the devices that programs see, in nvidia-smi's familiar forms. It asks the management
// library of the driver that programs use.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tools/smi_fields.h"
#include "tools/tools.h"

struct smi_options {
    bool list, all, table, header, units;
    const char *fields, *process_fields, *device; // NULL: not asked for
    bool csv;
};

enum { MAX_DEVICES = 64, MAX_PROCESSES = 1024, MAX_FIELDS = 64 };

static nvmlDevice_t devices[MAX_DEVICES];
static int device_count;

// ---- The table ------------------------------------------------------------------------------

#define WIDE                                                                                       \
    "+-----------------------------------------------------------------------------------------+"
#define RULE                                                                                       \
    "+-----------------------------------------+------------------------+----------------------+"

static void value_of(const char *field, nvmlDevice_t d, bool unit, char *out, unsigned size) {
    smi_value(smi_find_field(field, (unsigned)strlen(field)), d, unit, false, out, size);
}

// "12MiB", "7%": the table has no blanks before units.
static void put_short(const char *field, nvmlDevice_t d, char out[64]) {
    char value[48];
    const struct smi_field *f = smi_find_field(field, (unsigned)strlen(field));
    smi_value(f, d, false, false, value, sizeof value);
    snprintf(out, 64, "%s%s", value, strcmp(value, "N/A") ? f->unit : "");
}

static void print_device(nvmlDevice_t d) {
    char index[16], name[96], persistence[16], bus[40], display[16], ecc[16], fan[64], heat[64];
    char state[64], draw[64], limit[64], used[64], total[64], busy[64], mode[64], mig[16];
    char power[130], memory[130], line[256];
    value_of("index", d, false, index, sizeof index);
    value_of("name", d, false, name, sizeof name);
    value_of("persistence_mode", d, false, persistence, sizeof persistence);
    value_of("pci.bus_id", d, false, bus, sizeof bus);
    value_of("display_active", d, false, display, sizeof display);
    value_of("ecc.mode.current", d, false, ecc, sizeof ecc);
    value_of("compute_mode", d, false, mode, sizeof mode);
    value_of("mig.mode.current", d, false, mig, sizeof mig);
    value_of("pstate", d, false, state, sizeof state);
    put_short("fan.speed", d, fan);
    put_short("temperature.gpu", d, heat);
    put_short("power.draw", d, draw);
    put_short("power.limit", d, limit);
    put_short("memory.used", d, used);
    put_short("memory.total", d, total);
    put_short("utilization.gpu", d, busy);
    printf("| %3s  %-27.27s %6s | %-18s%4s | %20s |\n", index, name,
           !strcmp(persistence, "Enabled") ? "On" : "Off", bus,
           !strcmp(display, "Enabled") ? "On" : "Off", !strcmp(ecc, "Enabled") ? "On" : ecc);
    snprintf(power, sizeof power, "%s / %s", draw, limit);
    snprintf(memory, sizeof memory, "%s / %s", used, total);
    snprintf(line, sizeof line, "%-4s %5s   %-6s", fan, heat, state);
    printf("| %-20.20s %18.18s | %22.22s | %8.8s %11.11s |\n", line, power, memory, busy, mode);
    printf("| %39s | %22s | %20s |\n" RULE "\n", "", "", mig);
}

static unsigned list_processes(nvmlDevice_t d, nvmlProcessInfo_t infos[MAX_PROCESSES]) {
    unsigned n = MAX_PROCESSES, kept = 0;
    if (nvml.Processes(d, &n, infos))
        return 0;
    for (unsigned i = 0; i < n; ++i)
        if (infos[i].pid != (unsigned)getpid()) // it has loaded the driver to find it
            infos[kept++] = infos[i];
    return kept;
}

static void put_memory(const nvmlProcessInfo_t *p, bool brackets, bool unit, char out[48]) {
    if (p->usedGpuMemory == (unsigned long long)NVML_VALUE_NOT_AVAILABLE)
        snprintf(out, 48, brackets ? "[N/A]" : "N/A");
    else
        snprintf(out, 48, "%llu%s", p->usedGpuMemory >> 20, unit ? brackets ? " MiB" : "MiB" : "");
}

static void print_processes(void) {
    static nvmlProcessInfo_t infos[MAX_PROCESSES];
    bool any = false;
    puts(
        "\n" WIDE "\n"
        "| Processes:                                                                              "
        "|\n"
        "|  GPU   GI   CI        PID   Type   Process name                              GPU Memory "
        "|\n"
        "|        ID   ID                                                               Usage      "
        "|\n"
        "|========================================================================================="
        "|");
    for (int i = 0; i < device_count; ++i)
        for (unsigned k = 0, n = list_processes(devices[i], infos); k < n; ++k) {
            char name[256] = "?", memory[48];
            size_t length;
            any = true;
            nvml.ProcessName(infos[k].pid, name, sizeof name);
            length = strlen(name);
            put_memory(&infos[k], false, true, memory);
            printf("| %4d   N/A  N/A %10u      C   %-38s %12s |\n", i, infos[k].pid,
                   length > 38 ? name + length - 38 : name, memory);
        }
    if (!any)
        puts(
            "|  No running processes found                                                         "
            "    |");
    puts(WIDE);
}

static void print_table(void) {
    int version = 0;
    char now[64] = "", driver[96] = "N/A";
    time_t t = time(NULL);
    struct tm local;
    if (localtime_r(&t, &local))
        strftime(now, sizeof now, "%a %b %e %H:%M:%S %Y", &local);
    nvml.CudaVersion(&version);
    nvml.DriverVersion(driver, sizeof driver);
    printf("%s\n" WIDE "\n", now);
    printf("| KUDZU-SMI %-23s Driver Version: %-14s  CUDA Version: %2d.%-4d |\n", KUDZU_VERSION,
           driver, version / 1000, version % 1000 / 10);
    puts(RULE
         "\n"
         "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. "
         "ECC |\n"
         "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  "
         "Compute M. |\n"
         "|                                         |                        |               "
         "MIG M. |\n"
         "|=========================================+========================+================"
         "======|");
    for (int i = 0; i < device_count; ++i)
        print_device(devices[i]);
    print_processes();
    printf("Driver: %s, because %s\n", nvml_driver.path, nvml_driver.why);
}

// ---- -L, -q ---------------------------------------------------------------------------------

static void print_list(void) {
    for (int i = 0; i < device_count; ++i) {
        char index[16], name[96], uuid[96];
        value_of("index", devices[i], false, index, sizeof index);
        value_of("name", devices[i], false, name, sizeof name);
        value_of("uuid", devices[i], false, uuid, sizeof uuid);
        printf("GPU %s: %s (UUID: %s)\n", index, name, uuid);
    }
}

static void print_all(void) {
    static nvmlProcessInfo_t infos[MAX_PROCESSES];
    char value[256];
    int version = 0;
    unsigned count = 0;
    nvml.CudaVersion(&version);
    nvml.Count(&count);
    puts("\n==============NVSMI LOG==============\n");
    value_of("timestamp", NULL, false, value, sizeof value);
    printf("%-42s: %s\n", "Timestamp", value);
    value_of("driver_version", NULL, false, value, sizeof value);
    printf("%-42s: %s\n", "Driver Version", value);
    printf("%-42s: %d.%d\n\n", "CUDA Version", version / 1000, version % 1000 / 10);
    printf("%-42s: %u\n", "Attached GPUs", count);
    for (int i = 0; i < device_count; ++i) {
        value_of("pci.bus_id", devices[i], false, value, sizeof value);
        printf("GPU %s\n", value);
        for (int k = 0; k < smi_field_count; ++k) {
            if (!*smi_fields[k].title)
                continue;
            smi_value(&smi_fields[k], devices[i], true, false, value, sizeof value);
            printf("    %-38s: %s\n", smi_fields[k].title, value);
        }
        unsigned n = list_processes(devices[i], infos);
        printf("    %-38s%s\n", "Processes", n ? "" : ": None");
        for (unsigned k = 0; k < n; ++k) {
            snprintf(value, sizeof value, "?");
            nvml.ProcessName(infos[k].pid, value, sizeof value);
            printf("        %-34s: %u\n            %-30s: C\n            %-30s: %s\n", "Process ID",
                   infos[k].pid, "Type", "Name", value);
        }
    }
}

// ---- --query-gpu, --query-compute-apps ------------------------------------------------------

static int query_devices(const struct smi_options *o) {
    const struct smi_field *fields[MAX_FIELDS];
    int n = 0;
    for (const char *s = o->fields; *s;) {
        size_t length = strcspn(s, ",");
        const struct smi_field *f = smi_find_field(s, (unsigned)length);
        if (!f || n == MAX_FIELDS) {
            printf("Field \"%.*s\" is not a valid field to query.\n\n", (int)length, s);
            return 2;
        }
        fields[n++] = f;
        s += length + (s[length] == ',');
        s += strspn(s, " ");
    }
    for (int k = 0; o->header && k < n; ++k)
        printf(o->units && *fields[k]->unit ? "%s%s [%s]" : "%s%s", k ? ", " : "", fields[k]->name,
               fields[k]->unit);
    if (o->header)
        puts("");
    for (int i = 0; i < device_count; ++i)
        for (int k = 0; k < n; ++k) {
            char value[256];
            smi_value(fields[k], devices[i], o->units, true, value, sizeof value);
            printf("%s%s", value, k + 1 < n ? ", " : "\n");
        }
    return 0;
}

enum process_field { PID, PROCESS_NAME, DEVICE_UUID, USED_MEMORY, PROCESS_FIELDS };
static const char *const process_fields[][2] = {
    {"pid", ""}, {"process_name", "name"}, {"gpu_uuid", ""}, {"used_gpu_memory", "used_memory"}};

static int find_process_field(const char *s, size_t length) {
    for (int k = 0; k < PROCESS_FIELDS; ++k)
        for (int a = 0; a < 2; ++a)
            if (strlen(process_fields[k][a]) == length && !strncmp(process_fields[k][a], s, length))
                return k;
    return -1;
}

static void put_process_field(const struct smi_options *o, int field, const nvmlProcessInfo_t *p,
                              nvmlDevice_t d) {
    char value[256] = "[N/A]";
    if (field == PID)
        snprintf(value, sizeof value, "%u", p->pid);
    else if (field == PROCESS_NAME)
        nvml.ProcessName(p->pid, value, sizeof value);
    else if (field == DEVICE_UUID)
        value_of("uuid", d, false, value, sizeof value);
    else
        put_memory(p, true, o->units, value);
    fputs(value, stdout);
}

static int query_processes(const struct smi_options *o) {
    static nvmlProcessInfo_t infos[MAX_PROCESSES];
    int fields[MAX_FIELDS], n = 0;
    for (const char *s = o->process_fields; *s;) {
        size_t length = strcspn(s, ",");
        int f = find_process_field(s, length);
        if (f < 0 || n == MAX_FIELDS) {
            printf("Field \"%.*s\" is not a valid field to query.\n\n", (int)length, s);
            return 2;
        }
        fields[n++] = f;
        s += length + (s[length] == ',');
        s += strspn(s, " ");
    }
    for (int k = 0; o->header && k < n; ++k)
        printf("%s%s%s%s", k ? ", " : "", process_fields[fields[k]][0],
               o->units && fields[k] == USED_MEMORY ? " [MiB]" : "", k + 1 < n ? "" : "\n");
    for (int i = 0; i < device_count; ++i)
        for (unsigned p = 0, count = list_processes(devices[i], infos); p < count; ++p)
            for (int k = 0; k < n; ++k) {
                put_process_field(o, fields[k], &infos[p], devices[i]);
                fputs(k + 1 < n ? ", " : "\n", stdout);
            }
    return 0;
}

// ---- Options --------------------------------------------------------------------------------

static void print_help(void) {
    puts("Usage: kudzu smi [options]\n\n"
         "Shows the devices that CUDA programs see, which driver they use, and why.\n"
         "KUDZU_DEVICE=cpu, gpu or auto chooses.\n\n"
         "Options:\n"
         "  -L, --list-gpus              One line a device\n"
         "  -q, --query                  All that is known\n"
         "  -i, --id=ID                  One device: its number, UUID or PCI address\n"
         "  --query-gpu=FIELD,...        These fields, a line a device; needs --format\n"
         "  --query-compute-apps=FIELD,...\n"
         "                               The same of processes: pid, process_name, gpu_uuid,\n"
         "                               used_gpu_memory\n"
         "  --format=csv[,noheader][,nounits]\n"
         "  --help-query-gpu             The fields\n"
         "  -h, --help                   This text");
}

static void print_fields(void) {
    puts("Fields of --query-gpu:\n");
    for (int i = 0; i < smi_field_count; ++i) {
        const struct smi_field *f = &smi_fields[i];
        printf("\"%s\"", f->name);
        if (*f->alias)
            printf(" or \"%s\"", f->alias);
        printf("\n    %s%s%s\n", *f->help ? f->help : f->title, *f->unit ? ", in " : "", f->unit);
    }
}

static bool parse_format(struct smi_options *o, const char *text) {
    while (*text) {
        size_t n = strcspn(text, ",");
        if (n == 3 && !strncmp(text, "csv", n))
            o->csv = true;
        else if (n == 8 && !strncmp(text, "noheader", n))
            o->header = false;
        else if (n == 7 && !strncmp(text, "nounits", n))
            o->units = false;
        else
            return false;
        text += n + (text[n] == ',');
    }
    return true;
}

// The option's value, behind "=" or in the next argument; NULL: another option, or none there.
static const char *value_after(const char *const *names, int argc, char **argv, int *i) {
    for (; *names; ++names) {
        size_t n = strlen(*names);
        if (strncmp(argv[*i], *names, n))
            continue;
        if (argv[*i][n] == '=')
            return argv[*i] + n + 1;
        if (!argv[*i][n] && *i + 1 < argc)
            return argv[++*i];
    }
    return NULL;
}

static bool is_one_of(const char *arg, const char *a, const char *b) {
    return !strcmp(arg, a) || !strcmp(arg, b);
}

static bool parse_option(struct smi_options *o, int argc, char **argv, int *i) {
    static const char *const query[] = {"--query-gpu", NULL};
    static const char *const apps[] = {"--query-compute-apps", NULL};
    static const char *const format[] = {"--format", NULL};
    static const char *const id[] = {"--id", "-i", NULL};
    const char *value;
    if (is_one_of(argv[*i], "-L", "--list-gpus"))
        o->list = true;
    else if (is_one_of(argv[*i], "-q", "--query"))
        o->all = true;
    else if ((value = value_after(query, argc, argv, i)))
        o->fields = value;
    else if ((value = value_after(apps, argc, argv, i)))
        o->process_fields = value;
    else if ((value = value_after(format, argc, argv, i)))
        return parse_format(o, value);
    else if ((value = value_after(id, argc, argv, i)))
        o->device = value;
    else
        return false;
    return true;
}

static bool find_devices(const struct smi_options *o) {
    unsigned n = 0;
    nvml.Count(&n);
    for (unsigned i = 0; i < n && i < MAX_DEVICES; ++i)
        if (!nvml.ByIndex(i, &devices[device_count]))
            device_count++;
    if (!o->device)
        return device_count > 0;
    char *end;
    unsigned long index = strtoul(o->device, &end, 10);
    device_count = 1;
    return (*o->device && !*end && !nvml.ByIndex((unsigned)index, &devices[0])) ||
           !nvml.ByUUID(o->device, &devices[0]) || !nvml.ByPci(o->device, &devices[0]);
}

static int show(const struct smi_options *o) {
    if (o->fields)
        return query_devices(o);
    if (o->process_fields)
        return query_processes(o);
    if (o->list)
        print_list();
    else if (o->all)
        print_all();
    else
        print_table();
    return 0;
}

int tool_smi(int argc, char **argv) {
    struct smi_options o = {.header = true, .units = true};
    for (int i = 1; i < argc; ++i) {
        if (is_one_of(argv[i], "-h", "--help"))
            return print_help(), 0;
        if (!strcmp(argv[i], "--help-query-gpu"))
            return print_fields(), 0;
        const char *option = argv[i];
        if (!parse_option(&o, argc, argv, &i)) {
            fprintf(stderr, "kudzu smi: error: unknown option or value: '%s'\n", option);
            return 1;
        }
    }
    if ((o.fields || o.process_fields) && !o.csv) {
        fputs("kudzu smi: error: queries need --format=csv\n", stderr);
        return 2;
    }
    if (!nvml_load())
        return 1;
    if (!find_devices(&o)) {
        fprintf(stderr,
                o.device ? "kudzu smi: error: there is no device '%s'\n"
                         : "kudzu smi: error: no devices were found\n",
                o.device);
        return 6;
    }
    int status = show(&o);
    nvml.Shutdown();
    return status;
}
