# Toolchain file of the cross build for 64-bit Arm: clang and lld, with Debian's libraries for arm64
# in a folder of their own (KUDZU_SYSROOT, made by scripts/sysroot.sh), programs run by qemu-user.
# Without LLVM for arm64 only what runs kernels is built; where KUDZU_SYSROOT has it (sysroot.sh -c),
# KUDZU_COMPILER=ON builds all, with a kudzu for this machine (KUDZU_NATIVE) where CUDA is compiled.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES KUDZU_SYSROOT)
if(NOT KUDZU_SYSROOT)
  message(FATAL_ERROR "KUDZU_SYSROOT: the folder that `scripts/sysroot.sh arm64 FOLDER` has made")
endif()
set(CMAKE_SYSROOT ${KUDZU_SYSROOT})

set(KUDZU_COMPILER OFF CACHE BOOL "")
include(${CMAKE_CURRENT_LIST_DIR}/llvm.cmake)
foreach(language C CXX)
  set(CMAKE_${language}_COMPILER_TARGET aarch64-linux-gnu)
endforeach()
set(CMAKE_C_COMPILER ${KUDZU_LLVM_TOOLS}/clang)
set(CMAKE_CXX_COMPILER ${KUDZU_LLVM_TOOLS}/clang++)
set(CMAKE_AR ${KUDZU_LLVM_TOOLS}/llvm-ar CACHE FILEPATH "")
set(CMAKE_RANLIB ${KUDZU_LLVM_TOOLS}/llvm-ranlib CACHE FILEPATH "")
set(CMAKE_OBJCOPY ${KUDZU_LLVM_TOOLS}/llvm-objcopy CACHE FILEPATH "")
set(CMAKE_STRIP ${KUDZU_LLVM_TOOLS}/llvm-strip CACHE FILEPATH "")
set(CMAKE_READELF ${KUDZU_LLVM_TOOLS}/llvm-readelf CACHE FILEPATH "")
set(CMAKE_LINKER ${KUDZU_LLVM_TOOLS}/ld.lld CACHE FILEPATH "")
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-fuse-ld=lld")
endforeach()
set(KUDZU_NATIVE "" CACHE FILEPATH "In a cross build: a kudzu of this machine, to compile CUDA with")
set(KUDZU_CROSS_FLAGS --kudzu-host=aarch64-linux-gnu --kudzu-sysroot=${KUDZU_SYSROOT} -L${CMAKE_BINARY_DIR}/lib)

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${KUDZU_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR}
    ${KUDZU_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${KUDZU_SYSROOT}/usr/share/pkgconfig)

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${KUDZU_SYSROOT})
