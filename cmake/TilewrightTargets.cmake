# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The three kinds of target of this project:
#
#   tilewright_add_library(NAME a.cpp … [DEPENDS tablegen…] [LINK ours…]
#                          [MLIR MLIRIR…] [LLVM Support…])
#       A library that uses MLIR or LLVM. MLIR names MLIR's component libraries and LLVM names LLVM's components; both
#       become the shared libMLIR and libLLVM when TILEWRIGHT_SHARED_MLIR is on, since one process must never hold a
#       shared and a static MLIR (their TypeIDs differ).
#   tilewright_add_plain_library(NAME a.cpp … [LINK …])
#       A library without LLVM (layout algebra, runtime, emulator).
#   tilewright_add_tool(NAME a.cpp … [LINK ours…])
#
# All MLIR users share one precompiled header: with it a file costs 2 s instead of 40 s.

separate_arguments(TILEWRIGHT_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")

# Flags of all our code. LLVM is built with RTTI and without exceptions; users of its headers need neither.
add_library(tilewright_options INTERFACE)
target_compile_options(tilewright_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti>
  -Wall -Wextra -Wno-unused-parameter -fvisibility=hidden -ffunction-sections -fdata-sections
  $<$<CXX_COMPILER_ID:GNU>:-Wno-comment>)
if(TILEWRIGHT_ENABLE_ASSERTIONS)
  target_compile_options(tilewright_options INTERFACE -UNDEBUG)
endif()
# The build id is part of the keys of the cache (lib/JIT).
target_link_options(tilewright_options INTERFACE -Wl,--gc-sections -Wl,--build-id=sha1)
target_include_directories(tilewright_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include
  ${PROJECT_BINARY_DIR})

add_library(tilewright_llvm_options INTERFACE)
target_link_libraries(tilewright_llvm_options INTERFACE tilewright_options)
target_include_directories(tilewright_llvm_options SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
target_compile_definitions(tilewright_llvm_options INTERFACE ${TILEWRIGHT_LLVM_DEFINITIONS})

# Debian's MLIR targets name the shared libLLVM beside their own archives. A static tool must not load it: two LLVMs in
# one process have two sets of globals. In its place they get the components that MLIR itself uses; what our code uses
# is named where it is used.
# (The embeddable library links the archives in every build.)
llvm_map_components_to_libnames(mlir_llvm_components
  AsmParser BinaryFormat BitReader BitWriter Core FrontendOpenMP IRReader Linker Remarks Support TargetParser
  TransformUtils)
add_library(tilewright_mlir_llvm INTERFACE)
target_link_libraries(tilewright_mlir_llvm INTERFACE ${mlir_llvm_components})
get_property(mlir_libraries GLOBAL PROPERTY MLIR_ALL_LIBS)
foreach(library ${mlir_libraries})
  get_target_property(dependencies ${library} INTERFACE_LINK_LIBRARIES)
  if(dependencies AND NOT library STREQUAL "MLIR")
    list(TRANSFORM dependencies REPLACE "^LLVM$" tilewright_mlir_llvm)
    set_target_properties(${library} PROPERTIES INTERFACE_LINK_LIBRARIES "${dependencies}")
  endif()
endforeach()
if(NOT TILEWRIGHT_SHARED_MLIR)
  # LLVM's own dependencies too, so that the tools need no library but libc.
  foreach(pair ZLIB::ZLIB=libz.a zstd::libzstd_shared=libzstd.a)
    string(REPLACE "=" ";" pair ${pair})
    list(GET pair 0 imported)
    list(GET pair 1 archive)
    find_library(TILEWRIGHT_${archive} ${archive})
    if(TARGET ${imported} AND TILEWRIGHT_${archive})
      set_target_properties(${imported} PROPERTIES
        IMPORTED_LOCATION ${TILEWRIGHT_${archive}} IMPORTED_LOCATION_RELEASE ${TILEWRIGHT_${archive}})
    endif()
  endforeach()
endif()

# The shared precompiled header.
add_library(tilewright_pch OBJECT ${PROJECT_SOURCE_DIR}/cmake/Precompiled.cpp)
target_link_libraries(tilewright_pch PRIVATE tilewright_llvm_options)
target_precompile_headers(tilewright_pch PRIVATE ${PROJECT_SOURCE_DIR}/cmake/Precompiled.h)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Instantiating templates once, in the header, takes a user from 8 s to 2 s.
  target_compile_options(tilewright_pch PUBLIC -fpch-instantiate-templates)
endif()

function(tilewright_add_library NAME)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK;MLIR;LLVM" ${ARGN})
  add_library(${NAME} STATIC ${ARG_UNPARSED_ARGUMENTS})
  add_library(Tilewright::${NAME} ALIAS ${NAME})
  target_link_libraries(${NAME} PUBLIC tilewright_llvm_options ${ARG_LINK})
  target_precompile_headers(${NAME} REUSE_FROM tilewright_pch)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${NAME} PRIVATE -fpch-instantiate-templates)
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${NAME} ${ARG_DEPENDS})
  endif()
  tilewright_link_mlir(${NAME} MLIR ${ARG_MLIR} LLVM ${ARG_LLVM})
  tilewright_note_needs(${NAME} LINK ${ARG_LINK} MLIR ${ARG_MLIR} LLVM ${ARG_LLVM})
endfunction()

# What tilewright_add_embeddable asks for.
function(tilewright_note_needs NAME)
  cmake_parse_arguments(ARG "" "" "LINK;MLIR;LLVM" ${ARGN})
  set_target_properties(${NAME} PROPERTIES
    TILEWRIGHT_LINK "${ARG_LINK}" TILEWRIGHT_MLIR "${ARG_MLIR}" TILEWRIGHT_LLVM "${ARG_LLVM}")
endfunction()

function(tilewright_link_mlir NAME)
  cmake_parse_arguments(ARG "" "" "MLIR;LLVM" ${ARGN})
  if(TILEWRIGHT_SHARED_MLIR)
    if(ARG_MLIR)
      target_link_libraries(${NAME} PUBLIC MLIR)
    endif()
    if(ARG_MLIR OR ARG_LLVM)
      target_link_libraries(${NAME} PUBLIC LLVM)
    endif()
  else()
    llvm_map_components_to_libnames(llvm_libraries ${ARG_LLVM})
    target_link_libraries(${NAME} PUBLIC ${ARG_MLIR} ${llvm_libraries})
  endif()
endfunction()

function(tilewright_add_plain_library NAME)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${NAME} STATIC ${ARG_UNPARSED_ARGUMENTS})
  add_library(Tilewright::${NAME} ALIAS ${NAME})
  target_link_libraries(${NAME} PUBLIC tilewright_options ${ARG_LINK})
  tilewright_note_needs(${NAME} LINK ${ARG_LINK})
endfunction()

function(tilewright_add_tool NAME)
  cmake_parse_arguments(ARG "" "" "LINK;MLIR;LLVM" ${ARGN})
  add_executable(${NAME} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${NAME} PRIVATE tilewright_llvm_options ${ARG_LINK})
  target_precompile_headers(${NAME} REUSE_FROM tilewright_pch)
  # The precompiled header is made with -fPIC; an executable's own -fPIE would not match it.
  set_target_properties(${NAME} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${NAME} PRIVATE -fPIC)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${NAME} PRIVATE -fpch-instantiate-templates)
  endif()
  if(ARG_MLIR OR ARG_LLVM)
    tilewright_link_mlir(${NAME} MLIR ${ARG_MLIR} LLVM ${ARG_LLVM})
  endif()
endfunction()

# tilewright_tablegen(TARGET file.td OUT.h.inc -gen-op-decls OUT.cpp.inc -gen-op-defs …)
function(tilewright_tablegen TARGET TD)
  set(LLVM_TARGET_DEFINITIONS ${TD})
  set(rest ${ARGN})
  while(rest)
    list(POP_FRONT rest output)
    list(POP_FRONT rest arguments)
    separate_arguments(arguments)
    mlir_tablegen(${output} ${arguments} EXTRA_INCLUDES ${PROJECT_SOURCE_DIR} ${MLIR_INCLUDE_DIRS})
  endwhile()
  add_public_tablegen_target(${TARGET})
endfunction()
