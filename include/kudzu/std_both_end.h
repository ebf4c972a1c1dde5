// Behind a header that kudzu/std_both_begin.h comes before.
#if defined(__CUDA__) && __cplusplus < 202002L && defined(__GLIBCXX__)
#pragma pop_macro("_GLIBCXX20_CONSTEXPR")
#endif
