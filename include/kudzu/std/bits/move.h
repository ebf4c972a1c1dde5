// libstdc++'s std::swap, for both sides.
#include "kudzu/std_both_begin.h"
#include_next <bits/move.h>
#include "kudzu/std_both_end.h"
