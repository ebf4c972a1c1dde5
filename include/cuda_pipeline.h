// Pipelines as primitives (guide 10.28.4).
#include <cuda_pipeline_primitives.h>
