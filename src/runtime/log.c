// The driver's error log (guide, chapter 23).
#include "runtime/runtime.h"

// The callback gets the level as an enumeration of the same values.
_Static_assert((int)cudaLogLevelWarning == (int)CU_LOG_LEVEL_WARNING, "same values");

cudaError_t cudaLogsRegisterCallback(cudaLogsCallback_t callbackFunc, void *userData,
                                     cudaLogsCallbackHandle *callback_out) {
    RT_INIT();
    return rt_result(
        RT_CALL(cuLogsRegisterCallback, (CUlogsCallback)callbackFunc, userData, callback_out));
}

cudaError_t cudaLogsUnregisterCallback(cudaLogsCallbackHandle callback) {
    RT_INIT();
    return rt_result(RT_CALL(cuLogsUnregisterCallback, callback));
}

cudaError_t cudaLogsCurrent(cudaLogIterator *iterator_out, unsigned int flags) {
    RT_INIT();
    return rt_result(RT_CALL(cuLogsCurrent, iterator_out, flags));
}

cudaError_t cudaLogsDumpToFile(cudaLogIterator *iterator, const char *pathToFile,
                               unsigned int flags) {
    RT_INIT();
    return rt_result(RT_CALL(cuLogsDumpToFile, iterator, pathToFile, flags));
}

cudaError_t cudaLogsDumpToMemory(cudaLogIterator *iterator, char *buffer, size_t *size,
                                 unsigned int flags) {
    RT_INIT();
    return rt_result(RT_CALL(cuLogsDumpToMemory, iterator, buffer, size, flags));
}
