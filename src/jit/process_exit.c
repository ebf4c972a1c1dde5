// The end of the process. A thread may be compiling then, and LLVM's static destructors would take
// away what it works with: those that the archives in this library register are left out. None of
// them does more than give back memory.
int __cxa_atexit(void (*function)(void *), void *argument, void *library)
    __attribute__((visibility("hidden")));

int __cxa_atexit(void (*function)(void *), void *argument, void *library) {
    return 0;
}
