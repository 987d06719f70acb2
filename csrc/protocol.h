/* The numbers of PROTOCOL.md. Mirrored by enzyme_py/host/process/protocol.py; a test compares them. */
#ifndef ENZYME_PY_PROTOCOL_H
#define ENZYME_PY_PROTOCOL_H

#include <stdint.h>

#define FRAME_MAGIC 0x48595a45u /* "EZYH" as a little-endian machine stores it */
#define PROTOCOL_VERSION 1u

#define KIND_HELLO 1u
#define KIND_REQUEST 2u
#define KIND_REPLY 3u
#define KIND_REFUSAL 4u

#define CAUSE_ENDED 0u
#define CAUSE_TIMED_OUT 1u

#define REQUEST_DESCRIPTORS 4u /* input, output, log, reply */
#define MAX_PAYLOAD 65536u     /* bytes after a header */
#define MAX_REQUESTS 64u       /* in flight at once */
#define LOG_LIMIT 67108864u    /* bytes of a log that are kept; errors hide in remarks */

#define INPUT_DESCRIPTOR 3u  /* in the child */
#define OUTPUT_DESCRIPTOR 4u /* in the child */

#define WORKSPACE "/proc/self/task" /* exists everywhere, nobody can create a file in it */
#define RESULT_SUFFIX "_AfterEnzymePasses.ll"

#define SERVER_FD_VARIABLE "ENZYME_PY_SERVER_FD"
#define CLIENT_PID_VARIABLE "ENZYME_PY_CLIENT_PID"

struct frame_header {
    uint32_t magic;
    uint16_t version;
    uint16_t kind;
    uint64_t id;
    uint32_t length;
    uint32_t reserved;
};

struct hello_payload {
    uint32_t pid;
    uint32_t llvm_major;
    uint32_t llvm_minor;
    uint32_t llvm_patch;
    uint32_t has_enzyme;
    uint32_t reserved;
};

struct request_payload {
    uint64_t time_limit_ms;
    uint64_t memory_limit;
    uint64_t file_limit;
    uint32_t argument_count;
    uint32_t reserved;
};

struct reply_payload {
    uint32_t wait_status;
    uint32_t cause;
    uint64_t elapsed_us;
    uint64_t cpu_us;
    uint64_t peak_kib;
};

#endif
