# What is installed beside kudzu's own files: the names by which build systems know a CUDA toolkit, and
# licences. Programs as nvcc, and folders as lib64, are links; without them only `kudzu` is there.
option(KUDZU_LINKS "Install the names of CUDA's tools (cmake/tool_links.txt) as links" ON)

# For `make uninstall`, before anything is installed: of the folders that others put files into, too, those
# stay that are there.
install(CODE "
  if(NOT EXISTS \"${CMAKE_BINARY_DIR}/install_folders.txt\")
    set(found)
    foreach(folder .. . bin lib include share share/doc)
      if(EXISTS \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/\${folder}\")
        file(REAL_PATH \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/\${folder}\" path)
        string(APPEND found \"\${path}\\n\")
      endif()
    endforeach()
    file(WRITE \"${CMAKE_BINARY_DIR}/install_folders.txt\" \"\${found}\")
  endif()")

set(layout ${CMAKE_BINARY_DIR}/layout)
file(REMOVE_RECURSE ${layout})
file(MAKE_DIRECTORY ${layout}/bin ${layout}/targets/${CMAKE_SYSTEM_PROCESSOR}-linux)

# Meson and Make look into lib64; CMake and Bazel also into targets.
set(folder ${layout}/targets/${CMAKE_SYSTEM_PROCESSOR}-linux)
file(CREATE_LINK lib ${layout}/lib64 SYMBOLIC)
file(CREATE_LINK ../../lib ${folder}/lib SYMBOLIC)
file(CREATE_LINK ../../include ${folder}/include SYMBOLIC)
set(version 12.9.0)
configure_file(${CMAKE_SOURCE_DIR}/cmake/version.json.in ${layout}/version.json @ONLY)
# Build systems that link the driver name the toolkit's stubs.
foreach(library cuda nvidia-ml)
  file(WRITE ${layout}/stubs/lib${library}.so "INPUT(../lib${library}.so)\n")
endforeach()

if(KUDZU_LINKS)
  install(FILES ${layout}/lib64 ${layout}/version.json DESTINATION .)
  install(FILES ${layout}/stubs/libcuda.so ${layout}/stubs/libnvidia-ml.so DESTINATION lib/stubs
          COMPONENT kudzu-dev)
  install(FILES ${folder}/lib ${folder}/include DESTINATION targets/${CMAKE_SYSTEM_PROCESSOR}-linux)
endif()
if(KUDZU_LINKS AND TARGET kudzu)
  file(STRINGS ${CMAKE_SOURCE_DIR}/cmake/tool_links.txt names)
  foreach(name ${names})
    if(KUDZU_PORTABLE) # a package may have no links
      add_executable(${name} ${CMAKE_SOURCE_DIR}/src/support/run_beside.c)
      target_compile_definitions(${name} PRIVATE RUN_BESIDE="kudzu")
      set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${layout}/bin)
      install(TARGETS ${name} RUNTIME DESTINATION bin)
    else()
      file(CREATE_LINK kudzu ${layout}/bin/${name} SYMBOLIC)
      install(FILES ${layout}/bin/${name} DESTINATION bin)
    endif()
  endforeach()
endif()

install(FILES ${CMAKE_SOURCE_DIR}/docs/kudzu.1 DESTINATION share/man/man1)

# ---- Licences ---------------------------------------------------------------------------------

install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/NOTICE DESTINATION share/doc/kudzu COMPONENT libkudzu-cuda1)
foreach(package llvm-${KUDZU_LLVM}-dev clang-${KUDZU_LLVM} libzstd-dev libxxhash-dev zlib1g-dev libstdc++-10-dev
        libstdc++-12-dev libstdc++-13-dev libstdc++-14-dev)
  if(EXISTS /usr/share/doc/${package}/copyright)
    install(FILES /usr/share/doc/${package}/copyright DESTINATION share/doc/kudzu/notices
            RENAME ${package}.txt COMPONENT libkudzu-cuda1)
  endif()
endforeach()

# ---- Uninstall --------------------------------------------------------------------------------

add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -D BUILD=${CMAKE_BINARY_DIR}
  -P ${CMAKE_SOURCE_DIR}/cmake/uninstall.cmake VERBATIM)
