/* Frames on C's stack that become frames of the program's stack.

   Code that C calls directly keeps its variables where C keeps them.  When it comes to anything
   that may look at the stack (a collection, an error, too deep a recursion), it stores the frame
   that the other code of the same procedure would have, and returns UNWOUND; so do its callers.
   Frames come innermost first, so they are stored downwards, at the end of `rt->arguments`:

       rt->unwound -> [ outermost frame | ... | innermost frame | `above` words ]

   What entered the direct code puts them onto the stack, and goes on with `resumed`, the other
   code, which takes `resumed_count` words; or, if it is NULL, returns the first of them. */

#include "inline.h"

enum { MOST_IN_PLACE = SLACK, LONGEST_PAUSE = 1 << 16 };

/* The limits of C's stack; nothing is stored. */
void start_direct(RT) {
    enum { ROOM = 1 << 19, LITTLE = 1 << 10 };
    rt->c_limit = (uword)rt->c_stack - (rt->stress ? LITTLE : ROOM);
    rt->unwound = rt->arguments + MOST_ARGUMENTS;
}

/* Leaving costs more than what is left saves if it happens all the time: then the direct code is
   not entered for a while, twice as long each time.  When the heap is full, or the stack, that was
   to be. */
static void pause_if_useless(RT, size_t words) {
    if (rt->hp > rt->heap_limit || words > 64) return;
    rt->next_pause = rt->next_pause < LONGEST_PAUSE ? 2 * rt->next_pause + 1 : LONGEST_PAUSE;
    rt->pause = rt->next_pause;
}

/* Put `words` at `from` onto the stack, which nobody has looked at since the direct code was
   entered; its new top. */
static word *push_all(RT, word *sp, const word *from, size_t words) {
    if (words <= MOST_IN_PLACE && sp <= rt->stack_limit) {
        memcpy(sp, from, words * sizeof(word));
        return sp + words;
    }
    rt->sp = sp;
    rt->site = 0;
    freeze(rt, sp);
    rt->sp = stack_bottom(rt);
    freeze_frames(rt, from, words);
    return stack_bottom(rt);
}

void resume(word *sp) {
    runtime *rt = runtime_of(sp);
    const word *from = rt->unwound, *end = rt->arguments + MOST_ARGUMENTS;
    size_t above = (size_t)rt->above, words = (size_t)(end - from) - above;
    pause_if_useless(rt, words);
    if (words >= 2 && from[1] == (word)passing && sp[-1] == (word)passing) sp -= 2; /* see PASS */
    sp = push_all(rt, sp, from, words);
    memcpy(sp, end - above, above * sizeof(word));
    rt->unwound = rt->arguments + MOST_ARGUMENTS;
    const word *v = rt->resumed_words;
    code to = rt->resumed;
    word *hp = rt->hp;
    if (to == NULL) RETURN(v[0]);
    switch (rt->resumed_count) {
    case 0: return ((void (*)(word *, word *))to)(sp, hp);
    case 1: return ((void (*)(word *, word *, word))to)(sp, hp, v[0]);
    case 2: return ((void (*)(word *, word *, word, word))to)(sp, hp, v[0], v[1]);
    case 3: return ((void (*)(word *, word *, word, word, word))to)(sp, hp, v[0], v[1], v[2]);
    default: return ((void (*)(word *, word *, word, word, word, word))to)(sp, hp, v[0], v[1], v[2], v[3]);
    }
}
