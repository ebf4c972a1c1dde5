// kudzu-device-linker as a function, for programs that are more than that.
#ifndef KUDZU_CC_DEVICE_LINKER_H
#define KUDZU_CC_DEVICE_LINKER_H

// Takes the program's arguments, gives its exit status. Errors are reported.
int device_linker(int argc, char **argv);

#endif
