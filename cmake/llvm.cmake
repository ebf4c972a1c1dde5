# The version of LLVM and clang that kudzu is built with and runs. This is the one place of the build that
# names it; scripts/deps.sh has the names of packages.
set(KUDZU_LLVM 19 CACHE STRING "Version of LLVM and clang")
set(KUDZU_LLVM_ROOT /usr/lib/llvm-${KUDZU_LLVM} CACHE PATH "Where LLVM is installed")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/gen/llvm_version.h
  CONTENT "#define KUDZU_LLVM \"@KUDZU_LLVM@\" // cmake/llvm.cmake\n" @ONLY)
