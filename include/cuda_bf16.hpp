// The toolkit keeps the definitions of cuda_bf16.h here; kudzu has both in one.
#include "cuda_bf16.h"
