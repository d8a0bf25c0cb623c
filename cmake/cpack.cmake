# The Debian packages that `cpack -G DEB` makes in a build folder (scripts/package uses Debian's compiler flags): crawl,
# the program with its manual, completions and systemd unit; crawl-pdf, which reads PDFs, separate because it is linked
# to poppler, which is GPL and has many dependencies; libcrawl, the shared library; libcrawl-dev; and
# python3-crawlfrontier, which loads the shared library. With SOURCE_DATE_EPOCH set, two builds of one commit are
# identical, byte for byte.
set(CPACK_PACKAGE_NAME crawl)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "web crawler and URL-frontier framework")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CRAWL_MAINTAINER "The crawl authors <crawl@localhost>" CACHE STRING "Who answers for the packages: NAME <ADDRESS>")
set(CPACK_PACKAGE_CONTACT ${CRAWL_MAINTAINER})
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/compress_manual.cmake)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program library development python)
if(CRAWL_PDF)
  list(APPEND CPACK_COMPONENTS_ALL pdf)
endif()
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_OUTPUT_FILE_PREFIX ${PROJECT_BINARY_DIR}/packages)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(soname ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(library libcrawl${soname})
set(words "Requests are canonicalized, fingerprinted and checked against a
scalable Bloom filter before they are queued; robots.txt, pauses and
limits per host are kept, and a crawl goes on after any end.")

# dpkg-shlibdeps does not see libraries that are loaded on demand.
if(CRAWL_DISK)
  cmake_path(REPLACE_FILENAME rocksdb_library ${CRAWL_ROCKSDB_FILE} OUTPUT_VARIABLE rocksdb_file)
  execute_process(COMMAND dpkg-query --search ${rocksdb_file} OUTPUT_VARIABLE rocksdb_package ERROR_QUIET)
  if(rocksdb_package MATCHES "^([a-z0-9.+-]+)")
    set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS ${CMAKE_MATCH_1})
    set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS ${CMAKE_MATCH_1})
  endif()
endif()

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME crawl)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION web)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "web crawler that is polite, durable and can be asked why
Walks the web breadth first or depth first over the links it finds.
${words}")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/postinst
  ${PROJECT_SOURCE_DIR}/packaging/debian/postrm ${PROJECT_SOURCE_DIR}/packaging/debian/conffiles)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS ca-certificates)
# The manual reads records with jq; crawl render starts the browser.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "jq, logrotate, chromium-headless-shell, crawl-pdf")

set(CPACK_DEBIAN_PDF_PACKAGE_NAME crawl-pdf)
set(CPACK_DEBIAN_PDF_PACKAGE_SECTION web)
set(CPACK_DEBIAN_PDF_PACKAGE_ENHANCES crawl)
set(CPACK_DEBIAN_PDF_DESCRIPTION "reader of PDFs for crawl
With it crawl --pdf, crawl links and crawl text read PDFs: title, text and
links, by poppler, in a process that has given up its rights.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/triggers)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "crawler and URL frontier, shared library
The frontier, the filters and the crawl engine of crawl, for spiders of
one's own. ${words}")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libcrawl-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# pkg-config looks for everything that crawl.pc requires, even to link the shared library alone.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${library} (= ${PROJECT_VERSION}-1), libcurl4-openssl-dev, libevent-dev,\
 libxml2-dev, libunistring-dev, libxxhash-dev, libssl-dev, libhiredis-dev, libinih-dev, libpcre2-dev, libpsl-dev, libsqlite3-dev, zlib1g-dev, libjansson-dev,\
 libbrotli-dev, libzstd-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "crawler and URL frontier, development files
Headers, the static library, crawl.pc and a CMake package of libcrawl.
${words}")

# Python finds the library by its soname; nothing in this package is compiled.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/crawlfrontier DESTINATION lib/python3/dist-packages COMPONENT python
  EXCLUDE_FROM_ALL PATTERN __pycache__ EXCLUDE PATTERN _native.py EXCLUDE)
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-crawlfrontier)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.11), python3-cffi, ${library} (>= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-scrapy, chromium-headless-shell")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/python/postinst
  ${PROJECT_SOURCE_DIR}/packaging/debian/python/prerm)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "crawler and URL frontier, for Python and Scrapy
Filters, frontier, URL rules, robots.txt, sitemaps and link extraction of
libcrawl, and a scheduler, a dupefilter and a link extractor for Scrapy.
${words}")

# The changes and the licences of each package.
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
else()
  string(TIMESTAMP date "%a, %d %b %Y 00:00:00 +0000" UTC)
endif()
set(changes ${PROJECT_BINARY_DIR}/changelog.Debian)
file(WRITE ${changes} "crawl (${PROJECT_VERSION}-1) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
add_custom_command(OUTPUT ${changes}.gz COMMAND gzip -9 -n -k -f ${changes} DEPENDS ${changes} VERBATIM)
add_custom_target(changelog ALL DEPENDS ${changes}.gz)
set(of_crawl program)
set(of_${library} library)
set(of_libcrawl-dev development)
set(of_python3-crawlfrontier python)
set(of_crawl-pdf pdf)
foreach(package crawl crawl-pdf ${library} libcrawl-dev python3-crawlfrontier)
  install(FILES ${changes}.gz ${PROJECT_SOURCE_DIR}/packaging/debian/copyright
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${package} COMPONENT ${of_${package}} EXCLUDE_FROM_ALL)
endforeach()

include(CPack)
