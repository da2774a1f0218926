/*
 * Guard, breaker and crash for two channels that share one window.
 * Everything in `durable` survives a crash; `at` and `calls` are the process and the engine outside it.
 * Time is a process that lets starts leave the window, open breakers be probed, and deadlines pass.
 */
#define CHANNELS 2
#define N 2          /* starts in the window */
#define FAILURES 2   /* that open a breaker */

mtype = { idle, granted, started, verifying, closed, open, half };

typedef Durable {
  mtype breaker;
  byte failures;
  bool probable;     /* the breaker has been open long enough */
  bool begun;        /* STARTED is written, its end is not */
  bool unknown;
  bool probe;        /* the permit that is out is the probe */
  bool paged;
};

Durable ch[CHANNELS];
mtype at[CHANNELS] = idle;   /* where this life of Reeve stands with the channel */
byte calls[CHANNELS];        /* how often the engine was called on the present permit */
byte window;                 /* starts in it, those of dead lives too */
byte probes[CHANNELS];       /* probes that are out */
bool contained;
bool crashed;

#define fail(c) \
  if \
  :: ch[c].breaker == half -> ch[c].breaker = open; ch[c].probable = false; ch[c].failures = 0; \
     probes[c] = 0; ch[c].probe = false \
  :: ch[c].breaker == closed -> ch[c].failures++; \
     if \
     :: ch[c].failures >= FAILURES -> ch[c].breaker = open; ch[c].probable = false; ch[c].failures = 0 \
     :: else -> skip \
     fi \
  :: else -> skip \
  fi

#define cure(c) \
  if \
  :: ch[c].breaker == half && ch[c].probe -> ch[c].breaker = closed; probes[c] = 0; ch[c].probe = false \
  :: else -> skip \
  fi; \
  ch[c].failures = 0

proctype channel(byte c) {
  do
  /* one synchronous step: every question, the reservation, the containment of the Nth start */
  :: atomic {
       at[c] == idle && !ch[c].unknown && !contained && window < N &&
       (ch[c].breaker == closed || (ch[c].breaker == open && ch[c].probable)) ->
       assert(!contained);                                             /* S8 */
       if
       :: ch[c].breaker == open -> ch[c].breaker = half; ch[c].probe = true; probes[c]++
       :: else -> ch[c].probe = false
       fi;
       assert(probes[c] <= 1);                                         /* S3 */
       window++;
       if
       :: window == N -> contained = true
       :: else -> skip
       fi;
       assert(window <= N);                                            /* S2 */
       calls[c] = 0;
       at[c] = granted
     }
  :: atomic { at[c] == granted -> ch[c].begun = true; at[c] = started }
  :: atomic {
       at[c] == started && calls[c] == 0 ->
       assert(ch[c].begun);                                            /* S6: durable before the call */
       calls[c]++;
       assert(calls[c] <= 1 && !ch[c].unknown);                        /* S6: at most once */
       at[c] = verifying
     }
  :: atomic { at[c] == verifying -> ch[c].begun = false; cure(c); at[c] = idle }
  :: atomic { at[c] == verifying -> ch[c].begun = false; fail(c); ch[c].paged = true; at[c] = idle }
  od
}

/* A permit that is never redeemed runs out; a breaker may be probed; starts leave; containment ends. */
proctype time() {
  byte c;
  do
  :: atomic { window > 0 -> window--; if :: window < N -> contained = false :: else -> skip fi }
  :: atomic { ch[0].breaker == open && !ch[0].probable -> ch[0].probable = true }
  :: atomic { ch[1].breaker == open && !ch[1].probable -> ch[1].probable = true }
  :: atomic { at[0] == granted -> fail(0); at[0] = idle }
  :: atomic { at[1] == granted -> fail(1); at[1] = idle }
  od
}

/* Once, at any point; then recovery, as one transaction before anything else. */
proctype crash() {
  byte c;
  atomic {
    crashed = true;
    for (c : 0 .. CHANNELS - 1) {
      at[c] = idle;
      if
      :: ch[c].begun ->
           ch[c].begun = false; ch[c].unknown = true; ch[c].paged = true; fail(c)
      :: else ->
           if
           :: ch[c].breaker == half -> fail(c)                         /* half-open comes back as open */
           :: else -> skip
           fi
      fi;
      assert(ch[c].breaker != half);                                   /* S3 over a crash */
      assert(!ch[c].unknown || ch[c].paged)                            /* L1: UNKNOWN is told */
    }
  }
}

/* A person looks, or it is seen healthy. */
proctype people() {
  do
  :: atomic { ch[0].unknown -> ch[0].unknown = false }
  :: atomic { ch[1].unknown -> ch[1].unknown = false }
  od
}

init { atomic { ch[0].breaker = closed; ch[1].breaker = closed; run channel(0); run channel(1); run time(); run crash(); run people() } }

ltl L2_half_open_ends { [] ((ch[0].breaker == half) -> <> (ch[0].breaker != half)) }
ltl L2_containment_ends { [] (contained -> <> !contained) }
ltl L2_unknown_can_be_left { [] (ch[0].unknown -> <> !ch[0].unknown) }
