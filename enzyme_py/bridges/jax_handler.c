/* What XLA calls: it hands its buffers to a door (enzyme_py/doors/lowering.py).
 *
 * Compiled on the user's machine against the headers that JAX brings. Attributes of a call:
 *   door    the address of `int32_t packed(void *const *data, const int64_t *const *sizes)`
 *   items   how many items there are along the first axis of what is not shared; -1: no such axis
 *   number  of the door, by which the text of an exception is found
 *   shared  a bit for each argument that all items share
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "xla/ffi/api/c_api.h"

enum { MOST = 64, TEXT = 2000 };

typedef int32_t packed_door(void *const *data, const int64_t *const *sizes);
typedef void tell(int64_t number, int32_t status, char *text, int64_t size);

static tell *teller;

__attribute__((visibility("default"))) void enzyme_py_set_teller(tell *given) { teller = given; }

static XLA_FFI_Error *failed(const XLA_FFI_Api *api, const char *text) {
    XLA_FFI_Error_Create_Args args = {0};
    args.struct_size = XLA_FFI_Error_Create_Args_STRUCT_SIZE;
    args.message = text;
    args.errc = XLA_FFI_Error_Code_INVALID_ARGUMENT;
    return api->XLA_FFI_Error_Create(&args);
}

static size_t width(XLA_FFI_DataType type) {
    switch (type) {
    case XLA_FFI_DataType_PRED:
    case XLA_FFI_DataType_S8:
    case XLA_FFI_DataType_U8: return 1;
    case XLA_FFI_DataType_S16: return 2;
    case XLA_FFI_DataType_S32:
    case XLA_FFI_DataType_F32: return 4;
    case XLA_FFI_DataType_S64:
    case XLA_FFI_DataType_F64:
    case XLA_FFI_DataType_C64: return 8;
    case XLA_FFI_DataType_C128: return 16;
    default: return 0;
    }
}

/* The scalar attribute of a name; XLA sorts them, and there are four. */
static int64_t attribute(const XLA_FFI_Attrs *attrs, int64_t place) {
    return *(const int64_t *)((const XLA_FFI_Scalar *)attrs->attrs[place])->value;
}

__attribute__((visibility("default"))) XLA_FFI_Error *enzyme_py_handler(XLA_FFI_CallFrame *frame) {
    XLA_FFI_Extension_Base *extension = frame->extension_start;
    if (extension != NULL && extension->type == XLA_FFI_Extension_Metadata) {
        XLA_FFI_Metadata *asked = ((XLA_FFI_Metadata_Extension *)extension)->metadata;
        asked->api_version.major_version = XLA_FFI_API_MAJOR;
        asked->api_version.minor_version = XLA_FFI_API_MINOR;
        return NULL;
    }
    int64_t arguments = frame->args.size, results = frame->rets.size;
    if (frame->attrs.size != 4) return failed(frame->api, "enzyme_py: a call without its attributes");
    if (arguments + results > MOST) return failed(frame->api, "enzyme_py: more than 64 buffers");
    packed_door *door = (packed_door *)(intptr_t)attribute(&frame->attrs, 0);
    int64_t items = attribute(&frame->attrs, 1), number = attribute(&frame->attrs, 2);
    uint64_t shared = (uint64_t)attribute(&frame->attrs, 3);
    void *data[MOST];
    const int64_t *sizes[MOST];
    size_t steps[MOST];
    for (int64_t i = 0; i < arguments + results; i++) {
        const XLA_FFI_Buffer *buffer = i < arguments ? frame->args.args[i] : frame->rets.rets[i - arguments];
        int is_item = items >= 0 && (i >= arguments || !(shared >> i & 1));
        data[i] = buffer->data;
        sizes[i] = buffer->dims + is_item;
        steps[i] = is_item ? width(buffer->dtype) : 0;
        for (int64_t axis = 1; is_item && axis < buffer->rank; axis++) steps[i] *= (size_t)buffer->dims[axis];
    }
    for (int64_t item = 0; item < (items < 0 ? 1 : items); item++) {
        int32_t status = door(data, sizes);
        if (status != 0) {
            char text[TEXT];
            snprintf(text, sizeof text, "enzyme_py: a kernel ended with status %d", (int)status);
            if (teller != NULL) teller(number, status, text, sizeof text);
            return failed(frame->api, text);
        }
        for (int64_t i = 0; i < arguments + results; i++) data[i] = (char *)data[i] + steps[i];
    }
    return NULL;
}
