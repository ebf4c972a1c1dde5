# Read by ctest before it runs tests. What the compiler refuses is interpreted, with the same
# results: in tests that must not go unnoticed, so there it is an error. A test that wants another
# way to run kernels sets KUDZU_EXEC itself.
if(NOT DEFINED ENV{KUDZU_EXEC})
  set(ENV{KUDZU_EXEC} simd)
endif()
