# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   tilewright_add_embeddable(TARGET SYMBOLS map WHOLE ours… )
#
# A shared library with the compiler inside and nothing of it outside: LLVM and MLIR are linked as archives, whatever the
# tools of this build link, and only what the version script names is exported. The archives in WHOLE are taken whole.
# No object file is compiled for it: MLIR's headers are the same for archives and shared libraries.

# All of our static libraries that LIBRARIES need, themselves included, and the components of MLIR and LLVM that these
# name.
function(tilewright_collect_archives ARCHIVES MLIR LLVM)
  set(left ${ARGN})
  set(found)
  set(mlir)
  set(llvm)
  while(left)
    list(POP_FRONT left library)
    if(NOT TARGET ${library} OR library IN_LIST found)
      continue()
    endif()
    get_target_property(type ${library} TYPE)
    get_target_property(imported ${library} IMPORTED)
    if(NOT type STREQUAL "STATIC_LIBRARY" OR imported)
      continue()
    endif()
    list(APPEND found ${library})
    foreach(kind mlir llvm)
      string(TOUPPER ${kind} name)
      get_target_property(components ${library} TILEWRIGHT_${name})
      if(components)
        list(APPEND ${kind} ${components})
      endif()
    endforeach()
    get_target_property(next ${library} TILEWRIGHT_LINK)
    if(next)
      list(APPEND left ${next})
    endif()
  endwhile()
  list(REMOVE_DUPLICATES mlir)
  list(REMOVE_DUPLICATES llvm)
  set(${ARCHIVES} ${found} PARENT_SCOPE)
  set(${MLIR} ${mlir} PARENT_SCOPE)
  set(${LLVM} ${llvm} PARENT_SCOPE)
endfunction()

function(tilewright_add_embeddable TARGET)
  cmake_parse_arguments(ARG "" "SYMBOLS" "WHOLE" ${ARGN})
  tilewright_collect_archives(archives mlir llvm ${ARG_WHOLE})
  set(whole)
  set(parts)
  foreach(archive ${archives})
    if(archive IN_LIST ARG_WHOLE)
      list(APPEND whole $<TARGET_FILE:${archive}>)
    else()
      list(APPEND parts $<TARGET_FILE:${archive}>)
    endif()
  endforeach()
  llvm_map_components_to_libnames(llvm_libraries ${llvm})
  find_package(Threads REQUIRED)
  # A library needs a source of its own.
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/${TARGET}.cpp "")
  add_library(${TARGET} SHARED ${CMAKE_CURRENT_BINARY_DIR}/${TARGET}.cpp)
  add_dependencies(${TARGET} ${archives})
  target_link_libraries(${TARGET} PRIVATE
    -Wl,--whole-archive ${whole} -Wl,--no-whole-archive
    -Wl,--start-group ${parts} -Wl,--end-group
    ${mlir} ${llvm_libraries} Threads::Threads ${CMAKE_DL_LIBS})
  target_link_options(${TARGET} PRIVATE
    -Wl,--version-script=${ARG_SYMBOLS} -Wl,-Bsymbolic -Wl,--gc-sections -Wl,--build-id=sha1
    -static-libstdc++ -static-libgcc)
  set_target_properties(${TARGET} PROPERTIES LINK_DEPENDS "${ARG_SYMBOLS};${whole};${parts}")
endfunction()
