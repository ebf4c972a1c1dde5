// The toolkit keeps the definitions of cuda_fp6.h here; kudzu has both in one.
#include "cuda_fp6.h"
