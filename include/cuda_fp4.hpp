// The toolkit keeps the definitions of cuda_fp4.h here; kudzu has both in one.
#include "cuda_fp4.h"
