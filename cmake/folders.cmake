# How a folder becomes a target, and what every target is compiled with.
add_library(crawl_flags INTERFACE)
target_include_directories(crawl_flags INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR})
target_compile_definitions(crawl_flags INTERFACE _GNU_SOURCE)
target_compile_options(crawl_flags INTERFACE -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
  -Wpointer-arith -Wwrite-strings -Wvla -Wundef)
if(CRAWL_SANITIZE)
  target_compile_options(crawl_flags INTERFACE -fsanitize=${CRAWL_SANITIZE} -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(crawl_flags INTERFACE -fsanitize=${CRAWL_SANITIZE})
endif()
if(CRAWL_FUZZ)
  target_compile_options(crawl_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# crawl_folder(NAME [BELOW folder] [WITHOUT regex] LIBRARIES lib...): the target cw_NAME of all sources below this folder, or below one
# in it, but for those whose path from here matches.
function(crawl_folder name)
  cmake_parse_arguments(FOLDER "" "BELOW;WITHOUT" "LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${FOLDER_BELOW}/*.c)
  if(FOLDER_WITHOUT)
    list(FILTER sources EXCLUDE REGEX ${FOLDER_WITHOUT})
  endif()
  add_library(cw_${name} STATIC ${sources})
  target_link_libraries(cw_${name} PUBLIC crawl_flags ${FOLDER_LIBRARIES})
endfunction()
