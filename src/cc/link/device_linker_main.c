#include "cc/link/device_linker.h"

int main(int argc, char **argv) {
    return device_linker(argc, argv);
}
