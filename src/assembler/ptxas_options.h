// ptxas's options, which nvPTXCompiler takes, too.
#ifndef KUDZU_ASSEMBLER_PTXAS_OPTIONS_H
#define KUDZU_ASSEMBLER_PTXAS_OPTIONS_H

#include "assembler/assemble.h"
#include "assembler/tool_options.h"

struct ptxas_options {
    struct assembler_options assembler;
    const char *output; // NULL: none named
    bool help, version, list_targets, input_is_text;
    tool_words inputs;
};

// False: errors in the log, of which the options about messages are part.
bool ptxas_options_read(struct arena *arena, struct tool_log *log, int argc,
                        const char *const *argv, struct ptxas_options *out);
void ptxas_options_help(void);

#endif
