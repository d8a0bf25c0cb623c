# Path from the folder of `crawl` to that of the programs that `crawl WORD` becomes. It is the same in a build and after
# installation.
include(GNUInstallDirs)
file(RELATIVE_PATH CRAWL_EXECUTABLES /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBEXECDIR}/crawl)

# Makes folders into targets, and sets the options with which all targets are compiled.
add_library(crawl_flags INTERFACE)
target_include_directories(crawl_flags INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR})
target_compile_definitions(crawl_flags INTERFACE _GNU_SOURCE)
target_compile_options(crawl_flags INTERFACE -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
  -Wpointer-arith -Wwrite-strings -Wvla -Wundef
  $<$<C_COMPILER_ID:Clang>:-Wno-c2x-extensions>) # unused parameters have no name, as in C23
if(CRAWL_SANITIZE)
  target_compile_options(crawl_flags INTERFACE -fsanitize=${CRAWL_SANITIZE} -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  # -O2 -g takes twice as long to compile, and no test needs it; the tests themselves take 60 % of the time with -O0
  # instead of -O1. At -O1 gcc warns of buffers whose sizes it knows at -O3.
  target_compile_options(crawl_flags INTERFACE
    $<$<CONFIG:RelWithDebInfo>:-O$<IF:$<BOOL:$<TARGET_PROPERTY:CRAWL_TEST>>,0,1>$<SEMICOLON>-g1>
    $<$<C_COMPILER_ID:GNU>:-Wno-format-truncation>)
  target_link_options(crawl_flags INTERFACE -fsanitize=${CRAWL_SANITIZE})
  find_program(CRAWL_LLD ld.lld) # links each of hundreds of tests in less than half the time
  if(CRAWL_LLD)
    target_link_options(crawl_flags INTERFACE -fuse-ld=lld)
  endif()
endif()
if(CRAWL_FUZZ)
  target_compile_options(crawl_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# crawl_folder(NAME [BELOW folder] [WITHOUT regex] LIBRARIES lib...): makes the target cw_NAME of all sources below this
# folder, or below a folder in it, except those whose path from here matches.
function(crawl_folder name)
  cmake_parse_arguments(FOLDER "" "BELOW;WITHOUT" "LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${FOLDER_BELOW}/*.c)
  if(FOLDER_WITHOUT)
    list(FILTER sources EXCLUDE REGEX ${FOLDER_WITHOUT})
  endif()
  add_library(cw_${name} STATIC ${sources})
  target_link_libraries(cw_${name} PUBLIC crawl_flags ${FOLDER_LIBRARIES})
endfunction()
