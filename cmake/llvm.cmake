# The version of LLVM and clang that kudzu is built with and runs. This is the one place of the build that
# names it; scripts/deps.sh has the names of packages.
set(KUDZU_LLVM 19 CACHE STRING "Version of LLVM and clang")
set(KUDZU_LLVM_ROOT ${KUDZU_SYSROOT}/usr/lib/llvm-${KUDZU_LLVM} CACHE PATH "Where LLVM is installed")
# In a cross build (cmake/aarch64.cmake) LLVM for the other machine lies among that one's libraries.
set(tools ${KUDZU_LLVM_ROOT}/bin)
if(KUDZU_SYSROOT)
  set(tools /usr/lib/llvm-${KUDZU_LLVM}/bin)
endif()
set(KUDZU_LLVM_TOOLS ${tools} CACHE PATH "LLVM's programs, for the machine that builds")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/gen/llvm_version.h
  CONTENT "#define KUDZU_LLVM \"@KUDZU_LLVM@\" // cmake/llvm.cmake\n" @ONLY)
