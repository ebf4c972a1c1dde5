# cuda-13: the toolkit of CUDA 13, as build systems know one, beside that of 12.9. Its headers and
# libraries are those of the other; its programs set KUDZU_CUDA_VERSION.
if(NOT TARGET kudzu)
  return()
endif()
set(folder ${CMAKE_BINARY_DIR}/cuda-13)

# ---- Headers ----------------------------------------------------------------------------------

file(GLOB_RECURSE headers RELATIVE ${CMAKE_SOURCE_DIR}/include CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/*)
set(defines_cuda.h CUDA_VERSION) # build systems look for these lines
set(defines_cuda_runtime_api.h CUDART_VERSION)
foreach(header ${headers})
  if(header MATCHES "^kudzu/(rtc|std)/|CMakeLists.txt$")
    continue()
  endif()
  string(REGEX REPLACE "[^/]+" ".." up ${header})
  set(other ${up}/../include)
  set(text "// ${header} of CUDA 13.\n#include \"${other}/kudzu/cuda_13.h\"\n")
  if(defines_${header})
    string(APPEND text "#define ${defines_${header}} 13000\n")
  endif()
  string(APPEND text "#include \"${other}/${header}\"\n")
  file(CONFIGURE OUTPUT ${folder}/include/${header} CONTENT "${text}" @ONLY)
endforeach()

# ---- Libraries to link ------------------------------------------------------------------------

set(links libcudart.so:libcudart.so.13 libnvrtc.so:libnvrtc.so.13 libnvJitLink.so:libnvJitLink.so.13
  libnvfatbin.so:libnvfatbin.so.13
  libcuda.so:libcuda.so.1 libnvidia-ml.so:libnvidia-ml.so.1 libcudadevrt.a:libcudadevrt.a
  libnvptxcompiler_static.a:libnvptxcompiler_static.a libcufilt.a:libcufilt.a)
if(EXISTS ${CMAKE_SOURCE_DIR}/src/curand)
  list(APPEND links libcurand.so:libcurand.so.10)
endif()
file(MAKE_DIRECTORY ${folder}/lib64)
foreach(link ${links})
  string(REPLACE ":" ";" link ${link})
  list(GET link 0 name)
  list(GET link 1 target)
  file(CREATE_LINK ../../lib/${target} ${folder}/lib64/${name} SYMBOLIC)
endforeach()
file(CREATE_LINK ../nvvm ${folder}/nvvm SYMBOLIC)

# ---- Programs ---------------------------------------------------------------------------------

file(STRINGS ${CMAKE_SOURCE_DIR}/cmake/tool_links.txt names)
foreach(name ${names})
  add_executable(${name}_13 ${CMAKE_SOURCE_DIR}/src/support/run_beside.c ${CMAKE_SOURCE_DIR}/src/support/environment.c)
  target_compile_definitions(${name}_13 PRIVATE RUN_BESIDE="../../bin/kudzu" RUN_CUDA="13")
  set_target_properties(${name}_13 PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${folder}/bin)
  install(TARGETS ${name}_13 RUNTIME DESTINATION cuda-13/bin)
endforeach()

# ---- Installation -----------------------------------------------------------------------------

set(version 13.0.0)
configure_file(${CMAKE_SOURCE_DIR}/cmake/version.json.in ${folder}/version.json @ONLY)
install(DIRECTORY ${folder}/include ${folder}/lib64 DESTINATION cuda-13 COMPONENT kudzu-dev)
install(FILES ${folder}/version.json ${folder}/nvvm DESTINATION cuda-13)
