// How libstdc++'s variants and optional values make and end their objects, for both sides.
#include "kudzu/std_both_begin.h"
#include_next <bits/stl_construct.h>
#include "kudzu/std_both_end.h"
