"""IR bodies for Numba's runtime functions, over malloc and free.

The block of a MemInfo is apart from its data: a header of integers and pointers in front of
floats confuses Enzyme's type analysis (DESIGN 5). The header here is one pointer, which is all that
code without reference counts reads of it. After inlining, LLVM sees through it.

malloc and its family stay external: Enzyme knows them by these names, and the native stage gives
them to the region allocator.
"""

from __future__ import annotations

# Alignment: Numba asks for 32; the region allocator gives 64 to anything that large.
_HEADER = """
declare noalias ptr @malloc(i64) #alloc
declare noalias ptr @realloc(ptr, i64)
declare void @free(ptr)
"""

_BODIES = {
    "NRT_MemInfo_data_fast": """
define linkonce_odr ptr @NRT_MemInfo_data_fast(ptr %header) alwaysinline {
  %data = load ptr, ptr %header
  ret ptr %data
}
""",
    "NRT_MemInfo_alloc": """
define linkonce_odr noalias ptr @NRT_MemInfo_alloc(i64 %size) alwaysinline {
  %header = call noalias ptr @malloc(i64 8)
  %data = call noalias ptr @malloc(i64 %size)
  store ptr %data, ptr %header
  ret ptr %header
}
""",
    "NRT_Allocate": """
define linkonce_odr noalias ptr @NRT_Allocate(i64 %size) alwaysinline {
  %data = call noalias ptr @malloc(i64 %size)
  ret ptr %data
}
""",
    "NRT_Free": """
define linkonce_odr void @NRT_Free(ptr %data) alwaysinline {
  call void @free(ptr %data)
  ret void
}
""",
    "NRT_MemInfo_varsize_realloc": """
define linkonce_odr ptr @NRT_MemInfo_varsize_realloc(ptr %header, i64 %size) alwaysinline {
  %old = load ptr, ptr %header
  %data = call ptr @realloc(ptr %old, i64 %size)
  store ptr %data, ptr %header
  ret ptr %data
}
""",
    "NRT_MemInfo_varsize_alloc": """
define linkonce_odr ptr @NRT_MemInfo_varsize_alloc(ptr %header, i64 %size) alwaysinline {
  %data = call noalias ptr @malloc(i64 %size)
  store ptr %data, ptr %header
  ret ptr %data
}
""",
    "NRT_MemInfo_varsize_free": """
define linkonce_odr void @NRT_MemInfo_varsize_free(ptr %header, ptr %data) alwaysinline {
  call void @free(ptr %data)
  store ptr null, ptr %header
  ret void
}
""",
}

# What is left of the functions that read the header of a typed list (frontend/containers/typed_lists.py).
_LISTS = {
    "numba_list_allocated": """
define linkonce_odr i64 @numba_list_allocated(ptr %list) alwaysinline {
  %place = getelementptr inbounds i8, ptr %list, i64 16
  %room = load i64, ptr %place
  ret i64 %room
}
""",
    "numba_list_is_mutable": """
define linkonce_odr i32 @numba_list_is_mutable(ptr %list) alwaysinline {
  %place = getelementptr inbounds i8, ptr %list, i64 24
  %flag = load i32, ptr %place
  ret i32 %flag
}
""",
    "numba_list_set_is_mutable": """
define linkonce_odr void @numba_list_set_is_mutable(ptr %list, i64 %flag) alwaysinline {
  %place = getelementptr inbounds i8, ptr %list, i64 24
  %short = trunc i64 %flag to i32
  store i32 %short, ptr %place
  ret void
}
""",
}

# Variants that differ in arguments which mean nothing here: alignment, destructor, debug fill.
_FORWARDED = {
    "NRT_MemInfo_alloc_aligned": "i64 %size, i32 %align",
    "NRT_MemInfo_alloc_safe": "i64 %size",
    "NRT_MemInfo_alloc_safe_aligned": "i64 %size, i32 %align",
    "NRT_MemInfo_alloc_dtor": "i64 %size, ptr %dtor",
    "NRT_MemInfo_alloc_dtor_safe": "i64 %size, ptr %dtor",
    "NRT_MemInfo_new_varsize": "i64 %size",
    "NRT_MemInfo_new_varsize_dtor": "i64 %size, ptr %dtor",
}


def _forward(name: str, parameters: str) -> str:
    return f"""
define linkonce_odr noalias ptr @{name}({parameters}) alwaysinline {{
  %header = call noalias ptr @NRT_MemInfo_alloc(i64 %size)
  ret ptr %header
}}
"""


def runtime_ir() -> str:
    """Return a module that defines the runtime; link it and drop what is unused."""
    parts = [_HEADER.replace("#alloc", 'allockind("alloc,uninitialized") allocsize(0)')]
    parts += [*_BODIES.values(), *_LISTS.values()]
    parts += [_forward(name, parameters) for name, parameters in _FORWARDED.items()]
    return "".join(parts)
