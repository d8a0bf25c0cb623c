# Installs libcrawl, shared and static, with its headers, crawl.pc and a CMake package; and the program.
#
# Both libraries are made of the objects of all folders. The shared one exports only the names of the public headers.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(folders base bloom parse frontier fetch render redis shared config crawler output)
set(requires libcurl libxml-2.0 libxxhash libevent libevent_pthreads libevent_openssl hiredis libssl libcrypto zlib libbrotlidec libzstd inih jansson
  libpcre2-8 libpsl)
set(objects)
set(dependencies)
foreach(folder ${folders})
  list(APPEND objects $<TARGET_OBJECTS:cw_${folder}>)
  get_target_property(libraries cw_${folder} LINK_LIBRARIES)
  list(FILTER libraries EXCLUDE REGEX "^(cw_|crawl_flags)")
  list(APPEND dependencies ${libraries})
endforeach()
list(REMOVE_DUPLICATES dependencies)

# A build of a single target, as by scripts/crawl, contains only the program.
install(CODE "if(NOT EXISTS \"${PROJECT_BINARY_DIR}/libcrawl.so.${PROJECT_VERSION}\")
  message(FATAL_ERROR \"The program alone was built here. First: cmake --build ${PROJECT_BINARY_DIR}\")
endif()")

# Before 1.0 any minor version may change the interface.
foreach(kind shared static)
  string(TOUPPER ${kind} type)
  add_library(crawl_${kind} ${type} ${objects})
  set_target_properties(crawl_${kind} PROPERTIES OUTPUT_NAME crawl LINKER_LANGUAGE C VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_link_libraries(crawl_${kind} PRIVATE $<BUILD_INTERFACE:crawl_flags>)
  install(TARGETS crawl_${kind}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
endforeach()
target_link_libraries(crawl_shared PRIVATE $<BUILD_INTERFACE:${dependencies}> m)
if(CRAWL_SANITIZE)
  target_link_options(crawl_shared PRIVATE -fsanitize=${CRAWL_SANITIZE})
else()
  target_link_options(crawl_shared PRIVATE -Wl,--no-undefined) # the program brings a sanitizer's run-time
endif()

install(TARGETS crawl RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(TARGETS crawl-query crawl-corpus crawl-index crawl-audit crawl-identity crawl-mcp crawl-report crawl-serve crawl-upload crawl-warc RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/crawl
  COMPONENT program)
if(CRAWL_PDF)
  install(TARGETS crawl-pdf RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/crawl COMPONENT pdf)
endif()

set(packaging ${PROJECT_SOURCE_DIR}/packaging)
install(FILES ${packaging}/completions/crawl.bash DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions
  RENAME crawl COMPONENT program)
install(FILES ${packaging}/completions/_crawl DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/zsh/vendor-completions
  COMPONENT program)
install(FILES ${packaging}/completions/crawl.fish DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/fish/vendor_completions.d
  COMPONENT program)
configure_file(${packaging}/crawl@.service.in ${PROJECT_BINARY_DIR}/crawl@.service @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/crawl@.service DESTINATION lib/systemd/system COMPONENT program)
install(FILES ${packaging}/crawl.sysusers DESTINATION lib/sysusers.d RENAME crawl.conf COMPONENT program)
# logrotate looks only in /etc, so this needs the prefix, which is known when a package is made.
install(CODE "if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
  file(INSTALL DESTINATION /etc/logrotate.d TYPE FILE RENAME crawl FILES \"${packaging}/crawl.logrotate\")
endif()" COMPONENT program)

# The program writes its own manual: a page for itself, one for each tool, and one for its configuration.
foreach(page crawl.1 crawl-url.1 crawl-links.1 crawl-text.1 crawl-extract.1 crawl-robots.1 crawl-sitemap.1 crawl-query.1 crawl-corpus.1 crawl-index.1 crawl-report.1 crawl-audit.1 crawl-identity.1 crawl-mcp.1 crawl-seen.1
    crawl-explain.1 crawl-upload.1 crawl-warc.1 crawl-inspect.1 crawl-render.1 crawl-serve.1 crawler.conf.5)
  string(REGEX REPLACE "[.]([0-9])$" "" name ${page})
  set(file ${CMAKE_CURRENT_BINARY_DIR}/man/${page})
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/man)
  add_custom_command(OUTPUT ${file} COMMAND crawl help --man ${name} > ${file} DEPENDS crawl VERBATIM)
  list(APPEND pages ${file})
  string(REGEX REPLACE ".*[.]" "" section ${page})
  install(FILES ${file} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section} COMPONENT program)
endforeach()
add_custom_target(man ALL DEPENDS ${pages})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/crawl DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
# README.md with everything that its links lead to, directly or not: paths stay as in this tree.
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md ${PROJECT_SOURCE_DIR}/SECURITY.md ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
  COMPONENT program)
install(FILES ${PROJECT_SOURCE_DIR}/tools/serve/urlfrontier/urlfrontier.proto
  DESTINATION ${CMAKE_INSTALL_DOCDIR}/tools/serve/urlfrontier COMPONENT program)

list(JOIN requires ", " CRAWL_REQUIRES_PRIVATE)
# Relative to the file itself, so that the package can be moved.
file(RELATIVE_PATH CRAWL_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/crawl.pc.in ${CMAKE_CURRENT_BINARY_DIR}/crawl.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/crawl.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

list(JOIN requires " " CRAWL_REQUIRES)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/crawl)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/crawlConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/crawlConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/crawlConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/crawlConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/crawlConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT development)

include(cpack)
