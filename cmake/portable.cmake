# What KUDZU_PORTABLE asks for: of the libraries only glibc's, from 2.28 on, on the oldest release of
# Debian that has LLVM 19 (scripts/wheel_root.sh). What clang's code calls comes from compiler-rt: an
# old libgcc does not know all processors, nor _Float16.
if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang" OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "KUDZU_PORTABLE needs clang: -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19")
endif()
set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
set(target)
if(CMAKE_CROSSCOMPILING) # compiler-rt lies among the other machine's libraries
  add_compile_options(-resource-dir=${KUDZU_LLVM_ROOT}/lib/clang/${KUDZU_LLVM})
  add_link_options(-resource-dir=${KUDZU_LLVM_ROOT}/lib/clang/${KUDZU_LLVM})
  set(target --target=${CMAKE_C_COMPILER_TARGET} --sysroot=${CMAKE_SYSROOT})
endif()
add_link_options(--rtlib=compiler-rt --unwindlib=libgcc -static-libgcc
                 $<$<LINK_LANGUAGE:CXX>:-static-libstdc++>)

# Behind all other files of each link, which standard libraries are.
set(archive ${CMAKE_BINARY_DIR}/glibc.a)
set(objects)
foreach(name old_libm newer_glibc)
  set(source ${CMAKE_SOURCE_DIR}/src/support/glibc/${name}.c)
  set(object ${CMAKE_BINARY_DIR}/${name}.o)
  execute_process(COMMAND ${CMAKE_C_COMPILER} ${target} -D_GNU_SOURCE -O2 -fPIC -fno-builtin -c ${source} -o ${object}
    COMMAND_ERROR_IS_FATAL ANY)
  list(APPEND objects ${object})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
endforeach()
execute_process(COMMAND ${CMAKE_COMMAND} -E rm -f ${archive})
execute_process(COMMAND ${CMAKE_AR} qcs ${archive} ${objects} COMMAND_ERROR_IS_FATAL ANY)
foreach(function exp exp2 log log2 pow)
  add_link_options(-Wl,--wrap=${function})
endforeach()
foreach(language C CXX)
  string(APPEND CMAKE_${language}_STANDARD_LIBRARIES " ${archive} -Wl,--as-needed -lm")
endforeach()
# The same for what kudzu itself links.
set(KUDZU_PORTABLE_LINK -Xcompiler -static-libgcc,-static-libstdc++ ${archive})
foreach(function exp exp2 log log2 pow)
  list(APPEND KUDZU_PORTABLE_LINK -Xlinker --wrap=${function})
endforeach()
