/* Frames in and out of descriptors; see PROTOCOL.md. */
#define _GNU_SOURCE
#include "frame.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define FIRST_FREE_DESCRIPTOR 16 /* above every number that a child gives a meaning to */

static int write_all(int channel, const unsigned char *bytes, size_t length) {
    while (length > 0) {
        ssize_t written = write(channel, bytes, length);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return -1;
        bytes += written;
        length -= (size_t)written;
    }
    return 0;
}

int frame_send(int channel, uint16_t kind, uint64_t id, const void *payload, size_t length) {
    unsigned char message[sizeof(struct frame_header) + 1024];
    if (length > 1024) length = 1024;
    struct frame_header header = {FRAME_MAGIC, PROTOCOL_VERSION, kind, id, (uint32_t)length, 0};
    memcpy(message, &header, sizeof header);
    memcpy(message + sizeof header, payload, length);
    return write_all(channel, message, sizeof header + length);
}

void frame_close_descriptors(struct frame *frame) {
    for (size_t i = 0; i < frame->descriptor_count; i++) close(frame->descriptors[i]);
    frame->descriptor_count = 0;
}

/* Descriptors arrive at the lowest free numbers; a child needs those for 0 to 4. */
static void keep_descriptor(struct frame *frame, int descriptor) {
    int lifted = fcntl(descriptor, F_DUPFD_CLOEXEC, FIRST_FREE_DESCRIPTOR);
    close(descriptor);
    if (lifted < 0) return;
    if (frame->descriptor_count == REQUEST_DESCRIPTORS) {
        close(lifted);
        return;
    }
    frame->descriptors[frame->descriptor_count++] = lifted;
}

static void keep_descriptors(struct frame *frame, struct msghdr *message) {
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
        size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(part) + i * sizeof(int), sizeof descriptor);
            keep_descriptor(frame, descriptor);
        }
    }
}

static const char *complaint_about(const struct frame *frame, size_t received, bool was_cut) {
    if (received < sizeof frame->header) return "the frame is shorter than its header";
    if (frame->header.magic != FRAME_MAGIC) return "the frame has a foreign magic number";
    if (frame->header.version != PROTOCOL_VERSION) return "the frame has another protocol version";
    if (was_cut) return "the frame is longer than the protocol allows";
    if (frame->header.length != received - sizeof frame->header)
        return "the frame is not as long as its header says";
    return NULL;
}

enum frame_result frame_receive(int socket, struct frame *frame) {
    union {
        char bytes[CMSG_SPACE(sizeof(int) * 16)];
        struct cmsghdr align;
    } control;
    struct iovec parts[2] = {{&frame->header, sizeof frame->header}, {frame->payload, MAX_PAYLOAD}};
    struct msghdr message = {.msg_iov = parts,
                             .msg_iovlen = 2,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t received;
    memset(&frame->header, 0, sizeof frame->header);
    frame->descriptor_count = 0;
    do received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (received < 0 && errno == EINTR);
    if (received <= 0) return FRAME_END;
    keep_descriptors(frame, &message);
    bool was_cut = (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
    frame->complaint = complaint_about(frame, (size_t)received, was_cut);
    if (frame->complaint) return FRAME_BAD;
    frame->payload[frame->header.length] = 0;
    return FRAME_OK;
}
