# Asks PROGRAM's questions and compares the answers with RECORDED, what NVIDIA's driver answered.
execute_process(COMMAND ${PROGRAM} OUTPUT_FILE ${OUT} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND diff -u ${RECORDED} ${OUT} RESULT_VARIABLE differ)
if(differ)
  message(FATAL_ERROR "the driver's answers (+) are not the recorded ones (-)")
endif()
