// Types of functions that came after the version that cuda.h is of. C and C++.
#ifndef KUDZU_DRIVER_TYPES_13_H
#define KUDZU_DRIVER_TYPES_13_H

#include "../cuda.h"

// Structures that nothing here reads stay incomplete.
typedef struct CU_DEV_SM_RESOURCE_GROUP_PARAMS_st CU_DEV_SM_RESOURCE_GROUP_PARAMS;
typedef struct CUstreamCigCaptureParams_st CUstreamCigCaptureParams;
typedef struct CUcoredumpCallbackEntry_st *CUcoredumpCallbackHandle;
typedef void(CUDA_CB *CUcoredumpStatusCallback)(void *userData, int pid, CUdevice dev);
typedef cuuint32_t CUlogicalEndpointId;
typedef struct CUlogicalEndpointProp_struct CUlogicalEndpointProp;
typedef enum CUlogicalEndpointIpcHandleType_enum {
    CU_LOGICAL_ENDPOINT_IPC_HANDLE_TYPE_NONE = 0
} CUlogicalEndpointIpcHandleType;
typedef enum CUgraphRecaptureStatus_enum {
    CU_GRAPH_RECAPTURE_ELIGIBLE_FOR_UPDATE = 0
} CUgraphRecaptureStatus;
typedef CUresult(CUDA_CB *CUgraphRecaptureCallback)(void *data, CUgraphNode node,
                                                    const CUgraphNodeParams *originalParams,
                                                    const CUgraphNodeParams *recaptureParams,
                                                    CUgraphRecaptureStatus status);
typedef struct CUcliqueInfo_st CUcliqueInfo;
typedef struct CUIcheckpointOperation_st *CUcheckpointOperationHandle;
typedef struct CUDA_FABRIC_COPY_BATCH_OP_st CUDA_FABRIC_COPY_BATCH_OP;
typedef enum CUtensorMapAllocClass_enum {
    CU_TENSOR_MAP_ALLOC_CLASS_AUTO = 0
} CUtensorMapAllocClass;

// How the thread that calls a host function waits (cuLaunchHostFunc_v2).
typedef enum CUhostTaskSyncMode_enum {
    CU_HOST_TASK_BLOCKING = 0,
    CU_HOST_TASK_SPINWAIT = 1,
} CUhostTaskSyncMode;

#endif
