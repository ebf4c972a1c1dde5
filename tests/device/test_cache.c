// The disk cache: hits, misses, settings, damage, eviction, many processes at once.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "device/code/cache.h"
#include "device/expect.h"

static char folder[] = "/tmp/kudzu-cache-test-XXXXXX";

static struct cache_key key_of(const char *ptx, uint32_t flags) {
    struct kd_spec spec = {.ntid = {32, 1, 1}, .flags = flags};
    return cache_key_of(ptx, strlen(ptx), "kernel", &spec, "compiler 1");
}

static const struct kd_code_info info = {
    .abi_version = KD_ABI_VERSION, .width = 16, .spill_bytes = 99};

static bool hit(const struct cache_key *key, const void *want, size_t want_size) {
    struct kd_code_info got;
    void *obj;
    size_t size;
    if (!cache_read(key, &got, &obj, &size))
        return false;
    bool same = size == want_size && memcmp(obj, want, size) == 0 && got.width == 16 &&
                got.spill_bytes == 99;
    free(obj);
    EXPECT(same);
    return true;
}

static int entries(char *first) {
    int n = 0;
    DIR *d = opendir(folder);
    REQUIRE(d);
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.')
            continue;
        if (n++ == 0 && first)
            snprintf(first, 300, "%s/%s", folder, e->d_name);
    }
    closedir(d);
    return n;
}

static void clear(void) {
    char path[300];
    while (entries(path))
        REQUIRE(unlink(path) == 0);
}

static void test_keys(void) {
    struct cache_key a = key_of("text", 0), b = key_of("text", 1), c = key_of("texu", 0);
    struct kd_spec spec = {.ntid = {32, 1, 1}};
    struct cache_key d = cache_key_of("text", 4, "kernel2", &spec, "compiler 1");
    struct cache_key e = cache_key_of("text", 4, "kernel", &spec, "compiler 2");
    struct cache_key f = cache_key_of("text", 4, "kernel", &spec, "compiler 1");
    EXPECT(memcmp(&a, &b, 16) && memcmp(&a, &c, 16) && memcmp(&a, &d, 16) && memcmp(&a, &e, 16));
    EXPECT(memcmp(&a, &f, 16) == 0);
}

static void test_settings(void) {
    struct cache_key key = key_of("settings", 0);
    clear();
    EXPECT(!hit(&key, "code", 4));
    cache_write(&key, &info, "code", 4);
    EXPECT(hit(&key, "code", 4));
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    EXPECT(!hit(&key, "code", 4));
    clear();
    cache_write(&key, &info, "code", 4);
    EXPECT_EQ(entries(NULL), 0);
    setenv("CUDA_CACHE_DISABLE", "0", 1);
    cache_write(&key, &info, "code", 4);
    EXPECT(hit(&key, "code", 4));
    // Without CUDA_CACHE_PATH: under the user's cache folder, made when needed.
    char xdg[100], path[200];
    unsetenv("CUDA_CACHE_PATH");
    snprintf(xdg, sizeof xdg, "%s/.xdg/deep", folder);
    setenv("XDG_CACHE_HOME", xdg, 1);
    EXPECT(!hit(&key, "code", 4));
    cache_write(&key, &info, "code", 4);
    EXPECT(hit(&key, "code", 4));
    snprintf(path, sizeof path, "%s/kudzu", xdg);
    struct stat st;
    EXPECT(stat(path, &st) == 0 && (st.st_mode & 0777) == 0700);
    setenv("CUDA_CACHE_PATH", folder, 1);
}

static void write_bytes(const char *path, const void *p, size_t n) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    REQUIRE(fd >= 0 && write(fd, p, n) == (ssize_t)n);
    close(fd);
}

static void test_damage(void) {
    struct cache_key key = key_of("damage", 0);
    char path[300];
    uint8_t good[4096], bad[4096];
    clear();
    cache_write(&key, &info, "some code", 9);
    REQUIRE(entries(path) == 1);
    int fd = open(path, O_RDONLY);
    ssize_t size = read(fd, good, sizeof good);
    close(fd);
    REQUIRE(size > 9);
    for (ssize_t i = 0; i < size; i++) {
        memcpy(bad, good, (size_t)size);
        bad[i] ^= 0x10;
        write_bytes(path, bad, (size_t)size);
        EXPECT(!hit(&key, "some code", 9));
        write_bytes(path, good, (size_t)i);
        EXPECT(!hit(&key, "some code", 9));
    }
    // The next compilation replaces it.
    cache_write(&key, &info, "some code", 9);
    EXPECT(hit(&key, "some code", 9));
    // What others may write is not trusted, nor is what is not a file.
    chmod(path, 0666);
    EXPECT(!hit(&key, "some code", 9));
    chmod(path, 0600);
    EXPECT(hit(&key, "some code", 9));
    chmod(folder, 0777);
    EXPECT(!hit(&key, "some code", 9));
    chmod(folder, 0700);
    char moved[310];
    snprintf(moved, sizeof moved, "%s/.moved", folder);
    REQUIRE(rename(path, moved) == 0 && symlink(moved, path) == 0);
    EXPECT(!hit(&key, "some code", 9));
    REQUIRE(unlink(path) == 0 && unlink(moved) == 0);
    if (geteuid() == 0) {
        cache_write(&key, &info, "some code", 9);
        REQUIRE(chown(path, 12345, 12345) == 0);
        EXPECT(!hit(&key, "some code", 9));
    }
}

static void test_eviction(void) {
    static uint8_t code[10000];
    struct cache_key keys[5];
    char name[16];
    clear();
    setenv("CUDA_CACHE_MAXSIZE", "35000", 1);
    for (int i = 0; i < 5; i++) {
        snprintf(name, sizeof name, "evict %d", i);
        keys[i] = key_of(name, 0);
        cache_write(&keys[i], &info, code, sizeof code);
        nanosleep(&(struct timespec){0, 20000000}, NULL);
        if (i)
            EXPECT(hit(&keys[0], code, sizeof code)); // used last
        nanosleep(&(struct timespec){0, 20000000}, NULL);
    }
    EXPECT_EQ(entries(NULL), 3);
    EXPECT(hit(&keys[0], code, sizeof code));
    EXPECT(!hit(&keys[1], code, sizeof code));
    EXPECT(!hit(&keys[2], code, sizeof code));
    EXPECT(hit(&keys[4], code, sizeof code));
    // Larger than the whole cache: not kept.
    setenv("CUDA_CACHE_MAXSIZE", "9000", 1);
    struct cache_key key = key_of("large", 0);
    cache_write(&key, &info, code, sizeof code);
    EXPECT(!hit(&key, code, sizeof code));
    unsetenv("CUDA_CACHE_MAXSIZE");
}

// Processes write and read the same entries; each read gives all of one entry or nothing.
static void hammer(int seed) {
    static uint8_t code[40000];
    char name[16];
    for (int i = 0; i < 200; i++) {
        int k = (i * 7 + seed) % 5;
        snprintf(name, sizeof name, "hammer %d", k);
        struct cache_key key = key_of(name, 0);
        memset(code, k, sizeof code);
        if (!hit(&key, code, 20000 + (size_t)k * 1000) || i % 3 == 0)
            cache_write(&key, &info, code, 20000 + (size_t)k * 1000);
    }
}

static void test_processes(void) {
    clear();
    setenv("CUDA_CACHE_MAXSIZE", "100000", 1); // with eviction going on
    for (int p = 0; p < 4; p++) {
        pid_t pid = fork();
        REQUIRE(pid >= 0);
        if (pid == 0) {
            hammer(p);
            _exit(expect_failures != 0);
        }
    }
    for (int p = 0; p < 4; p++) {
        int status;
        REQUIRE(wait(&status) > 0);
        EXPECT_EQ(status, 0);
    }
    DIR *d = opendir(folder);
    for (struct dirent *e; (e = readdir(d));)
        EXPECT(strncmp(e->d_name, ".tmp-", 5) != 0);
    closedir(d);
    unsetenv("CUDA_CACHE_MAXSIZE");
}

// A folder with more than the limit: who writes little does not look through it, who writes a lot
// does. (Whether a process looks is decided by chance: a wrong one is met once in 300,000 runs.)
static void test_large_folder(void) {
    enum { FILES = 5, BYTES = 300 << 20, MUCH = 34 << 20 };
    char other[] = "/tmp/kudzu-cache-test-XXXXXX", path[100];
    uint8_t *code = calloc(1, MUCH);
    REQUIRE(code && mkdtemp(other));
    setenv("CUDA_CACHE_PATH", other, 1);
    for (int i = 0; i < FILES; i++) {
        snprintf(path, sizeof path, "%s/%032d.kzo", other, i);
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
        REQUIRE(fd >= 0 && ftruncate(fd, BYTES) == 0 && close(fd) == 0);
    }
    struct cache_key little = key_of("little", 0), much = key_of("much", 0);
    int left[2] = {0};
    for (int k = 0; k < 2; k++) {
        cache_write(k ? &much : &little, &info, code, k ? MUCH : 1);
        for (int i = 0; i < FILES; i++) {
            snprintf(path, sizeof path, "%s/%032d.kzo", other, i);
            left[k] += access(path, F_OK) == 0;
        }
    }
    EXPECT_EQ(left[0], FILES);
    EXPECT_EQ(left[1], 3); // of 1 GiB
    EXPECT(hit(&little, code, 1));
    EXPECT(hit(&much, code, MUCH));
    snprintf(path, sizeof path, "rm -rf %s", other);
    EXPECT(system(path) == 0);
    setenv("CUDA_CACHE_PATH", folder, 1);
    free(code);
}

int main(void) {
    REQUIRE(mkdtemp(folder));
    setenv("CUDA_CACHE_PATH", folder, 1);
    unsetenv("CUDA_CACHE_DISABLE");
    test_keys();
    test_settings();
    test_damage();
    test_eviction();
    test_processes();
    test_large_folder();
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) != 0 || expect_done();
}
