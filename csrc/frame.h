/* Frames in and out of descriptors. Nothing else in this folder reads or writes a channel. */
#ifndef ENZYME_PY_FRAME_H
#define ENZYME_PY_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "protocol.h"

enum frame_result { FRAME_OK, FRAME_END, FRAME_BAD };

/* One received frame: its payload, and the descriptors that came with it, which the reader owns. */
struct frame {
    struct frame_header header;
    unsigned char payload[MAX_PAYLOAD + 1]; /* one more byte, so that a text always ends in zero */
    int descriptors[REQUEST_DESCRIPTORS];
    size_t descriptor_count;
    const char *complaint; /* why the frame is BAD */
};

/* Waits for one message. BAD leaves the descriptors, so that the complaint can be sent. */
enum frame_result frame_receive(int socket, struct frame *frame);

/* Header and payload in one write: short frames into a pipe stay whole. 0, or -1 with errno. */
int frame_send(int channel, uint16_t kind, uint64_t id, const void *payload, size_t length);

void frame_close_descriptors(struct frame *frame);

#endif
