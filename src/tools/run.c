#include <stdio.h>

#include "tools/tools.h"

int tool_run(int argc, char **argv) {
    return 1;
}
int tool_smi(int argc, char **argv) {
    return 1;
}
