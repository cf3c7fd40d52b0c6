/* What compiled arrays ask of OpenMP, with POSIX threads: so little that a thread sanitizer sees
   all of it.  GCC's own OpenMP synchronises by instructions that the sanitizer does not know, and
   would be reported itself.  Preloaded, these functions are found before those of libgomp.

   A team is made of new threads each time; parallel regions within one have one thread. */

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 256 };

typedef struct {
    void (*function)(void *);
    void *data;
    int size;
    pthread_barrier_t barrier;
} team;

typedef struct { team *team; int number; } member;

static _Thread_local member own;
static _Thread_local int asked_for_dynamic;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *given) {
    own = *(member *)given;
    own.team->function(own.team->data);
    return NULL;
}

void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags) {
    member before = own;
    team made = {function, data, threads == 0 || before.team != NULL ? 1 : (int)threads, {{0}}};
    pthread_t started[MOST];
    member members[MOST];
    (void)flags;
    if (made.size > MOST) made.size = MOST;
    pthread_barrier_init(&made.barrier, NULL, (unsigned)made.size);
    for (int i = 0; i < made.size; i++) members[i] = (member){&made, i};
    for (int i = 1; i < made.size; i++)
        if (pthread_create(&started[i], NULL, work, &members[i]) != 0) {
            fputs("no thread can be started\n", stderr);
            abort();
        }
    work(&members[0]);
    for (int i = 1; i < made.size; i++) pthread_join(started[i], NULL);
    pthread_barrier_destroy(&made.barrier);
    own = before;
}

void GOMP_barrier(void) {
    if (own.team != NULL) pthread_barrier_wait(&own.team->barrier);
}

void GOMP_critical_start(void) { pthread_mutex_lock(&one_at_a_time); }
void GOMP_critical_end(void) { pthread_mutex_unlock(&one_at_a_time); }
void GOMP_atomic_start(void) { pthread_mutex_lock(&one_at_a_time); }
void GOMP_atomic_end(void) { pthread_mutex_unlock(&one_at_a_time); }

int omp_get_thread_num(void) { return own.number; }
int omp_get_num_threads(void) { return own.team != NULL ? own.team->size : 1; }
int omp_in_parallel(void) { return own.team != NULL && own.team->size > 1; }
int omp_get_dynamic(void) { return asked_for_dynamic; }
void omp_set_dynamic(int wanted) { asked_for_dynamic = wanted; }
