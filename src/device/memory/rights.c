#include "device/memory/rights.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "device/exec/runner.h"
#include "device/memory/page.h"
#include "device/reason.h"

atomic_int rights_keys, rights_device_key;

static int protection(bool readable, bool writable) {
    return writable ? PROT_READ | PROT_WRITE : readable ? PROT_READ : PROT_NONE;
}

static enum kd_status change(uint64_t base, uint64_t size, int rights, int key) {
    bool failed;
#if defined(__x86_64__)
    if (atomic_load(&rights_keys)) // the range may have a key of before
        failed = pkey_mprotect((void *)base, size, rights, key);
    else
#endif
        failed = mprotect((void *)base, size, rights);
    (void)key;
    if (failed)
        return kd_fail(KD_SYSTEM, "the system does not change access rights: %s", strerror(errno));
    return kd_succeed();
}

#if defined(__x86_64__)
#include <cpuid.h>

enum { MOST_KEYS = 15, NO_ACCESS = 1, NO_WRITE = 2 }; // bits of each key in the register

// Each stands for one set of rights as long as the process lives: kernels that run have the rights
// of the keys that there were when they began.
static struct {
    int key;
    uint64_t readers, writers;
} keys[MOST_KEYS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint32_t read_register(void) {
    uint32_t pkru, high;
    __asm__ volatile("rdpkru" : "=a"(pkru), "=d"(high) : "c"(0));
    return pkru;
}

static void write_register(uint32_t pkru) {
    __asm__ volatile("wrpkru" : : "a"(pkru), "c"(0), "d"(0) : "memory");
}

// The register of a thread that has a device's rights, from what it was.
static uint32_t with_rights(uint32_t pkru, int device) {
    int n = atomic_load_explicit(&rights_keys, memory_order_acquire);
    for (int k = 0; k < n; k++) {
        uint32_t no = 0;
        if (device >= 0 && !(keys[k].writers >> device & 1))
            no = keys[k].readers >> device & 1 ? NO_WRITE : NO_ACCESS | NO_WRITE;
        pkru = (pkru & ~(3u << 2 * keys[k].key)) | no << 2 * keys[k].key;
    }
    return pkru;
}

static uint32_t bits_of_device_key(void) {
    return 3u << 2 * atomic_load_explicit(&rights_device_key, memory_order_relaxed);
}

void rights_enter_slow(int device) {
    uint32_t before = read_register(), pkru = with_rights(before, device);
    if (atomic_load_explicit(&rights_device_key, memory_order_relaxed))
        pkru &= ~bits_of_device_key(); // the thread may be older than the key
    if (pkru != before)
        write_register(pkru);
}

// The key of these rights; 0: there is none.
static int key_of(uint64_t readers, uint64_t writers) {
    int key = 0;
    pthread_mutex_lock(&lock);
    int n = atomic_load(&rights_keys);
    for (int k = 0; k < n && !key; k++)
        if (keys[k].readers == readers && keys[k].writers == writers)
            key = keys[k].key;
    if (!key && n < MOST_KEYS && (key = pkey_alloc(0, 0)) > 0) {
        keys[n].key = key;
        keys[n].readers = readers;
        keys[n].writers = writers;
        atomic_store(&rights_keys, n + 1);
        fault_handlers_install(); // for threads that have not heard of it
    }
    pthread_mutex_unlock(&lock);
    return key > 0 ? key : 0;
}

// Where the register of an interrupted thread was saved; NULL: it was not.
static uint32_t *saved_register(ucontext_t *u) {
    enum { SOFTWARE = 464, HEADER = 512, MAGIC = 0x46505853, FEATURE = 9, XSTATE = 0xd };
    uint8_t *area = (uint8_t *)u->uc_mcontext.fpregs;
    uint32_t magic, size, at, high;
    uint64_t present;
    if (!area)
        return NULL;
    memcpy(&magic, area + SOFTWARE, sizeof magic);
    memcpy(&present, area + HEADER, sizeof present);
    if (magic != MAGIC || !(present >> FEATURE & 1) ||
        !__get_cpuid_count(XSTATE, FEATURE, &size, &at, &high, &high))
        return NULL;
    return (uint32_t *)(void *)(area + at);
}

// ---- Memory that is the devices' alone ------------------------------------------------------

// The thread has the right although it is in no call: it has been let by.
static _Thread_local bool let_by __attribute__((tls_model("initial-exec")));

bool rights_device_begin(void) {
    pthread_mutex_lock(&lock);
    int key = atomic_load(&rights_device_key);
    if (!key && (key = pkey_alloc(0, PKEY_DISABLE_ACCESS)) > 0) {
        atomic_store(&rights_device_key, key);
        fault_handlers_install();
    }
    pthread_mutex_unlock(&lock);
    return key > 0;
}

void rights_device_only(uint64_t base, uint64_t size) {
    int key = atomic_load(&rights_device_key);
    uint64_t from = base & -page_bytes(), to = (base + size + page_bytes() - 1) & -page_bytes();
    if (key)
        (void)pkey_mprotect((void *)from, to - from, PROT_READ | PROT_WRITE, key);
}

bool rights_call_begin_slow(void) {
    uint32_t pkru = read_register(), bits = bits_of_device_key();
    bool before = !(pkru & bits) && !let_by;
    let_by = false;
    if (pkru & bits)
        write_register(pkru & ~bits);
    return before;
}

void rights_call_end_slow(bool before) {
    if (!before)
        write_register(read_register() | bits_of_device_key());
}

bool rights_device_fault(const siginfo_t *info) {
    int key = atomic_load(&rights_device_key);
    return key && info->si_code == SEGV_PKUERR && (int)info->si_pkey == key;
}

bool rights_device_let(void *context, bool for_now) {
    uint32_t *saved = saved_register(context);
    if (!saved)
        return false;
    *saved &= ~bits_of_device_key();
    let_by = for_now;
    return true;
}

void rights_device_take(void *context) {
    uint32_t *saved = saved_register(context);
    if (saved)
        *saved |= bits_of_device_key();
}

bool rights_allow(const siginfo_t *info, void *context, int device, bool write) {
    if (info->si_code != SEGV_PKUERR)
        return false;
    uint32_t *saved = saved_register(context);
    uint32_t pkru = saved ? with_rights(*saved, device) : 0;
    uint32_t no = pkru >> 2 * info->si_pkey & 3;
    if (!saved || no & NO_ACCESS || (write && no & NO_WRITE) || pkru == *saved)
        return false;
    *saved = pkru;
    return true;
}

#else

void rights_enter_slow(int device) {
    (void)device;
}

static int key_of(uint64_t readers, uint64_t writers) {
    (void)readers, (void)writers;
    return 0;
}

bool rights_allow(const siginfo_t *info, void *context, int device, bool write) {
    (void)info, (void)context, (void)device, (void)write;
    return false;
}

bool rights_device_begin(void) {
    return false;
}

void rights_device_only(uint64_t base, uint64_t size) {
    (void)base, (void)size;
}

bool rights_call_begin_slow(void) {
    return true;
}

void rights_call_end_slow(bool before) {
    (void)before;
}

bool rights_device_fault(const siginfo_t *info) {
    (void)info;
    return false;
}

bool rights_device_let(void *context, bool for_now) {
    (void)context, (void)for_now;
    return false;
}

void rights_device_take(void *context) {
    (void)context;
}

#endif

enum kd_status kd_rights_set(uint64_t base, uint64_t size, bool readable, bool writable,
                             uint64_t readers, uint64_t writers, uint64_t all) {
    bool differ = (readable && readers != all) || (writable && writers != all);
    int key = differ ? key_of(readers, writers) : 0;
    return change(base, size, protection(readable, writable), key);
}

void kd_rights_clear(uint64_t base, uint64_t size) {
#if defined(__x86_64__)
    if (atomic_load(&rights_keys))
        pkey_mprotect((void *)base, size, PROT_READ | PROT_WRITE, 0);
#else
    (void)base, (void)size;
#endif
}
