// compile_for file.ptx KERNEL NTIDX,NTIDY,NTIDZ,FLAGS,WIDTH,LEVEL out: one kernel for one
// specialisation, for compile_elsewhere.c. Into out: struct kd_code_info, the object's size, the
// object.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/jit.h"

static char text[1 << 24];

int main(int argc, char **argv) {
    struct kd_spec s;
    struct kd_code_info info;
    char log[4096] = "";
    void *obj;
    size_t size;
    FILE *in = argc == 5 ? fopen(argv[1], "r") : NULL;
    if (!in || fread(text, 1, sizeof text - 1, in) == 0 ||
        sscanf(argv[3], "%u,%u,%u,%u,%u,%u", &s.ntid[0], &s.ntid[1], &s.ntid[2], &s.flags, &s.width,
               &s.level) != 6) {
        fprintf(stderr, "usage: compile_for file.ptx KERNEL SPECIALISATION out\n");
        return 2;
    }
    fclose(in);
    struct kj_module *m = kj_module_load(text, strlen(text), log, sizeof log);
    if (!m || !kj_compile(m, (uint32_t)strtoul(argv[2], NULL, 10), &s, &obj, &size, &info, log,
                          sizeof log)) {
        fprintf(stderr, "compile_for: %s\n", log);
        return 1;
    }
    FILE *out = fopen(argv[4], "w");
    if (!out || fwrite(&info, sizeof info, 1, out) != 1 ||
        fwrite(&size, sizeof size, 1, out) != 1 || fwrite(obj, 1, size, out) != size ||
        fclose(out)) {
        fprintf(stderr, "compile_for: cannot write %s\n", argv[4]);
        return 1;
    }
    return 0;
}
