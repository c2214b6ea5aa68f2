# Flags on one interface target, and the two functions every folder uses.

add_library(wattrein_flags INTERFACE)
target_include_directories(wattrein_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)
# fmt's own code is linked rather than compiled into every file, which halves the time to build; the one portable program
# takes it from the headers, since Debian has no static libfmt.
find_package(fmt REQUIRED)
if(WATTREIN_PORTABLE)
  target_link_libraries(wattrein_flags INTERFACE fmt::fmt-header-only)
else()
  target_link_libraries(wattrein_flags INTERFACE fmt::fmt)
endif()
target_compile_options(wattrein_flags INTERFACE -ffp-contract=off)
if(WATTREIN_DEVELOPER)
  target_compile_options(wattrein_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
                         -Wnon-virtual-dtor -Woverloaded-virtual -Werror)
endif()
if(WATTREIN_SANITIZE)
  target_compile_definitions(wattrein_flags INTERFACE _GLIBCXX_ASSERTIONS)  # an empty optional, an index too far
  target_compile_options(wattrein_flags INTERFACE -fsanitize=${WATTREIN_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  target_link_options(wattrein_flags INTERFACE -fsanitize=${WATTREIN_SANITIZE})
endif()

# wattrein_library(FOLDER SOURCES ... DEPENDS folder|target ... TESTS x_test.cc ... THREADED y_test.cc ...)
# One library a folder, wattrein_FOLDER, and one test program, wattrein_FOLDER_test. THREADED are the tests that start
# threads: the only ones under the thread sanitizer.
function(wattrein_library folder)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;TESTS;THREADED" ${ARGN})
  add_library(wattrein_${folder} ${arg_SOURCES})
  target_link_libraries(wattrein_${folder} PUBLIC wattrein_flags ${arg_DEPENDS})
  # A first build spends a third of its time on reading these over and over. Not for developers: ccache saves them more.
  if(WATTREIN_PRECOMPILE)  # a macro for each library would make each refuse the others' headers
    set_target_properties(wattrein_${folder} PROPERTIES DEFINE_SYMBOL "")
  endif()
  if(WATTREIN_PRECOMPILE AND folder STREQUAL "base")
    target_precompile_headers(wattrein_base PRIVATE <fmt/format.h> <algorithm> <expected> <functional> <optional> <span>
                              <string> <string_view> <vector>)
  elseif(WATTREIN_PRECOMPILE)
    target_precompile_headers(wattrein_${folder} REUSE_FROM wattrein_base)
  endif()
  set(tests ${arg_THREADED})
  if(NOT WATTREIN_SANITIZE STREQUAL "thread")
    list(APPEND tests ${arg_TESTS})
  endif()
  if(WATTREIN_TESTS AND tests)
    add_executable(wattrein_${folder}_test ${tests})
    target_link_libraries(wattrein_${folder}_test PRIVATE wattrein_${folder} GTest::gtest_main)
    gtest_discover_tests(wattrein_${folder}_test TEST_PREFIX ${folder}. DISCOVERY_TIMEOUT 60
                         WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  endif()
endfunction()

# wattrein_embed(TARGET SYMBOL FILE): the file's bytes in the program, as in report/embedded.h.
function(wattrein_embed target symbol file)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.S)
  file(WRITE ${out}.in "
    .section .rodata
    .global ${symbol}_begin
    .global ${symbol}_end
${symbol}_begin:
    .incbin \"${file}\"
${symbol}_end:
    .byte 0
    .section .note.GNU-stack,\"\",%progbits
")
  configure_file(${out}.in ${out} COPYONLY)
  set_source_files_properties(${out} PROPERTIES OBJECT_DEPENDS ${file})
  target_sources(${target} PRIVATE ${out})
endfunction()

find_program(WATTREIN_CCACHE ccache)
if(WATTREIN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${WATTREIN_CCACHE})
endif()
