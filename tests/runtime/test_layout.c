#include "layout.h"

int main(void) {
    return 0;
}
