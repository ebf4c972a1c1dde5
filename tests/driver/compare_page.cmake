# Generates the page of both APIs and compares it with the one in docs/.
execute_process(COMMAND ${PYTHON} ${SOURCE}/src/api/gen_api.py doc ${SOURCE}/src/api/driver.api
                ${SOURCE}/src/api/runtime.api ${OUT} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${OUT} ${SOURCE}/docs/api.md
                RESULT_VARIABLE differ)
if(differ)
  message(FATAL_ERROR "docs/api.md is old; run: python3 src/api/gen_api.py doc src/api/driver.api "
                      "src/api/runtime.api docs/api.md")
endif()
