# Generates the page of an API and compares it with the one in docs/.
execute_process(COMMAND ${PYTHON} ${SOURCE}/src/api/gen_api.py ${LIBRARY}
                ${SOURCE}/src/api/${LIBRARY}.api doc ${OUT} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${OUT} ${SOURCE}/docs/${LIBRARY}-api.md
                RESULT_VARIABLE differ)
if(differ)
  message(FATAL_ERROR "docs/${LIBRARY}-api.md is old; run: src/api/gen_api.py ${LIBRARY} "
                      "src/api/${LIBRARY}.api doc docs/${LIBRARY}-api.md")
endif()
