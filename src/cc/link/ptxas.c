#include "cc/link/ptxas.h"

#include "cc/processes/command.h"
#include "cc/processes/file_io.h"
#include "cc/processes/temporaries.h"
#include "image/cubin.h"

// kudzu's own assembler, under the name of NVIDIA's, makes no machine code: a GPU's driver would
// look for kernels in what it writes, and find none.
static bool is_machine_code(const char *cubin, size_t size) {
    char why[256];
    bool foreign;
    return !cubin_container(cubin, size, &size, &foreign, why, sizeof why) ||
           cc_error("--kudzu-ptxas: the ptxas that was found is kudzu's, which makes no machine "
                    "code; name NVIDIA's, --kudzu-ptxas=PATH");
}

bool ptxas_assemble(struct arena *arena, const struct cc_options *o, const char *architecture,
                    const char *ptx, size_t size, char **cubin, size_t *cubin_size) {
    const char *text = temporary_path(arena, architecture, "ptx");
    const char *code = temporary_path(arena, architecture, "cubin");
    if (!write_file(text, ptx, size))
        return false;
    struct command c;
    command_init(&c, arena, arena_printf(arena, "ptxas,%s", architecture), o->ptxas);
    command_argf(&c, "-arch=%s", architecture);
    if (o->device_debug)
        command_arg(&c, "-g");
    else if (o->line_info)
        command_arg(&c, "-lineinfo");
    command_args(&c, &o->ptxas_options);
    command_arg(&c, text);
    command_arg(&c, "-o");
    command_arg(&c, code);
    return (command_run(&c) || cc_error("ptxas has no code for %s", architecture)) &&
           read_file(arena, code, cubin, cubin_size) && is_machine_code(*cubin, *cubin_size);
}
