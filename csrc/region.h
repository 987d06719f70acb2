/* What region.c and raise.c share; not part of the contract in runtime.h. */
#ifndef ENZYME_PY_REGION_H
#define ENZYME_PY_REGION_H

#include "guard.h"
#include "runtime.h"

#include <setjmp.h>

#define CLASSES 188
#define CLASS_WORDS 3

typedef struct chunk chunk;
typedef struct block block;
typedef struct frame frame;
typedef struct thread thread;

struct enzyme_py_region {
    unsigned char *top;            /* where the next block of the newest chunk begins */
    unsigned char *end;            /* the writable part of that chunk ends here */
    thread *thread;                /* where it is open, else null */
    unsigned char *high;           /* the highest that `top` was lowered from since opening */
    size_t live;                   /* bytes */
    size_t need, need_before;      /* the most that was used at once in this age, and the last */
    chunk *chunks;                 /* newest first */
    enzyme_py_region *below;       /* the region to go back to, or the next spare one */
    void *root;                    /* a tape's slot */
    guarded *guarded;              /* blocks against forbidden pages, where that is asked for */
    enzyme_py_region **children;   /* one for each slot of a fork, closed with this one: threads.c */
    int64_t child_count;
    int32_t is_kept;               /* open without a frame, until enzyme_py_leave */
    uint64_t filled[CLASS_WORDS];  /* which of the lists below hold something */
    block *free[CLASSES];
};

struct frame {
    jmp_buf jump;
    frame *outer;
    void (*body)(void *);
    int32_t status;
    void *excinfo;
};

struct thread {
    enzyme_py_region *region; /* the innermost open one */
    frame *frame;             /* the innermost enter */
    size_t live, peak, allocations, fail_at, turn;
    enzyme_py_region *spare; /* closed ones, the last closed first */
    size_t keep_limit;
    uint64_t age, aged_at; /* milliseconds */
    uint32_t closings;
    int32_t scribbles;
    enzyme_py_failure failure; /* the last */
    void *signal_stack;        /* see crash.h */
    int64_t parts;             /* not 0: it runs a part of a fork, whose caller would make so many */
};

thread *this_thread(void);                       /* null only where memory ran out */
const frame *running_frame(void);                /* for a handler of signals: begins no thread */
int32_t guard_is_on(void);
enzyme_py_region *region_take(thread *self);     /* a spare one or a new one; null: no memory */
void region_give(thread *self, enzyme_py_region *region); /* release its blocks, keep its pages */
/* Run body(pack) below a frame of the thread; 0, or what was raised. Faults are told as `origin`'s. */
int32_t frame_run(thread *self, void (*body)(void *), void *pack, void (*origin)(void *),
                  void **excinfo);
void region_open(thread *self, enzyme_py_region *region);
enzyme_py_region *region_pop(thread *self);
void region_count(thread *self, enzyme_py_region *region, int64_t bytes); /* live in children */

#endif
