// What the system tells of the machine: how busy it is, its memory, its processes.
#include <ctype.h>
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "nvml/nvml.h"

struct ticks {
    unsigned long long busy, all;
};

static struct ticks read_ticks(void) {
    struct ticks t = {0};
    unsigned long long v[8] = {0};
    FILE *f = fopen("/proc/stat", "r");
    if (!f)
        return t;
    if (fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3], &v[4],
               &v[5], &v[6], &v[7]) >= 4)
        for (int i = 0; i < 8; ++i) {
            t.all += v[i];
            if (i != 3 && i != 4) // idle, waiting for input and output
                t.busy += v[i];
        }
    fclose(f);
    return t;
}

unsigned nvml_busy(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct ticks last;
    static unsigned percent;
    pthread_mutex_lock(&lock);
    struct ticks now = read_ticks();
    if (!last.all) {
        last = now;
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        now = read_ticks();
    }
    if (now.all > last.all) {
        percent = (unsigned)((now.busy - last.busy) * 100 / (now.all - last.all));
        last = now;
    }
    unsigned result = percent > 100 ? 100 : percent;
    pthread_mutex_unlock(&lock);
    return result;
}

unsigned long long nvml_available_memory(void) {
    char line[256];
    unsigned long long kib = 0;
    FILE *f = fopen("/proc/meminfo", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
            break;
    if (f)
        fclose(f);
    return kib << 10;
}

// Whether the process has mapped the driver's file; its maps can be read by its user alone.
static bool has_driver(const struct nvml_system *s, const char *pid) {
    char path[64], line[4352];
    size_t n = strlen(s->driver_path);
    snprintf(path, sizeof path, "/proc/%.20s/maps", pid);
    FILE *f = n ? fopen(path, "r") : NULL;
    bool found = false;
    while (f && !found && fgets(line, sizeof line, f)) {
        const char *file = strchr(line, '/');
        found = file && !strncmp(file, s->driver_path, n) && file[n] == '\n';
    }
    if (f)
        fclose(f);
    return found;
}

static int ascending(const void *a, const void *b) {
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return x < y ? -1 : x > y;
}

unsigned nvml_processes(const struct nvml_system *s, unsigned *pids, unsigned room) {
    unsigned n = 0;
    DIR *d = opendir("/proc");
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!isdigit((unsigned char)e->d_name[0]))
            continue;
        unsigned pid = (unsigned)strtoul(e->d_name, NULL, 10);
        bool uses = pid == (unsigned)getpid() ? s->program_uses_driver : has_driver(s, e->d_name);
        if (uses && n++ < room)
            pids[n - 1] = pid;
    }
    if (d)
        closedir(d);
    if (n <= room && n)
        qsort(pids, n, sizeof *pids, ascending);
    return n;
}
