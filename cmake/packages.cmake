# Debian's packages, by CPack: libkudzu-cuda1 (what programs need to run), kudzu-dev (headers, and
# libraries to link), kudzu (the commands). All of kudzu lies in /usr/lib/kudzu, so that NVIDIA's driver
# and toolkit can be installed beside it.
option(KUDZU_DEB "Install what Debian's packages have besides: /usr/bin/kudzu, /usr/share/doc" OFF)
if(NOT KUDZU_DEB)
  return()
endif()
# Without these CPack makes packages that depend on no library.
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps REQUIRED)
find_program(FILE_PROGRAM file REQUIRED)
set(CPACK_COMPONENTS_ALL libkudzu-cuda1 kudzu-dev kudzu)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr/lib/kudzu)
set(KUDZU_MAINTAINER "The kudzu developers <kudzu@kudzu.example.org>" CACHE STRING
  "The packages' maintainer, as Debian wants it: Name <address>")
set(CPACK_PACKAGE_CONTACT ${KUDZU_MAINTAINER})
set(CPACK_DEBIAN_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib)
if(CMAKE_CROSSCOMPILING) # the caller sets DEB_HOST_ARCH, and DPKG_ADMINDIR to the database of scripts/sysroot.sh
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
  list(APPEND CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${KUDZU_SYSROOT}/lib/aarch64-linux-gnu
       ${KUDZU_SYSROOT}/usr/lib/aarch64-linux-gnu)
endif()
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(this "(= ${PROJECT_VERSION}-1)")
foreach(package ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${package} name)
  set(CPACK_DEBIAN_${name}_PACKAGE_NAME ${package})
endforeach()
set(CPACK_DEBIAN_LIBKUDZU-CUDA1_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_KUDZU-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_KUDZU_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_KUDZU-DEV_PACKAGE_DEPENDS "libkudzu-cuda1 ${this}")
set(CPACK_DEBIAN_KUDZU_PACKAGE_DEPENDS "kudzu-dev ${this}, clang-${KUDZU_LLVM}, lld-${KUDZU_LLVM}, g++")
set(CPACK_DEBIAN_KUDZU_PACKAGE_RECOMMENDS "libomp-${KUDZU_LLVM}-dev")
set(about "CUDA programs compile with kudzu and run on any CPU, in SIMD code: no GPU
and no software of NVIDIA's is needed. The same executable runs on a GPU.
")
set(CPACK_COMPONENT_LIBKUDZU-CUDA1_DESCRIPTION "CUDA on the CPU: driver and runtime
${about}
This package has what compiled programs need to run.")
set(CPACK_COMPONENT_KUDZU-DEV_DESCRIPTION "CUDA on the CPU: headers and libraries
${about}
This package has the headers and what programs are linked with.")
set(CPACK_COMPONENT_KUDZU_DESCRIPTION "CUDA on the CPU: the compiler and its tools
${about}
This package has the commands: kudzu cc, kudzu run and others.")

# ---- Files that Debian wants -----------------------------------------------------------------

set(place ${CMAKE_BINARY_DIR}/debian)
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${place}/changelog "kudzu (${PROJECT_VERSION}-1) unstable; urgency=medium

  * Packages of version ${PROJECT_VERSION}.

 -- ${CPACK_PACKAGE_CONTACT}  ${now}
")
execute_process(COMMAND gzip -9nc ${place}/changelog OUTPUT_FILE ${place}/changelog.Debian.gz
  COMMAND_ERROR_IS_FATAL ANY)
file(READ ${CMAKE_SOURCE_DIR}/NOTICE notice)
file(WRITE ${place}/copyright "${notice}
Copyright: 2025-2026, the kudzu developers

On Debian systems the Apache License, Version 2.0, is in /usr/share/common-licenses/Apache-2.0, and the
GNU General Public License, Version 3, in /usr/share/common-licenses/GPL-3.
")
foreach(package ${CPACK_COMPONENTS_ALL})
  install(FILES ${place}/copyright ${place}/changelog.Debian.gz
    DESTINATION /usr/share/doc/${package} COMPONENT ${package})
  # What lintian finds and is meant so; each file says why.
  file(COPY_FILE ${CMAKE_SOURCE_DIR}/cmake/lintian/${package} ${place}/${package}.overrides)
  install(FILES ${place}/${package}.overrides DESTINATION /usr/share/lintian/overrides
    RENAME ${package} COMPONENT ${package})
endforeach()
execute_process(COMMAND gzip -9nc ${CMAKE_SOURCE_DIR}/docs/kudzu.1 OUTPUT_FILE ${place}/kudzu.1.gz
  COMMAND_ERROR_IS_FATAL ANY)
install(FILES ${place}/kudzu.1.gz DESTINATION /usr/share/man/man1 COMPONENT kudzu)
file(CREATE_LINK ../lib/kudzu/bin/kudzu ${place}/kudzu SYMBOLIC)
install(FILES ${place}/kudzu DESTINATION /usr/bin COMPONENT kudzu)

include(CPack)
