// The error log: CUDA_LOG_FILE, callbacks, dumps (guide, chapter 23).
#include "check.h"

#include <unistd.h>

static char last[2048];
static int calls;

static void CUDA_CB on_message(void *data, CUlogLevel level, char *message, size_t length) {
    calls++;
    CHECK(level == CU_LOG_LEVEL_ERROR && strlen(message) == length);
    CHECK(data == last);
    snprintf(last, sizeof last, "%s", message);
}

static int lines(const char *text) {
    int n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

static void read_file(const char *name, char *out, size_t size) {
    FILE *f = fopen(name, "r");
    size_t n = f ? fread(out, 1, size - 1, f) : 0;
    out[n] = '\0';
    if (f)
        fclose(f);
}

static void fail_once(void) {
    CUdeviceptr p;
    EXPECT(cuMemAlloc(&p, 0), CUDA_ERROR_INVALID_VALUE);
}

// What is not there says why.
static void absent(void) {
    CUprocessState state;
    EXPECT(cuCheckpointProcessGetState(getpid(), &state), CUDA_ERROR_NOT_SUPPORTED);
    CHECK(
        strstr(last, "[cuCheckpointProcessGetState] not supported: a device has no state outside"));
    EXPECT(cuCheckpointProcessLock(getpid(), NULL), CUDA_ERROR_NOT_SUPPORTED);
    CHECK(strstr(last, "[cuCheckpointProcessLock]"));
    calls = 0;
}

static void callbacks(void) {
    CUlogsCallbackHandle handle;
    OK(cuLogsRegisterCallback(on_message, last, &handle));
    absent();
    fail_once();
    // [time][thread][CUDA][E][cuMemAlloc] text
    CHECK(calls == 1 && strstr(last, "][CUDA][E][cuMemAlloc] ") && strstr(last, "size of 0"));
    CHECK(last[0] == '[' && last[3] == ':' && last[6] == ':' && last[9] == '.' && last[13] == ']');
    OK(cuLogsUnregisterCallback(handle));
    fail_once();
    CHECK(calls == 1);
    EXPECT(cuLogsUnregisterCallback(handle), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuLogsRegisterCallback(NULL, NULL, &handle), CUDA_ERROR_INVALID_VALUE);
}

static void dumps(void) {
    static char text[25600];
    CUlogIterator at;
    size_t size = sizeof text;
    OK(cuLogsCurrent(&at, 0));
    fail_once();
    fail_once();
    OK(cuLogsDumpToMemory(&at, text, &size, 0));
    CHECK(lines(text) == 2 && size == strlen(text));
    size = sizeof text;
    OK(cuLogsDumpToMemory(&at, text, &size, 0)); // the iterator moved on
    CHECK(text[0] == '\0' && size == 0);
    for (int i = 0; i < 120; i++)
        fail_once();
    size = sizeof text;
    OK(cuLogsDumpToMemory(NULL, text, &size, 0));
    CHECK(lines(text) == 101 && text[0] == '('); // 100 messages and a note
    size = 300;
    OK(cuLogsDumpToMemory(NULL, text, &size, 0));
    CHECK(strlen(text) < 300 && size == strlen(text) && text[0] == '(' &&
          strstr(text, "too small"));
    size = 1;
    EXPECT(cuLogsDumpToMemory(NULL, text, &size, 0), CUDA_ERROR_INVALID_VALUE);
    CHECK(text[0] == '\0' && size == 0);
    size = 60; // the note alone tells nothing
    EXPECT(cuLogsDumpToMemory(NULL, text, &size, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuLogsDumpToMemory(NULL, NULL, &size, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuLogsDumpToMemory(NULL, text, &size, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuLogsCurrent(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuLogsDumpToFile(NULL, "/nonexistent/folder/log", 0), CUDA_ERROR_INVALID_VALUE);
}

int main(void) {
    char name[] = "driver_log_XXXXXX", dumped[] = "driver_dump_XXXXXX";
    static char text[1 << 16];
    close(mkstemp(name));
    close(mkstemp(dumped));
    setenv("CUDA_LOG_FILE", name, 1);
    CUcontext ctx = check_context();
    fail_once();
    read_file(name, text, sizeof text);
    CHECK(lines(text) == 1 && strstr(text, "[cuMemAlloc]"));
    callbacks();
    dumps();
    OK(cuLogsDumpToFile(NULL, dumped, 0));
    read_file(dumped, text, sizeof text);
    CHECK(lines(text) == 101);
    unlink(name);
    unlink(dumped);
    OK(cuCtxDestroy(ctx));
    return check_result();
}
