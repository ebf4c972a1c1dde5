#include "binutils/tool_version.h"

#include <stdio.h>

#include "support/cuda_version.h"

void tool_version_print(const char *tool, const char *what) {
    int version = cuda_version_of_headers(), major = version / 1000, minor = version % 1000 / 10;
    printf("kudzu %s " KUDZU_VERSION ", no part of which is NVIDIA's, in place of\n"
           "%s: NVIDIA (R) %s\n"
           "Cuda compilation tools, release %d.%d, V%d.%d.0\n",
           tool, tool, what, major, minor, major, minor);
}

int tool_log_end(struct tool_log *log) {
    fputs(strbuf_str(&log->info), stderr);
    fputs(strbuf_str(&log->errors), stderr);
    tool_log_free(log);
    return log->failed ? 255 : 0;
}
