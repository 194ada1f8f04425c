/* One delivery, two workers, one provider, and a fault anywhere. README.md says how each step stands in storage/sql.
 *
 * PostgreSQL, READ COMMITTED: a statement sees what was committed when it began (its snapshot), but a row it locks is
 * read again as it stands then. So each statement here is three steps: `begin` takes what it judges by snapshot, `lock`
 * takes the row and judges it, `commit` writes and unlocks. A commit may be lost, or done and its answer lost.
 * Each guard has an #ifndef NO_<guard>; run.sh takes them out one at a time and must be shown a broken promise. */

#ifndef FAULTS
#define FAULTS 2       /* crashes, lost commits, lost answers, frozen workers: so many in one run, anywhere */
#endif
#ifndef ATTEMPTS_MAX
#define ATTEMPTS_MAX 2
#endif
#define LOST_MAX 2     /* lost_leases at which a delivery is given up */
#define RESENDS_MAX 1  /* the doubt's policy: resend, at most so often, then held */

/* arauto.delivery.state; what is not named here is no state of a delivery that waits */
#define NONE 0         /* the accept has not committed */
#define PENDING 1
#define LEASED 2
#define RETRY_WAIT 3
#define IN_DOUBT 4
#define ACCEPTED 5     /* provider_accepted */
#define FAILED 6       /* permanent_failure */
#define SUPPRESSED 7
#define CANCELLED 8
#define FINAL(s) (s >= ACCEPTED)
#define WAITS(s) (s == PENDING || s == RETRY_WAIT || s == IN_DOUBT)

/* what an attempt came to; BACK: nothing reached the provider, no outcome */
#define BACK 1
#define TAKEN 2
#define NOT_NOW 3
#define REFUSED 4
#define UNKNOWN 5
#define LATE 6         /* in the trail: completed by a late answer */

/* stop_reason, and what the answer to a stop lists */
#define CANCEL 1
#define OPT_OUT 2
#define STOPPED 1
#define IN_FLIGHT 2
#define DOUBTED 3
#define SETTLED 4

typedef delivery {
  byte state;
  byte token;
  byte owner;
  bool begun;
  byte stop;
  bool accepted;       /* accepted_at */
  byte attempts;
  byte lost;           /* lost_leases */
  byte doubts;
  bool doubted;        /* doubted_at: the doubt stands */
  bool held;           /* next_attempt_at is infinity */
  bool ran_out;        /* lease_until has passed, by the database's clock */
  byte tried;          /* the newest token in the trail */
  byte trail;          /* and what its row says */
}
delivery d;
byte lock;             /* who has the row */
bool allowed = true;   /* the preference, as committed */

byte faults;
byte held_token[2];    /* what a living worker remembers; 0: nothing */
bool trust[2];         /* it may talk: before its question + lease - margin */
bool killed[2];

/* witnesses: what happened outside, and what was promised */
byte taken;            /* messages the provider has */
byte taken_by;         /* under which token it got the newest of them */
bool acknowledged;     /* a stop was answered */
byte listed;           /* as what */
byte permits;          /* attempts begun and not given back */

inline fault() { faults < FAULTS -> faults++ }
inline unlock() { lock = 0 }
inline lease_ends() { d.begun = false; d.owner = 0; d.ran_out = false }

/* arauto.may_move: the trigger fails the statement of whoever tries another. */
#define MOVES(s) (d.state == s || d.state == LEASED \
  || (d.state == PENDING && (s == LEASED || s == SUPPRESSED || s == CANCELLED || s == ACCEPTED || s == IN_DOUBT)) \
  || (d.state == RETRY_WAIT && (s == LEASED || s == SUPPRESSED || s == CANCELLED || s == FAILED || s == ACCEPTED \
                                || s == IN_DOUBT)) \
  || (d.state == IN_DOUBT && (s == LEASED || s == ACCEPTED || s == RETRY_WAIT || s == FAILED)))
/* P6: a prohibition buries neither a doubt that stands nor an acceptance on record. */
#define BURIES(s) ((s == SUPPRESSED || s == CANCELLED) && (d.doubted || d.accepted))
inline write(s) { assert(MOVES(s)); assert(!BURIES(s)); d.state = s }

/* P4: who may talk to the provider holds the row, and nobody else has moved it. */
inline the_lease_is_mine() { assert(!trust[me] || (d.state == LEASED && d.token == token && d.begun)) }
/* P6: the provider has it twice only where we say that it may. */
inline take() { taken++; assert(taken == 1 || d.doubts > 0); taken_by = token }

#include "statements.pml"

proctype worker(byte me) {
  byte token, verdict, said, wanted;
  bool seen_allowed;
end:
  do
  :: { /* -- claim: FOR UPDATE SKIP LOCKED */
#ifndef NO_claim_lock
    atomic { lock == 0 && DUE && !killed[me] -> lock = me + 1 };
#else
    atomic { DUE && !killed[me] -> skip };
    atomic { lock == 0 -> lock = me + 1 };
#endif
    if
    :: atomic { claim_row(); token = d.token; held_token[me] = token; unlock() }
    :: atomic { fault(); claim_row(); unlock(); token = 0 }  /* leased, and nobody knows */
    :: atomic { fault(); unlock(); token = 0 }
    fi;
    do
    :: token == 0 -> break
    :: token != 0 ->
      said = 0;
      /* -- permit: asked again when the answer was lost, or given back */
      do
      :: atomic { fault(); said = BACK; break }
      :: seen_allowed = allowed;
#ifdef NO_permit_lock
         atomic { judge_permit() };
         atomic { lock == 0 -> lock = me + 1 };
#else
         atomic { lock == 0 -> lock = me + 1; judge_permit() };
#endif
         if
         :: atomic {
              permit_row();
              unlock();
              if
              :: verdict == LEASED -> trust[me] = true; assert(!trust[1 - me]) /* I10: one at a time */
              :: else -> token = 0; held_token[me] = 0
              fi;
              break
            }
         :: atomic { fault(); permit_row(); unlock() }
         :: atomic { fault(); unlock() }
         fi
      od;
      if
      :: token == 0 -> break
      :: else
      fi;
      /* -- send */
      if
      :: said == BACK
      :: else ->
         if
#ifndef NO_trust
         :: atomic { !trust[me] -> said = BACK }
         :: atomic { trust[me] ->
#else
         :: atomic { true ->
#endif
              assert(!acknowledged || listed == IN_FLIGHT || listed == DOUBTED) /* P5 */
            };
            /* -- the provider; the worker may sleep before it, and wake as a zombie */
            if
            :: atomic { the_lease_is_mine(); take(); said = TAKEN }
            :: atomic { fault(); the_lease_is_mine(); take(); said = UNKNOWN }
            :: atomic { the_lease_is_mine(); said = NOT_NOW }
            :: atomic { the_lease_is_mine(); said = REFUSED }
            :: atomic { fault(); said = UNKNOWN }
            fi;
            trust[me] = false
         fi
      fi;
      /* -- settle: again until it is answered */
      do
      :: atomic { lock == 0 -> lock = me + 1 };
         if
         :: atomic {
              plan();
              settle_row();
              unlock();
              assert(said != TAKEN || d.accepted); /* P4: an acceptance that was told is on record */
              break
            }
         :: atomic { fault(); plan(); settle_row(); unlock() }
         :: atomic { fault(); unlock() }
         fi
      od;
      break
    od
  } unless { killed[me] };
  atomic {
    if
    :: lock == me + 1 -> unlock()
    :: else
    fi;
    killed[me] = false; held_token[me] = 0; trust[me] = false;
    token = 0; said = 0; verdict = 0; wanted = 0; seen_allowed = false
  }
  od
}

proctype reaper() {
  bool begun;
  byte after;
end:
  do
#ifndef NO_reap_due
  :: atomic { lock == 0 && d.state == LEASED && d.ran_out -> lock = 3 };
#else
  :: atomic { lock == 0 && d.state == LEASED -> lock = 3 };
#endif
     if
     :: atomic {
          reap_row();
          unlock();
          begun = false; after = 0
        }
     :: atomic { fault(); unlock() }
     fi
  od
}

/* Renewals as far as they matter: whom they reach, the lease of that one does not run out, unless it sleeps (a fault). */
#ifndef NO_renew_list
#define RENEWED(w) (held_token[w] != 0 && held_token[w] == d.token)
#else
#define RENEWED(w) (d.owner == w + 1)
#endif

proctype world() {
end:
  do
  :: atomic {
       d.state == LEASED && !d.ran_out && (faults < FAULTS || (!RENEWED(0) && !RENEWED(1))) ->
       faults = faults + (RENEWED(0) || RENEWED(1));
       d.ran_out = true; trust[0] = false; trust[1] = false
     }
  :: atomic { !killed[0] && (held_token[0] != 0 || lock == 1) && faults < FAULTS -> faults++; killed[0] = true }
  :: atomic { !killed[1] && (held_token[1] != 0 || lock == 2) && faults < FAULTS -> faults++; killed[1] = true }
  :: timeout -> /* nothing can happen any more: P3, I4, I5, I6, P7 */
       assert(d.state != NONE);
       assert(FINAL(d.state) || (d.state == IN_DOUBT && d.held && !d.accepted));
       assert(d.state != ACCEPTED || taken > 0);
       assert(taken == 0 || d.state == ACCEPTED || d.doubts > 0);
       assert(d.attempts == permits && d.attempts <= ATTEMPTS_MAX && d.lost <= LOST_MAX);
       break
  od
}

proctype accept() {
  bool seen_allowed = allowed;
  atomic { d.state = (seen_allowed -> PENDING : SUPPRESSED) }
}

#ifdef NO_stop_reread
#define READ_AGAIN skip
#else
#define READ_AGAIN was = d.state; was_begun = d.begun
#endif

proctype canceller() {
  byte was;
  bool was_begun, seen;
  atomic { d.state != NONE -> was = d.state; was_begun = d.begun; seen = true };
#ifdef NO_stop_all_states
  seen = (was == PENDING || was == RETRY_WAIT);
#endif
  atomic { !seen || lock == 0 -> lock = (seen -> 4 : lock) };
  atomic {
    if
    :: seen ->
       READ_AGAIN;
#ifdef NO_stop_all_states
       if
       :: was == PENDING || was == RETRY_WAIT -> stop_row(CANCEL)
       :: else /* read again, it no longer qualifies */
       fi;
#else
       stop_row(CANCEL);
#endif
       unlock()
    :: else
    fi;
    acknowledged = true
  }
}

inline change_mind() { allowed = false }

proctype opting_out() {
  byte was;
  bool was_begun, seen;
#ifndef NO_preference_first
  change_mind();
#endif
  atomic { was = d.state; was_begun = d.begun; seen = (was != NONE && !FINAL(was)) };
  if
  :: !seen
  :: seen ->
     atomic { lock == 0 -> lock = 4 };
     atomic { READ_AGAIN; stop_row(OPT_OUT); unlock() }
  fi;
#ifdef NO_preference_first
  change_mind();
#endif
  acknowledged = true
}

init {
  atomic {
    run accept();
    run worker(0);
    run worker(1);
    run reaper();
    run world();
    if
    :: run canceller()
    :: run opting_out()
    :: skip
    fi
  }
}
