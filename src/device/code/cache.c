#include "device/code/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#define XXH_STATIC_LINKING_ONLY // the state's type
#include <xxhash.h>

#include "support/debug.h"
#include "support/environment.h"
#include "support/private_folder.h"

#define CACHE_MAGIC "KUDZUOBJ"
enum { CACHE_FORMAT = 1, NAME_BYTES = 32 + 4 + 1 };
static const uint64_t DEFAULT_BYTES = 1ull << 30, MOST_BYTES = 1ull << 32;

struct entry_header {
    char magic[8];
    uint32_t format, abi;
    struct cache_key key;
    struct kd_code_info info;
    uint32_t padding; // zero
    uint64_t size;    // of the object that follows
    uint64_t hash;    // XXH3 of the header, with this field zero, and of the object
};

// ---- Settings -----------------------------------------------------------------------------

static bool disabled(void) {
    const char *s = environment_get("CUDA_CACHE_DISABLE");
    return s && strcmp(s, "1") == 0;
}

static uint64_t max_bytes(void) {
    const char *s = environment_get("CUDA_CACHE_MAXSIZE");
    char *end;
    if (!s || !*s)
        return DEFAULT_BYTES;
    unsigned long long n = strtoull(s, &end, 10);
    if (*end)
        return DEFAULT_BYTES;
    return n < MOST_BYTES ? n : MOST_BYTES;
}

static bool folder(char *out, size_t size) {
    const char *path = environment_get("CUDA_CACHE_PATH"), *xdg = environment_get("XDG_CACHE_HOME"),
               *home = environment_get("HOME");
    int n;
    if (path && *path)
        n = snprintf(out, size, "%s", path);
    else if (xdg && xdg[0] == '/')
        n = snprintf(out, size, "%s/kudzu", xdg);
    else if (home && *home)
        n = snprintf(out, size, "%s/.cache/kudzu", home);
    else
        return false;
    return n > 0 && (size_t)n < size;
}

// ---- Keys ---------------------------------------------------------------------------------

struct cache_key cache_key_of(const char *ptx, size_t ptx_size, const char *kernel,
                              const struct kd_spec *spec, const char *compiler) {
    struct cache_key key;
    XXH3_state_t state, *s = &state; // here: there may be no memory for one elsewhere
    uint32_t abi = KD_ABI_VERSION;
    XXH3_128bits_reset(s);
    // Strings with their ends, so that no two inputs run together.
    XXH3_128bits_update(s, compiler, strlen(compiler) + 1);
    XXH3_128bits_update(s, &abi, sizeof abi);
    XXH3_128bits_update(s, spec, sizeof *spec);
    XXH3_128bits_update(s, kernel, strlen(kernel) + 1);
    XXH3_128bits_update(s, ptx, ptx_size);
    XXH128_canonical_t c;
    XXH128_canonicalFromHash(&c, XXH3_128bits_digest(s));
    memcpy(key.bytes, c.digest, sizeof key.bytes);
    return key;
}

static void file_name(const struct cache_key *key, char out[NAME_BYTES]) {
    for (int i = 0; i < 16; i++)
        snprintf(out + 2 * i, 3, "%02x", key->bytes[i]);
    memcpy(out + 32, ".kzo", 5);
}

static uint64_t entry_hash(const struct entry_header *h, const void *obj) {
    struct entry_header copy = *h;
    copy.hash = 0;
    return XXH3_64bits(&copy, sizeof copy) ^ XXH3_64bits(obj, h->size);
}

// ---- The folder ---------------------------------------------------------------------------

// -1: there is none that can be trusted.
static int open_folder(bool make) {
    char path[PATH_MAX];
    return disabled() || !folder(path, sizeof path) ? -1 : private_folder_open(path, make);
}

// ---- Reading ------------------------------------------------------------------------------

static bool read_all(int fd, void *p, size_t n) {
    for (size_t done = 0; done < n;) {
        ssize_t r = read(fd, (char *)p + done, n - done);
        if (r < 0 && errno == EINTR)
            continue;
        if (r <= 0)
            return false;
        done += (size_t)r;
    }
    return true;
}

static bool header_fits(const struct entry_header *h, const struct cache_key *key, int fd) {
    struct stat st;
    return memcmp(h->magic, CACHE_MAGIC, 8) == 0 && h->format == CACHE_FORMAT &&
           h->abi == KD_ABI_VERSION && memcmp(&h->key, key, sizeof *key) == 0 &&
           h->info.abi_version == KD_ABI_VERSION && h->info.mode <= KD_MODE_THREAD_STACKS &&
           (h->info.width || !(h->info.flags & KD_CODE_SPLITS)) && fstat(fd, &st) == 0 &&
           st.st_size >= 0 && (uint64_t)st.st_size >= sizeof *h &&
           (uint64_t)st.st_size - sizeof *h == h->size;
}

static bool read_entry(int fd, const struct cache_key *key, struct kd_code_info *info, void **obj,
                       size_t *size) {
    struct entry_header h;
    if (!private_file_is(fd) || !read_all(fd, &h, sizeof h) || !header_fits(&h, key, fd))
        return false;
    void *p = malloc(h.size ? h.size : 1);
    if (!p)
        return false;
    if (!read_all(fd, p, h.size) || entry_hash(&h, p) != h.hash) {
        free(p);
        return false;
    }
    *info = h.info;
    *obj = p;
    *size = h.size;
    return true;
}

bool cache_read(const struct cache_key *key, struct kd_code_info *info, void **obj, size_t *size) {
    char name[NAME_BYTES];
    int dir = open_folder(false);
    if (dir < 0)
        return false;
    file_name(key, name);
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    bool hit = fd >= 0 && read_entry(fd, key, info, obj, size);
    if (hit)
        futimens(fd, NULL); // the time of last use, for eviction; may fail on a read-only folder
    if (fd >= 0)
        close(fd);
    close(dir);
    if (debug_on("cache"))
        fprintf(stderr, "kudzu: cache %s %s\n", hit ? "hit" : "miss", name);
    return hit;
}

// ---- Eviction -----------------------------------------------------------------------------

struct file {
    char name[NAME_BYTES];
    uint64_t size;
    struct timespec used;
};

static int older_first(const void *a, const void *b) {
    const struct file *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    if (x->used.tv_nsec != y->used.tv_nsec)
        return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
    return strcmp(x->name, y->name);
}

static bool is_entry(const char *name) {
    return strlen(name) == NAME_BYTES - 1 && strcmp(name + 32, ".kzo") == 0;
}

// A writer that died leaves its temporary file; nobody else's is an hour old.
static void drop_stale(int dir, const char *name) {
    struct stat st;
    if (strncmp(name, ".tmp-", 5) == 0 && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        st.st_mtime + 3600 < time(NULL))
        unlinkat(dir, name, 0);
}

static struct file *list_files(int dir, size_t *count, uint64_t *total) {
    struct file *files = NULL;
    size_t cap = 0;
    *count = 0;
    *total = 0;
    int copy = dup(dir);
    DIR *d = copy >= 0 ? fdopendir(copy) : NULL;
    if (!d)
        return NULL;
    rewinddir(d);
    for (struct dirent *e; (e = readdir(d));) {
        struct stat st;
        drop_stale(dir, e->d_name);
        if (!is_entry(e->d_name) || fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW))
            continue;
        if (*count == cap) {
            cap = cap ? cap * 2 : 64;
            struct file *more = realloc(files, cap * sizeof *files);
            if (!more)
                break;
            files = more;
        }
        struct file *f = &files[(*count)++];
        memcpy(f->name, e->d_name, NAME_BYTES);
        f->size = (uint64_t)st.st_size;
        f->used = st.st_mtim;
        *total += f->size;
    }
    closedir(d);
    return files;
}

// Of the folder that this process wrote to last: bytes when it was last looked through (0: it was
// not), and written since. To look through a large one takes far longer than to write an entry.
static struct {
    dev_t device;
    ino_t inode;
    uint64_t total, since;
} known;
static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;
enum { SLACK = 32 }; // a part of the limit: unseen growth, and what is made free beyond the limit
static const uint64_t SMALL_FOLDER = 64 << 20; // a limit: soon looked through

// What other processes have written since somebody looked. Nobody knows, so each says a number by
// chance: of processes that write little, one looks for each part of the limit that they write
// together, and the others do not wait for that.
static uint64_t written_before(uint64_t limit) {
    struct timespec t;
    if (limit <= SMALL_FOLDER)
        return limit / SLACK;
    clock_gettime(CLOCK_REALTIME, &t);
    uint64_t x =
        (uint64_t)t.tv_nsec * 0x9e3779b97f4a7c15u ^ (uint64_t)getpid() * 0xff51afd7ed558ccdu;
    return (x >> 20) % (limit / SLACK);
}

static void look_through(int dir, uint64_t limit) {
    size_t n;
    struct file *files = list_files(dir, &n, &known.total);
    if (known.total > limit) {
        qsort(files, n, sizeof *files, older_first);
        for (size_t i = 0; i < n && known.total > limit - limit / SLACK; i++) {
            unlinkat(dir, files[i].name, 0);
            known.total -= files[i].size;
        }
    }
    known.since = 0;
    free(files);
}

static void evict(int dir, uint64_t limit, uint64_t written) {
    struct stat st;
    if (fstat(dir, &st))
        return;
    pthread_mutex_lock(&known_lock);
    if (known.device != st.st_dev || known.inode != st.st_ino) {
        known.device = st.st_dev;
        known.inode = st.st_ino;
        known.total = 0;
        known.since = written_before(limit);
    }
    known.since += written;
    if (known.since > limit / SLACK || known.total + known.since > limit)
        look_through(dir, limit);
    pthread_mutex_unlock(&known_lock);
}

// ---- Writing ------------------------------------------------------------------------------

static bool write_all(int fd, const void *p, size_t n) {
    for (size_t done = 0; done < n;) {
        ssize_t r = write(fd, (const char *)p + done, n - done);
        if (r < 0 && errno == EINTR)
            continue;
        if (r <= 0)
            return false;
        done += (size_t)r;
    }
    return true;
}

static bool write_entry(int dir, const char *name, const struct entry_header *h, const void *obj) {
    static atomic_uint serial;
    char temporary[64];
    snprintf(temporary, sizeof temporary, ".tmp-%ld-%u-%llx", (long)getpid(),
             atomic_fetch_add(&serial, 1), (unsigned long long)h->hash);
    int fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return false;
    bool ok = write_all(fd, h, sizeof *h) && write_all(fd, obj, h->size);
    ok = close(fd) == 0 && ok;
    ok = ok && renameat(dir, temporary, dir, name) == 0;
    if (!ok)
        unlinkat(dir, temporary, 0);
    return ok;
}

struct cache_place cache_open(void) {
    return (struct cache_place){open_folder(true), max_bytes()};
}

void cache_close(struct cache_place p) {
    if (p.folder >= 0)
        close(p.folder);
}

void cache_write_at(struct cache_place p, const struct cache_key *key,
                    const struct kd_code_info *info, const void *obj, size_t size) {
    char name[NAME_BYTES];
    struct entry_header h;
    if (p.folder < 0 || sizeof h + size > p.limit)
        return;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, CACHE_MAGIC, 8);
    h.format = CACHE_FORMAT;
    h.abi = KD_ABI_VERSION;
    h.key = *key;
    h.info = *info;
    h.size = size;
    h.hash = entry_hash(&h, obj);
    file_name(key, name);
    if (write_entry(p.folder, name, &h, obj))
        evict(p.folder, p.limit, sizeof h + size);
}

void cache_remove_at(struct cache_place p, const struct cache_key *key) {
    char name[NAME_BYTES];
    file_name(key, name);
    if (p.folder >= 0)
        unlinkat(p.folder, name, 0);
}

void cache_write(const struct cache_key *key, const struct kd_code_info *info, const void *obj,
                 size_t size) {
    if (sizeof(struct entry_header) + size > max_bytes())
        return;
    struct cache_place p = cache_open();
    cache_write_at(p, key, info, obj, size);
    cache_close(p);
}
