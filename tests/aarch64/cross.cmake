# The cross build: what the tests run.
set(tests ${CMAKE_SOURCE_DIR}/tests)
add_executable(ptx_run ${tests}/simd/ptx_run.c)
target_link_libraries(ptx_run PRIVATE cuda)
add_dependencies(ptx_run kudzu_headers kudzu-jit)
target_compile_definitions(ptx_run PRIVATE _GNU_SOURCE)
target_include_directories(ptx_run PRIVATE ${CMAKE_BINARY_DIR}/include)

# The driver, and beside it a library that has kernels compiled on the machine that qemu runs on.
set(elsewhere ${CMAKE_BINARY_DIR}/elsewhere)
add_library(elsewhere SHARED compile_elsewhere.c)
set_target_properties(elsewhere PROPERTIES OUTPUT_NAME kudzu-jit
  LIBRARY_OUTPUT_DIRECTORY ${elsewhere})
target_compile_definitions(elsewhere PRIVATE KUDZU_VERSION="elsewhere" KUDZU_BUILD_ID=""
  _GNU_SOURCE)
target_link_libraries(elsewhere PRIVATE
  kudzu_passes kudzu_ir kudzu_ptx kudzu_isa kudzu_support Threads::Threads m)
add_custom_command(TARGET elsewhere POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E create_symlink ../lib/libcuda.so.1 ${elsewhere}/libcuda.so.1)
# Programs start so; `ptx_run_elsewhere` fits where the scripts of tests/simd want a ptx_run.
get_filename_component(build ${CMAKE_BINARY_DIR}/.. ABSOLUTE)
set(bin ${CMAKE_BINARY_DIR}/bin)
list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " emulator)
file(CONFIGURE OUTPUT ${bin}/run_elsewhere @ONLY CONTENT "#!/bin/sh
exec @emulator@ -E LD_LIBRARY_PATH=@elsewhere@:@CMAKE_BINARY_DIR@/lib \\
    -E KUDZU_COMPILE_FOR=@build@/bin/compile_for \"$@\"
")
file(CONFIGURE OUTPUT ${bin}/ptx_run_elsewhere @ONLY CONTENT "#!/bin/sh
exec @bin@/run_elsewhere @bin@/ptx_run \"$@\"
")
file(CHMOD ${bin}/run_elsewhere ${bin}/ptx_run_elsewhere
  PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

# The reference semantics, and the device: stacks, faults, the loader.
enable_testing()
add_subdirectory(${tests}/isa ${CMAKE_BINARY_DIR}/tests/isa)
add_subdirectory(${tests}/hardware ${CMAKE_BINARY_DIR}/tests/hardware)
add_subdirectory(${tests}/device ${CMAKE_BINARY_DIR}/tests/device)
