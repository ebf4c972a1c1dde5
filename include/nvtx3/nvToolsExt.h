// Marks and ranges for profilers. No profiler listens: marks are accepted and cost nothing; the
// nesting depth of ranges is kept for each thread, because callers can see it.
#ifndef NVTOOLSEXT_H_V3
#define NVTOOLSEXT_H_V3

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NVTX_VERSION 3
#define NVTX_SUCCESS 0
#define NVTX_FAIL 1
#define NVTX_NO_PUSH_POP_TRACKING ((int)-2)

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;
typedef struct nvtxResourceHandle *nvtxResourceHandle_t;

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;

typedef enum nvtxMessageType_t {
    NVTX_MESSAGE_UNKNOWN = 0,
    NVTX_MESSAGE_TYPE_ASCII = 1,
    NVTX_MESSAGE_TYPE_UNICODE = 2,
    NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;

typedef enum nvtxPayloadType_t {
    NVTX_PAYLOAD_UNKNOWN = 0,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
    NVTX_PAYLOAD_TYPE_INT64 = 2,
    NVTX_PAYLOAD_TYPE_DOUBLE = 3,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
    NVTX_PAYLOAD_TYPE_INT32 = 5,
    NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;

typedef union nvtxMessageValue_t {
    const char *ascii;
    const wchar_t *unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;

typedef struct nvtxEventAttributes_v2 {
    uint16_t version;
    uint16_t size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType;
    int32_t reserved0;
    union payload_t {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_v2;
typedef struct nvtxEventAttributes_v2 nvtxEventAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

// What a program names beside ranges: an object of the system, by a pointer or a number.
typedef enum nvtxResourceGenericType_t {
    NVTX_RESOURCE_TYPE_UNKNOWN = 0,
    NVTX_RESOURCE_TYPE_GENERIC_POINTER = 0x10001,
    NVTX_RESOURCE_TYPE_GENERIC_HANDLE = 0x10002,
    NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE = 0x10003,
    NVTX_RESOURCE_TYPE_GENERIC_THREAD_POSIX = 0x10004
} nvtxResourceGenericType_t;

typedef struct nvtxResourceAttributes_v0 {
    uint16_t version;
    uint16_t size;
    int32_t identifierType;
    union identifier_t {
        const void *pValue;
        uint64_t ullValue;
    } identifier;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxResourceAttributes_v0;
typedef struct nvtxResourceAttributes_v0 nvtxResourceAttributes_t;
#define NVTX_RESOURCE_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxResourceAttributes_v0))

// Names stand in parentheses below: programs define macros of these names to take the calls out,
// and CCCL includes this behind them.
#define KUDZU_NVTX(type) static __inline__ __attribute__((unused)) type

KUDZU_NVTX(int *) kudzu_nvtx_depth(void) {
    static __thread int depth;
    return &depth;
}
KUDZU_NVTX(int) kudzu_nvtx_push(void) {
    return (*kudzu_nvtx_depth())++;
}

KUDZU_NVTX(void)(nvtxInitialize)(const void *reserved) {
    (void)reserved;
}
KUDZU_NVTX(void)(nvtxMarkEx)(const nvtxEventAttributes_t *attributes) {
    (void)attributes;
}
KUDZU_NVTX(void)(nvtxMarkA)(const char *message) {
    (void)message;
}
KUDZU_NVTX(void)(nvtxMarkW)(const wchar_t *message) {
    (void)message;
}
KUDZU_NVTX(nvtxRangeId_t)(nvtxRangeStartEx)(const nvtxEventAttributes_t *attributes) {
    (void)attributes;
    return 0;
}
KUDZU_NVTX(nvtxRangeId_t)(nvtxRangeStartA)(const char *message) {
    (void)message;
    return 0;
}
KUDZU_NVTX(nvtxRangeId_t)(nvtxRangeStartW)(const wchar_t *message) {
    (void)message;
    return 0;
}
KUDZU_NVTX(void)(nvtxRangeEnd)(nvtxRangeId_t id) {
    (void)id;
}
// Returns the level that begins, from 0.
KUDZU_NVTX(int)(nvtxRangePushEx)(const nvtxEventAttributes_t *attributes) {
    (void)attributes;
    return kudzu_nvtx_push();
}
KUDZU_NVTX(int)(nvtxRangePushA)(const char *message) {
    (void)message;
    return kudzu_nvtx_push();
}
KUDZU_NVTX(int)(nvtxRangePushW)(const wchar_t *message) {
    (void)message;
    return kudzu_nvtx_push();
}
// Returns the level that ends, negative where no range is open.
KUDZU_NVTX(int)(nvtxRangePop)(void) {
    return *kudzu_nvtx_depth() > 0 ? --*kudzu_nvtx_depth() : NVTX_NO_PUSH_POP_TRACKING;
}
KUDZU_NVTX(void)(nvtxNameCategoryA)(uint32_t category, const char *name) {
    (void)category, (void)name;
}
KUDZU_NVTX(void)(nvtxNameCategoryW)(uint32_t category, const wchar_t *name) {
    (void)category, (void)name;
}
KUDZU_NVTX(void)(nvtxNameOsThreadA)(uint32_t thread, const char *name) {
    (void)thread, (void)name;
}
KUDZU_NVTX(void)(nvtxNameOsThreadW)(uint32_t thread, const wchar_t *name) {
    (void)thread, (void)name;
}
KUDZU_NVTX(nvtxDomainHandle_t)(nvtxDomainCreateA)(const char *name) {
    (void)name;
    return NULL;
}
KUDZU_NVTX(nvtxDomainHandle_t)(nvtxDomainCreateW)(const wchar_t *name) {
    (void)name;
    return NULL;
}
KUDZU_NVTX(void)(nvtxDomainDestroy)(nvtxDomainHandle_t domain) {
    (void)domain;
}
KUDZU_NVTX(nvtxStringHandle_t)
(nvtxDomainRegisterStringA)(nvtxDomainHandle_t domain, const char *string) {
    (void)domain, (void)string;
    return NULL;
}
KUDZU_NVTX(nvtxStringHandle_t)
(nvtxDomainRegisterStringW)(nvtxDomainHandle_t domain, const wchar_t *string) {
    (void)domain, (void)string;
    return (nvtxStringHandle_t)0;
}
KUDZU_NVTX(nvtxResourceHandle_t)
(nvtxDomainResourceCreate)(nvtxDomainHandle_t domain, nvtxResourceAttributes_t *attributes) {
    (void)domain, (void)attributes;
    return (nvtxResourceHandle_t)0;
}
KUDZU_NVTX(void)(nvtxDomainResourceDestroy)(nvtxResourceHandle_t resource) {
    (void)resource;
}
KUDZU_NVTX(void)
(nvtxDomainNameCategoryW)(nvtxDomainHandle_t domain, uint32_t category, const wchar_t *name) {
    (void)domain, (void)category, (void)name;
}
KUDZU_NVTX(void)
(nvtxDomainNameCategoryA)(nvtxDomainHandle_t domain, uint32_t category, const char *name) {
    (void)domain, (void)category, (void)name;
}
KUDZU_NVTX(void)
(nvtxDomainMarkEx)(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes) {
    (void)domain, (void)attributes;
}
KUDZU_NVTX(nvtxRangeId_t)
(nvtxDomainRangeStartEx)(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes) {
    (void)domain, (void)attributes;
    return 0;
}
KUDZU_NVTX(void)(nvtxDomainRangeEnd)(nvtxDomainHandle_t domain, nvtxRangeId_t id) {
    (void)domain, (void)id;
}
KUDZU_NVTX(int)
(nvtxDomainRangePushEx)(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes) {
    (void)domain, (void)attributes;
    return kudzu_nvtx_push();
}
KUDZU_NVTX(int)(nvtxDomainRangePop)(nvtxDomainHandle_t domain) {
    (void)domain;
    return (nvtxRangePop)();
}

#ifdef UNICODE
#define nvtxMark nvtxMarkW
#define nvtxRangeStart nvtxRangeStartW
#define nvtxRangePush nvtxRangePushW
#define nvtxDomainCreate nvtxDomainCreateW
#define nvtxNameCategory nvtxNameCategoryW
#define nvtxNameOsThread nvtxNameOsThreadW
#define nvtxDomainRegisterString nvtxDomainRegisterStringW
#define nvtxDomainNameCategory nvtxDomainNameCategoryW
#else
#define nvtxMark nvtxMarkA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxRangePush nvtxRangePushA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#define nvtxDomainNameCategory nvtxDomainNameCategoryA
#endif
#undef KUDZU_NVTX

#endif
