// libstdc++'s header, read where a header of kudzu's is written on the C++ library: std::move and
// std::forward are built in (rtc_language.h), and a second of each would make calls ambiguous.
#pragma once
#ifdef KUDZU_RTC_NO_MOVE_FORWARD
#include_next <bits/move.h>
#else
#pragma push_macro("move")
#pragma push_macro("forward")
#undef move
#undef forward
#define move __kudzu_library_move
#define forward __kudzu_library_forward
#include_next <bits/move.h>
#pragma pop_macro("forward")
#pragma pop_macro("move")
#endif
