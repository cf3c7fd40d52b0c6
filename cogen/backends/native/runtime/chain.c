/* The calls that led to a failure, as lang/chain.py tells them: found when a program fails, from the
   frames of the stack, which tell the site of each call that has not returned. */

#include "inline.h"

#include <stdio.h>

/* Frames, the innermost first */

typedef struct {
    runtime *rt;
    word *next, *bottom;
    word older;
    size_t older_words;
} walk;

static void go_to_older(walk *w) {
    w->bottom = &FIELD(w->older, 2);
    w->next = w->bottom + w->older_words;
    w->older_words = (size_t)UNFIX(FIELD(w->older, 1));
    w->older = FIELD(w->older, 0);
}

static walk frames_at(RT, moment m) {
    walk w = {rt, m.sp, stack_bottom(rt), m.older, (size_t)UNFIX(m.older_words)};
    if (m.sp == NULL) w.next = w.bottom; /* the older stack only */
    return w;
}

/* The next frame, with its first word above `*end`; NULL at the end. */
static const frame *next_frame(walk *w, word **end) {
    while (w->next == w->bottom) {
        if (w->older == NIL) return NULL;
        go_to_older(w);
    }
    const frame *f = frame_of(w->rt, w->next[-1]);
    *end = w->next;
    w->next -= f->words;
    return f;
}

static bool encloses(const place *outer, const place *inner) {
    return outer->source == inner->source && outer->start <= inner->start && inner->end <= outer->end;
}

/* The site that a frame tells, 0 for none; an item is none for a place within it. */
static int site_of(RT, const frame *f, const word *end, int inner) {
    const program *p = rt->program;
    if (f->site == PASSED) return (int)UNFIX(end[-2]);
    if (f->site == ENTRY) return 0;
    if (f->site != ITEM) return f->site;
    int site = p->item_sites[UNFIX(end[-2])];
    return inner && encloses(&p->places[p->sites[site].place], &p->places[inner]) ? 0 : site;
}

/* Shortening */

static void leave_out_first(RT, chain *c) {
    if (!rt->program->places[c->last[0].place].library) c->left_out += c->last[0].times;
    memmove(c->last, c->last + 1, (TOLD_LAST - 1) * sizeof *c->last);
    c->last_count--;
}

static told *told_before(chain *c) {
    if (c->last_count) return &c->last[c->last_count - 1];
    return c->first_count && !c->left_out ? &c->first[c->first_count - 1] : NULL;
}

static void add_told(RT, chain *c, int number, long times) {
    if (number == MORE) {
        while (c->last_count) leave_out_first(rt, c);
        c->left_out += times;
        return;
    }
    const char *library = rt->program->places[number].library;
    if (library && !*library) return;
    told *before = told_before(c);
    const char *same = before ? rt->program->places[before->place].library : NULL;
    if (before && (library ? same && strcmp(library, same) == 0 : before->place == number)) {
        before->times += times;
    } else if (c->first_count < TOLD_FIRST && !c->left_out) {
        c->first[c->first_count++] = (told){number, times};
    } else {
        if (c->last_count == TOLD_LAST) leave_out_first(rt, c);
        c->last[c->last_count++] = (told){number, times};
    }
}

/* The next place on the way out: as long as it failed in a library, the call that led there is
   looked for. */
static void pass(RT, chain *c, int number, long times) {
    if (c->of_nodes && (number == MORE || !rt->program->places[number].is_node)) return;
    add_told(rt, c, number, times);
    if (c->head != 0 || number == MORE || rt->program->places[number].library) return;
    *c = (chain){.head = number, .inner = c->inner, .of_nodes = c->of_nodes};
    if (times > 1) add_told(rt, c, number, times - 1);
}

/* The calls that a site was unfolded by; the last place, `at` if there are none. */
static int pass_calls(RT, chain *c, int site, int at) {
    const int *calls = &rt->program->calls[rt->program->sites[site].calls];
    for (; *calls; calls += 2) {
        pass(rt, c, calls[0], calls[1]);
        if (*calls != MORE) at = *calls;
    }
    return at;
}

/* Whether a site is in what an interpreter does for a part of the program that it interprets. */
static bool is_in_node(RT, int site) {
    const int *calls = &rt->program->calls[rt->program->sites[site].calls];
    for (; *calls; calls += 2) {
        if (*calls != MORE && rt->program->places[*calls].is_node) return true;
    }
    return false;
}

/* The site of the innermost call that has one; 0 for none. */
static int innermost_site(RT, moment m) {
    walk w = frames_at(rt, m);
    word *end;
    for (const frame *f; (f = next_frame(&w, &end)) != NULL;) {
        int site = site_of(rt, f, end, 0);
        const char *library = rt->program->places[rt->program->sites[site].place].library;
        if (site != 0 && !(library && !*library)) return site;
    }
    return 0;
}

/* The number of places of a site, and the one at an index, with its times. */
static int site_count(RT, int site) {
    const int *calls = &rt->program->calls[rt->program->sites[site].calls];
    int count = 1;
    while (calls[2 * (count - 1)]) count++;
    return count;
}
static told site_place(RT, int site, int index) {
    const program *p = rt->program;
    if (index == 0) return (told){p->sites[site].place, 1};
    const int *call = &p->calls[p->sites[site].calls + 2 * (index - 1)];
    return (told){call[0], call[1]};
}

/* Whether the places of a site are the last ones of another one. */
static bool is_told(RT, int site, int other) {
    int count = site_count(rt, site), more = site_count(rt, other) - count;
    if (more < 0) return false;
    for (int i = 0; i < count; i++) {
        told one = site_place(rt, site, i), two = site_place(rt, other, more + i);
        if (one.place != two.place || one.times != two.times) return false;
    }
    return true;
}

/* As `Interpreter._calls`: several calls that a form was expanded to are one.  `told` is the site
   that was told last, `inner` its last place. */
static void pass_frames(RT, chain *c, moment m, int told, int inner) {
    static const frame failed;
    const frame *last = m.site ? &failed : NULL; /* else the innermost call is where it failed */
    bool inside = false; /* the language's own text, since the last call */
    walk w = frames_at(rt, m);
    word *end;
    for (const frame *f; (f = next_frame(&w, &end)) != NULL;) {
        int site = site_of(rt, f, end, inner), at = rt->program->sites[site].place;
        const char *library = rt->program->places[at].library;
        const frame *call = f->site > 0 ? f : NULL;
        if (site == 0) continue;
        if (library && !*library) {
            inside = true;
        } else if (!is_told(rt, site, told) || (call == last && (inside || call != NULL))) {
            pass(rt, c, at, 1);
            inner = pass_calls(rt, c, site, at);
            told = site;
            last = call;
            inside = false;
        } else if (last == NULL) {
            last = call;
        }
    }
}

static bool is_call_from_outside(RT, moment m) {
    walk w = frames_at(rt, m);
    word *end;
    const frame *f, *outermost = NULL;
    while ((f = next_frame(&w, &end)) != NULL) outermost = f;
    return outermost != NULL && outermost->site == ENTRY;
}

/* Where a failure was, and the calls that led there. */
chain chain_of(RT, moment m) {
    const program *p = rt->program;
    int site = m.site ? m.site : innermost_site(rt, m);
    int at = p->sites[site].place;
    const char *library = at ? p->places[at].library : NULL;
    chain c = {.head = library ? 0 : at, .inner = library && *library ? at : 0};
    if (is_in_node(rt, site)) c = (chain){.inner = at, .of_nodes = true};
    pass_frames(rt, &c, m, site, pass_calls(rt, &c, site, at));
    if (c.head == 0 && c.inner != 0) {
        c.head = c.inner;
        c.inner = 0;
    }
    if (c.head == 0 && is_call_from_outside(rt, m)) c = (chain){.head = p->sites[p->entry_site].place};
    return c;
}

/* Texts; nothing is allocated, as it may be memory that ran out */

/* A number with commas between thousands. */
static void write_number(FILE *to, long n) {
    if (n < 1000) {
        fprintf(to, "%ld", n);
    } else {
        write_number(to, n / 1000);
        fprintf(to, ",%03ld", n % 1000);
    }
}

static void write_line(RT, FILE *to, told l) {
    const place *p = &rt->program->places[l.place];
    if (p->library) {
        fprintf(to, "  … in the library (%s)\n", p->library);
        return;
    }
    fprintf(to, "  called from %s: %s", p->where, p->form);
    if (l.times > 1) {
        fputs(", ", to);
        write_number(to, l.times);
        fputs(" times", to);
    }
    fputs("\n", to);
}

/* The lines below the message. */
void write_chain(RT, FILE *to, const chain *c) {
    const place *inner = &rt->program->places[c->inner];
    if (c->head) fputs(rt->program->places[c->head].excerpt, to);
    if (c->inner && inner->library) {
        fprintf(to, "  in the library (%s): %s: %s\n", inner->library, inner->where, inner->form);
    } else if (c->inner) {
        fprintf(to, "  in the interpreter: %s: %s\n", inner->where, inner->form);
    }
    for (int i = 0; i < c->first_count; i++) write_line(rt, to, c->first[i]);
    if (c->left_out) {
        fputs("  … ", to);
        write_number(to, c->left_out);
        fputs(c->left_out == 1 ? " more call\n" : " more calls\n", to);
    }
    for (int i = 0; i < c->last_count; i++) write_line(rt, to, c->last[i]);
}

/* What to do about an error: `hint_of_failure` of lang/othernames.py; NULL if nothing is known. */
const char *hint_of(RT, const char *message, const chain *c) {
    static const char no_procedure[] = "expected a procedure to call";
    const char *at_call = rt->program->places[c->head].hint;
    if (at_call && strncmp(message, no_procedure, sizeof no_procedure - 1) == 0) return at_call;
    for (const known_failure *known = known_failures; known->beginning; known++) {
        size_t used = strlen(known->beginning);
        if (strncmp(message, known->beginning, used) == 0 && strstr(message + used, known->part)) return known->hint;
    }
    return NULL;
}

/* What `write_chain` tells, by numbers, for library.c: head, inner, calls left out, those before and those after
   with their times. */
size_t chain_numbers(char *to, size_t size, const chain *c) {
    int used = snprintf(to, size, "%d %d %ld %d", c->head, c->inner, c->left_out, c->first_count);
    for (int i = 0; i < c->first_count + c->last_count; i++) {
        told l = i < c->first_count ? c->first[i] : c->last[i - c->first_count];
        used += snprintf(to + used, size - (size_t)used, " %d %ld", l.place, l.times);
    }
    return (size_t)used;
}
