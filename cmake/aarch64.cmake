# Toolchain file of the cross build for 64-bit Arm: clang and lld, with Debian's libraries for arm64
# in a folder of their own (KUDZU_SYSROOT, made by scripts/sysroot.sh), programs run by qemu-user.
# Only what runs kernels is built: LLVM, and so the compilers, stay on the machine that builds.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES KUDZU_SYSROOT)
if(NOT KUDZU_SYSROOT)
  message(FATAL_ERROR "KUDZU_SYSROOT: the folder that `scripts/sysroot.sh arm64 FOLDER` has made")
endif()
set(CMAKE_SYSROOT ${KUDZU_SYSROOT})

include(${CMAKE_CURRENT_LIST_DIR}/llvm.cmake)
set(llvm ${KUDZU_LLVM_ROOT}/bin)
foreach(language C CXX)
  set(CMAKE_${language}_COMPILER_TARGET aarch64-linux-gnu)
endforeach()
set(CMAKE_C_COMPILER ${llvm}/clang)
set(CMAKE_CXX_COMPILER ${llvm}/clang++)
set(CMAKE_AR ${llvm}/llvm-ar CACHE FILEPATH "")
set(CMAKE_RANLIB ${llvm}/llvm-ranlib CACHE FILEPATH "")
set(CMAKE_OBJCOPY ${llvm}/llvm-objcopy CACHE FILEPATH "")
set(CMAKE_LINKER ${llvm}/ld.lld CACHE FILEPATH "")
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-fuse-ld=lld")
endforeach()

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${KUDZU_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR}
    ${KUDZU_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${KUDZU_SYSROOT}/usr/share/pkgconfig)

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${KUDZU_SYSROOT})
set(KUDZU_COMPILER OFF CACHE BOOL "")
