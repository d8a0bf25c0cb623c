# crawl_protocol(NAME FILE...): makes the target NAME with the messages of these .proto files, rebuilt when they change.
# A file of this folder is included as FOLDER/FILE.pb-c.h. The generated code is compiled without our warnings.
function(crawl_protocol name)
  set(sources)
  foreach(file ${ARGN})
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    string(REGEX REPLACE "[.]proto$" "" made ${PROJECT_BINARY_DIR}/protocol/${path})
    add_custom_command(OUTPUT ${made}.pb-c.c ${made}.pb-c.h
      COMMAND ${PROTOC_C} --proto_path=${PROJECT_SOURCE_DIR} --c_out=${PROJECT_BINARY_DIR}/protocol ${PROJECT_SOURCE_DIR}/${path}
      DEPENDS ${PROJECT_SOURCE_DIR}/${path} VERBATIM)
    list(APPEND sources ${made}.pb-c.c)
  endforeach()
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/protocol)
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} SYSTEM PUBLIC ${PROJECT_BINARY_DIR}/protocol)
  target_link_libraries(${name} PUBLIC crawl::protobuf-c)
  if(CRAWL_SANITIZE)
    target_compile_options(${name} PRIVATE -fsanitize=${CRAWL_SANITIZE})
  endif()
endfunction()

# crawl_protocol_descriptions(OUTPUT NAME=FILE...): writes OUTPUT when the build is configured: a
# google.protobuf.FileDescriptorSet of these .proto files, under the names that clients know them by.
function(crawl_protocol_descriptions output)
  set(folder ${output}.d)
  set(names)
  foreach(pair ${ARGN})
    string(REGEX MATCH "^([^=]+)=(.+)$" matched ${pair})
    list(APPEND names ${CMAKE_MATCH_1})
    configure_file(${CMAKE_MATCH_2} ${folder}/${CMAKE_MATCH_1} COPYONLY)
  endforeach()
  execute_process(COMMAND ${PROTOC_C} --proto_path=${folder} --descriptor_set_out=${output} ${names} WORKING_DIRECTORY ${folder} RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${PROTOC_C} cannot describe ${names}")
  endif()
endfunction()
