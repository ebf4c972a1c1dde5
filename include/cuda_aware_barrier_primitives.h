// The name that the guide has for <cuda_awbarrier_primitives.h> (10.26.8).
#include "cuda_awbarrier_primitives.h"
