#include "cc/device_linker.h"

int main(int argc, char **argv) {
    return device_linker(argc, argv);
}
