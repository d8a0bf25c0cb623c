# Run by cpack before it makes a package: compresses Debian's manual pages, without a name or a date inside.
file(GLOB_RECURSE pages ${CPACK_TEMPORARY_DIRECTORY}/*)
list(FILTER pages INCLUDE REGEX "/man/man[0-9]/[^/]*[.][0-9]$")
foreach(page ${pages})
  execute_process(COMMAND gzip -9 -n -f ${page} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
