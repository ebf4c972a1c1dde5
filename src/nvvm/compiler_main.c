#include "nvvm/compiler.h"

int main(int argc, char **argv) {
    return nvvm_compiler(argc, argv);
}
