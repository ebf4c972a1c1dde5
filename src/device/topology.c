#include "device/topology.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#endif

#include "support/environment.h"
#include "target/arm_level.h"

int topology_cores(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}

static int first_of_upper_half;

static void find_middle(void) {
    cpu_set_t set;
    int below = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) / 2 : 0;
    first_of_upper_half = below ? 0 : INT_MAX;
    for (int cpu = 0; below && cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set)) {
            below--;
            first_of_upper_half = cpu + 1;
        }
}

bool topology_is_upper_half(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_middle);
    return sched_getcpu() >= first_of_upper_half;
}

// The number behind `key` on the first line that begins with it; 0: none.
static double file_number(const char *path, const char *key) {
    char line[512];
    double value = 0;
    FILE *f = fopen(path, "r");
    if (!f)
        return 0;
    while (fgets(line, sizeof line, f)) {
        if (strncmp(line, key, strlen(key)))
            continue;
        const char *p = line + strlen(key);
        p += strspn(p, " \t:");
        value = atof(p);
        break;
    }
    fclose(f);
    return value;
}

uint64_t topology_cached_stores(void) {
    static const uint64_t least = 8 << 20;
    const char *wanted = environment_get("KUDZU_STREAM");
    if (wanted && *wanted)
        return strtoull(wanted, NULL, 10);
    long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    uint64_t all = l2 > 0 ? 2 * (uint64_t)l2 * (uint64_t)topology_cores() : 0;
    return all > least ? all : least;
}

uint64_t topology_memory(void) {
    uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    double group = file_number("/sys/fs/cgroup/memory.max", "");
    return group > 0 && group < (double)bytes ? (uint64_t)group : bytes;
}

uint64_t topology_memory_free(void) {
    return (uint64_t)(file_number("/proc/meminfo", "MemAvailable") * 1024);
}

void topology_cpu_name(char *out, size_t size) {
    char line[512];
    FILE *f = fopen("/proc/cpuinfo", "r");
    snprintf(out, size, "unknown processor");
    while (f && fgets(line, sizeof line, f)) {
        char *p = strchr(line, ':');
        if (strncmp(line, "model name", 10) || !p)
            continue;
        p += 1 + strspn(p + 1, " \t");
        p[strcspn(p, "\n")] = 0;
        snprintf(out, size, "%s", p);
        break;
    }
    if (f)
        fclose(f);
}

int topology_clock_khz(void) {
    double khz = file_number("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "");
    if (khz <= 0)
        khz = file_number("/proc/cpuinfo", "cpu MHz") * 1000;
    return khz > 0 ? (int)khz : 1000000;
}

uint64_t topology_cache_bytes(void) {
    static const int names[] = {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE,
                                _SC_LEVEL2_CACHE_SIZE};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        long n = sysconf(names[i]);
        if (n > 0)
            return (uint64_t)n;
    }
    return 1 << 20;
}

static enum kd_level machine_level(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return KD_LEVEL_X86_64_V4;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2"))
        return KD_LEVEL_X86_64_V3;
    return KD_LEVEL_X86_64_V2;
#else
    return arm_level();
#endif
}

enum kd_level topology_level(void) {
    static const struct {
        const char *name;
        enum kd_level level;
    } names[] = {{"x86-64-v2", KD_LEVEL_X86_64_V2},
                 {"x86-64-v3", KD_LEVEL_X86_64_V3},
                 {"x86-64-v4", KD_LEVEL_X86_64_V4},
                 {"aarch64", KD_LEVEL_AARCH64}};
    enum kd_level level = machine_level();
    const char *wanted = environment_get("KUDZU_CPU");
    for (size_t i = 0; wanted && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(wanted, names[i].name) == 0 && kd_level_contains(level, names[i].level))
            return names[i].level;
    return level;
}

static uint32_t features;

#if defined(__x86_64__)
// Intel's from Sapphire Rapids on (16 words in 12 cycles), which nothing slows down against data
// sampling as it does their forerunners; AMD's take several operations a lane.
static bool has_fast_gathers(void) {
    unsigned eax, ebx, ecx, edx;
    bool fp16 = __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (edx & 1u << 23);
    return fp16 && __builtin_cpu_is("intel") && machine_level() == KD_LEVEL_X86_64_V4;
}

// AMD's Zen 4, the first of its line with AVX-512: family 25.
static bool is_zen4(void) {
    unsigned eax, ebx, ecx, edx;
    return __builtin_cpu_is("amd") && machine_level() == KD_LEVEL_X86_64_V4 &&
           __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (eax >> 8 & 15) + (eax >> 20 & 255) == 25;
}
#endif

static void find_features(void) {
#if defined(__x86_64__)
    const char *wanted = environment_get("KUDZU_CPU");
    __builtin_cpu_init();
    if (wanted && *wanted)
        return;
    if (__builtin_cpu_supports("avx512vnni"))
        features |= KD_FEATURE_VNNI;
    if (has_fast_gathers())
        features |= KD_FEATURE_FAST_GATHERS;
    // Its first cache has few places for lines under way, which those that are asked for take from
    // loads, while the second cache's own prefetchers follow whatever goes on along memory.
    if (is_zen4())
        features |= KD_FEATURE_HALF_VECTORS | KD_FEATURE_SECOND_CACHE;
#endif
}

uint32_t topology_features(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_features);
    return features;
}

// The kernel gives tile registers to processes that ask: their threads' signal stacks have to be
// large enough for 8 KB more.
#if defined(__x86_64__)
static bool may_use_tiles(void) {
    enum { TILE = 1 << 24, INT8 = 1 << 25, REQUEST = 0x1023, TILE_DATA = 18 };
    unsigned eax, ebx, ecx, edx;
    if (machine_level() != KD_LEVEL_X86_64_V4 || !__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx))
        return false;
    return (edx & TILE) && (edx & INT8) && syscall(SYS_arch_prctl, REQUEST, TILE_DATA) == 0;
}
#endif

static enum topology_tiles tiles;

static void find_tiles(void) {
#if defined(__x86_64__)
    const char *form = environment_get("KUDZU_TILES"), *level = environment_get("KUDZU_CPU");
    if (form && strcmp(form, "off") == 0)
        return;
    if (form && strcmp(form, "plain") == 0)
        tiles = topology_level() == KD_LEVEL_X86_64_V4 ? TILES_PLAIN : TILES_NONE;
    else if ((!level || !*level) && may_use_tiles())
        tiles = TILES_MACHINE;
#endif
}

enum topology_tiles topology_tiles(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_tiles);
    return tiles;
}

void topology_uuid(int index, uint8_t out[16]) {
    char text[256] = "";
    FILE *f = fopen("/etc/machine-id", "r");
    if (f) {
        if (!fgets(text, 64, f))
            text[0] = 0;
        fclose(f);
    }
    size_t n = strcspn(text, "\n");
    if (!n) {
        gethostname(text, 64);
        n = strlen(text);
    }
    snprintf(text + n, sizeof text - n, " kudzu device %d", index);
    XXH128_canonical_t c;
    XXH128_canonicalFromHash(&c, XXH3_128bits(text, strlen(text)));
    memcpy(out, c.digest, 16);
}
