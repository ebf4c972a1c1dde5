#include "binutils/tool_version.h"

#include <stdio.h>

void tool_version_print(const char *tool, const char *what) {
    printf("kudzu %s " KUDZU_VERSION ", no part of which is NVIDIA's, in place of\n"
           "%s: NVIDIA (R) %s\n"
           "Cuda compilation tools, release 12.9, V12.9.0\n",
           tool, tool, what);
}

int tool_log_end(struct tool_log *log) {
    fputs(strbuf_str(&log->info), stderr);
    fputs(strbuf_str(&log->errors), stderr);
    tool_log_free(log);
    return log->failed ? 255 : 0;
}
