// The error log (guide, chapter 23): the last 100 messages, printed as they occur where
// CUDA_LOG_FILE says, handed to callbacks, dumped on request.
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "driver/driver.h"
#include "support/check/check_call.h"
#include "support/check/check_tools.h"
#include "support/environment.h"

enum { ENTRIES = 100, ENTRY_BYTES = 1024, DUMP_BYTES = 25600 };

// A callback that is unregistered during a message stays in the list, without a function, so
// that its neighbours can be walked to.
struct callback {
    struct drv_object object;
    struct callback *next_callback;
    _Atomic(CUlogsCallback) fn;
    void *data;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char entries[ENTRIES][ENTRY_BYTES];
static unsigned total; // messages so far; message i is entries[i % ENTRIES]
static FILE *file;
static bool file_opened;
static struct callback *callbacks;

// The log's file is opened with the first message (guide 23.5).
static FILE *log_file(void) {
    if (file_opened)
        return file;
    file_opened = true;
    const char *name = environment_get("CUDA_LOG_FILE");
    if (!name || !*name)
        return NULL;
    if (!strcmp(name, "stdout"))
        file = stdout;
    else if (!strcmp(name, "stderr"))
        file = stderr;
    else
        file = fopen(name, "ae");
    return file;
}

static int format_prefix(char *out, size_t size, CUlogLevel level, const char *api) {
    struct timespec now;
    struct tm tm;
    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &tm);
    const char *version = strstr(api, "_v"); // cuMemAlloc_v2 is known as cuMemAlloc
    int length = version && version[3] == '\0' ? (int)(version - api) : (int)strlen(api);
    return snprintf(out, size, "[%02d:%02d:%02d.%03ld][%ld][CUDA][%c][%.*s] ", tm.tm_hour,
                    tm.tm_min, tm.tm_sec, now.tv_nsec / 1000000, (long)syscall(SYS_gettid),
                    level == CU_LOG_LEVEL_ERROR ? 'E' : 'W', length, api);
}

static void log_message(CUlogLevel level, const char *api, const char *format, va_list args) {
    NO_CANCEL();
    char text[ENTRY_BYTES];
    int n = format_prefix(text, sizeof text, level, api);
    vsnprintf(text + n, sizeof text - (size_t)n, format, args);
    pthread_mutex_lock(&mutex);
    memcpy(entries[total++ % ENTRIES], text, strlen(text) + 1);
    FILE *f = log_file();
    if (f) {
        fprintf(f, "%s\n", text);
        fflush(f);
    }
    struct callback *first = callbacks;
    pthread_mutex_unlock(&mutex);
    for (struct callback *c = first; c; c = c->next_callback) {
        CUlogsCallback fn = c->fn;
        if (fn)
            fn(c->data, level, text, strlen(text));
    }
}

// For `kudzu check`.
static void check_failed(CUresult code, const char *format, va_list args) {
    char text[ENTRY_BYTES];
    const char *name = drv_error_name(code), *message = drv_error_text(code);
    vsnprintf(text, sizeof text, format, args);
    check_driver_failed(&(struct check_failure){.driver = drv_api ? drv_api : "cuInit",
                                                .error = name ? name : "an error",
                                                .message = message ? message : "",
                                                .number = (int)code,
                                                .reason = text});
}

CUresult drv_fail(CUresult code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    log_message(CU_LOG_LEVEL_ERROR, drv_api ? drv_api : "cuInit", format, args);
    va_end(args);
    if (__builtin_expect(check_calls(), 0)) {
        va_start(args, format);
        check_failed(code, format, args);
        va_end(args);
    }
    return code;
}

void drv_warn(const char *format, ...) {
    va_list args;
    va_start(args, format);
    log_message(CU_LOG_LEVEL_WARNING, drv_api ? drv_api : "cuInit", format, args);
    va_end(args);
}

void api_not_supported(const char *function, const char *reason) {
    drv_api = function;
    drv_fail(CUDA_ERROR_NOT_SUPPORTED, "not supported: %s", reason);
}

static void callback_release(struct drv_object *o) {
    struct callback *c = (struct callback *)o;
    c->fn = NULL; // a message that is being delivered may still walk over it
}

CUresult cuLogsRegisterCallback(CUlogsCallback callbackFunc, void *userData,
                                CUlogsCallbackHandle *callback_out) {
    ENTER();
    REQUIRE_POINTER(callbackFunc);
    struct callback *c = calloc(1, sizeof *c);
    if (c) {
        c->fn = callbackFunc;
        c->data = userData;
    }
    REQUIRE(c && drv_object_add(&c->object, DRV_LOG_CALLBACK, NULL, callback_release),
            CUDA_ERROR_OUT_OF_MEMORY, "no memory for a callback");
    pthread_mutex_lock(&mutex);
    c->next_callback = callbacks;
    callbacks = c;
    pthread_mutex_unlock(&mutex);
    if (callback_out)
        *callback_out = c->object.handle;
    return CUDA_SUCCESS;
}

CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle callback) {
    ENTER();
    struct callback *c = drv_object_find(callback, DRV_LOG_CALLBACK);
    REQUIRE(c, CUDA_ERROR_INVALID_VALUE, "callback is not registered");
    REQUIRE(drv_object_destroy(&c->object), CUDA_ERROR_INVALID_VALUE,
            "%p was destroyed by another thread", (void *)callback);
    return CUDA_SUCCESS;
}

CUresult cuLogsCurrent(CUlogIterator *iterator_out, unsigned int flags) {
    ENTER();
    REQUIRE_POINTER(iterator_out);
    REQUIRE(flags == 0, CUDA_ERROR_INVALID_VALUE, "flags must be 0");
    pthread_mutex_lock(&mutex);
    *iterator_out = total;
    pthread_mutex_unlock(&mutex);
    return CUDA_SUCCESS;
}

// Under the mutex: the first message to dump, and whether older ones are gone.
static unsigned dump_begin(const CUlogIterator *iterator, bool *lost) {
    unsigned oldest = total > ENTRIES ? total - ENTRIES : 0;
    unsigned begin = iterator ? *iterator : 0;
    *lost = begin < oldest;
    if (begin > total)
        begin = total;
    return begin < oldest ? oldest : begin;
}

static const char ROLLED_OVER[] = "(older messages were replaced: the log keeps 100)\n";
static const char DROPPED[] = "(older messages were left out: the buffer is too small)\n";

CUresult cuLogsDumpToFile(CUlogIterator *iterator, const char *pathToFile, unsigned int flags) {
    ENTER();
    REQUIRE_POINTER(pathToFile);
    REQUIRE(flags == 0, CUDA_ERROR_INVALID_VALUE, "flags must be 0");
    FILE *f = fopen(pathToFile, "we");
    REQUIRE(f, CUDA_ERROR_INVALID_VALUE, "cannot write to %s", pathToFile);
    pthread_mutex_lock(&mutex);
    bool lost;
    unsigned i = dump_begin(iterator, &lost);
    if (lost)
        fputs(ROLLED_OVER, f);
    for (; i < total; i++)
        fprintf(f, "%s\n", entries[i % ENTRIES]);
    if (iterator)
        *iterator = total;
    pthread_mutex_unlock(&mutex);
    REQUIRE(fclose(f) == 0, CUDA_ERROR_INVALID_VALUE, "cannot write to %s", pathToFile);
    return CUDA_SUCCESS;
}

// Under the mutex: writes what fits into `room` bytes, newest messages preferred, and gives its
// length without the NUL that ends it. False: not even one message fits.
static bool dump_memory(unsigned begin, bool lost, char *buffer, size_t room, size_t *size) {
    bool any = begin < total;
    const char *note = lost ? ROLLED_OVER : "";
    size_t need = strlen(note) + 1;
    for (unsigned i = begin; i < total; i++)
        need += strlen(entries[i % ENTRIES]) + 1;
    if (need > room) {
        note = DROPPED;
        need = need - (lost ? strlen(ROLLED_OVER) : 0) + strlen(DROPPED);
        while (begin < total && need > room)
            need -= strlen(entries[begin++ % ENTRIES]) + 1;
        if (need > room || begin == total)
            return !any;
    }
    char *at = stpcpy(buffer, note);
    for (unsigned i = begin; i < total; i++) {
        at = stpcpy(at, entries[i % ENTRIES]);
        *at++ = '\n';
    }
    *at = '\0';
    *size = (size_t)(at - buffer);
    return true;
}

// *size: the room, which may be up to 25600 bytes; then the length of the text, which is followed
// by a NUL. CUDA_ERROR_INVALID_VALUE: no message fits.
CUresult cuLogsDumpToMemory(CUlogIterator *iterator, char *buffer, size_t *size,
                            unsigned int flags) {
    ENTER();
    REQUIRE_POINTER(buffer);
    REQUIRE_POINTER(size);
    REQUIRE(*size > 0, CUDA_ERROR_INVALID_VALUE, "size cannot be 0");
    REQUIRE(flags == 0, CUDA_ERROR_INVALID_VALUE, "flags must be 0");
    pthread_mutex_lock(&mutex);
    bool lost;
    unsigned begin = dump_begin(iterator, &lost);
    size_t room = *size < DUMP_BYTES ? *size : (size_t)DUMP_BYTES;
    *size = 0;
    buffer[0] = '\0';
    bool fits = dump_memory(begin, lost, buffer, room, size);
    if (iterator && fits)
        *iterator = total;
    pthread_mutex_unlock(&mutex);
    REQUIRE(fits, CUDA_ERROR_INVALID_VALUE, "%zu bytes hold no message", room);
    return CUDA_SUCCESS;
}
