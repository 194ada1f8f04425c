/* What each statement does with the row it holds; included by delivery.pml. */

#define DUE (WAITS(d.state) && !d.held && CLAIMABLE)
#ifndef NO_claim_stop
#define CLAIMABLE (d.stop == 0)
#else
#define CLAIMABLE true
#endif

inline claim_row() {
  assert(d.state != IN_DOUBT || d.doubts <= RESENDS_MAX); /* P6: not out of doubt for ever */
  assert(d.lost < LOST_MAX);                              /* P3: nor by workers that die */
  write(LEASED);
  d.token++;
  d.owner = me + 1;
  d.begun = false;
  d.ran_out = false
}

#ifndef NO_permit_token
#define PERMIT_OURS (d.state == LEASED && d.token == token)
#else
#define PERMIT_OURS (d.state == LEASED)
#endif

/* A lease that ran out may still be judged alive: the clause was read before the wait for the row. */
inline judge_permit() {
  if
  :: !PERMIT_OURS || d.ran_out -> verdict = NONE
  :: PERMIT_OURS ->
     if
#ifndef NO_permit_evidence
     :: d.accepted -> verdict = ACCEPTED
#endif
     :: else ->
        if
        :: d.begun -> verdict = LEASED
#ifndef NO_permit_stop
        :: !d.begun && d.stop == OPT_OUT -> verdict = SUPPRESSED
        :: !d.begun && d.stop == CANCEL -> verdict = CANCELLED
#endif
        :: else ->
           if
#ifndef NO_permit_consent
           :: !seen_allowed -> verdict = SUPPRESSED
#endif
           :: else -> verdict = LEASED
           fi
        fi
     fi;
     if
     :: d.doubted && verdict != LEASED && verdict != ACCEPTED -> verdict = IN_DOUBT
     :: else
     fi
  fi
}

inline permit_row() {
  if
  :: verdict == NONE
  :: verdict == LEASED ->
     if
#ifndef NO_count_once
     :: d.begun
#endif
     :: else ->
        d.attempts++
     fi;
     if
     :: d.begun
     :: !d.begun ->
        assert(!acknowledged);       /* P5: no attempt begins after an acknowledged stop */
        assert(!d.accepted);         /* a message known to be accepted is not sent again */
        permits++
     fi;
     d.begun = true;
     d.ran_out = false
  :: verdict != NONE && verdict != LEASED ->
     write(verdict);
     d.held = (verdict == IN_DOUBT);
     lease_ends()
  fi
}

#ifndef NO_settle_token
#define SETTLE_OURS (d.token == token && d.state == LEASED)
#else
#define SETTLE_OURS (d.state == LEASED)
#endif

#ifndef NO_late_refusal_token
#define IS_NEWEST (d.tried == token && d.trail == UNKNOWN)
#else
#define IS_NEWEST true
#endif
#ifndef NO_late_refusal_stop
#define NOT_STOPPED (d.stop == 0)
#else
#define NOT_STOPPED true
#endif

/* model/plan.hpp */
inline plan() {
  if
  :: said == TAKEN -> wanted = ACCEPTED
  :: said == REFUSED -> wanted = FAILED
  :: said == NOT_NOW && d.attempts >= ATTEMPTS_MAX -> wanted = FAILED
  :: said == NOT_NOW && d.attempts < ATTEMPTS_MAX -> wanted = RETRY_WAIT
  :: said == BACK -> wanted = PENDING
  :: said == UNKNOWN -> wanted = IN_DOUBT
  fi
}

inline becomes() {
  if
  :: wanted == ACCEPTED || d.accepted -> wanted = ACCEPTED
  :: else ->
     if
     :: d.doubted && said == BACK -> wanted = IN_DOUBT
#ifndef NO_settle_doubt
     :: d.doubted && said != BACK && d.stop != 0 && wanted == RETRY_WAIT -> wanted = IN_DOUBT
#endif
     :: else ->
        if
#ifndef NO_settle_stop
        :: d.stop == OPT_OUT && (wanted == RETRY_WAIT || wanted == PENDING) -> wanted = SUPPRESSED
        :: d.stop == CANCEL && (wanted == RETRY_WAIT || wanted == PENDING) -> wanted = CANCELLED
#endif
        :: else
        fi
     fi
  fi
}

inline settle_row() {
  if
  :: SETTLE_OURS ->
     becomes();
     if
#ifndef NO_give_back_once
     :: said == BACK && d.begun -> d.attempts--; permits--
     :: else
#else
     :: said == BACK -> d.attempts--; permits = permits - d.begun
     :: else
#endif
     fi;
     if
     :: said != BACK -> d.lost = 0; d.tried = token; d.trail = said
     :: else
     fi;
     if
     :: wanted == IN_DOUBT ->
        d.held = d.stop != 0 || (said == UNKNOWN && !(d.doubts < RESENDS_MAX && d.attempts < ATTEMPTS_MAX));
#ifndef NO_settle_memory
        d.doubts = d.doubts + (said == UNKNOWN);
#endif
        d.doubted = true
     :: else -> d.held = false
     fi;
     d.accepted = d.accepted || said == TAKEN;
     write(wanted);
     lease_ends()
  :: else ->
     if
     :: d.token == token && (said == BACK -> d.state == wanted : d.tried == token && said == d.trail)
        /* ours, by an earlier run whose answer was lost */
     :: else ->
        becomes();
        if
#ifndef NO_late_acceptance
        :: said == TAKEN ->
           d.accepted = true;
           if
           :: d.state == IN_DOUBT -> write(ACCEPTED)
           :: else
           fi
#endif
        :: d.state == IN_DOUBT && (said == NOT_NOW || said == REFUSED) && IS_NEWEST && NOT_STOPPED ->
           assert(taken_by != d.tried); /* a message the provider has is not called refused */
           if
           :: d.doubts == 1 -> d.doubted = false
           :: else
           fi;
           d.held = false;
           d.trail = LATE;
           write(wanted)
        :: else
        fi
     fi
  fi
}

inline reap_row() {
  begun = d.begun;
  if
  :: d.accepted -> after = ACCEPTED
  :: else ->
     if
#ifndef NO_reap_doubt
     :: begun || d.doubted -> after = IN_DOUBT
#endif
     :: else ->
        if
        :: d.stop == OPT_OUT -> after = SUPPRESSED
        :: d.stop == CANCEL -> after = CANCELLED
#ifndef NO_reap_bound
        :: d.stop == 0 && d.lost + 1 >= LOST_MAX -> after = FAILED
#endif
        :: else -> after = PENDING
        fi
     fi
  fi;
  d.held = false;
  if
  :: after == IN_DOUBT ->
     if
#ifndef NO_reap_stop_hold
     :: d.stop != 0 -> d.held = true
#endif
     :: else ->
        if
        :: !begun && d.lost + 1 < LOST_MAX
#ifndef NO_resend_bound
        :: begun && d.doubts < RESENDS_MAX && d.attempts < ATTEMPTS_MAX
#else
        :: begun
#endif
        :: else -> d.held = true
        fi
     fi;
#ifndef NO_reap_memory
     d.doubts = d.doubts + begun;
#endif
     d.doubted = true
  :: else
  fi;
  d.lost = d.lost + !begun;
  d.trail = (begun -> UNKNOWN : d.trail);
  d.tried = (begun -> d.token : d.tried);
  write(after);
  lease_ends()
}

/* What a stop makes of the row it holds, and what it lists. */
inline stop_row(why) {
  if
  :: FINAL(d.state)
  :: !FINAL(d.state) ->
     d.stop = (d.stop -> d.stop : why);
     if
     :: was == LEASED && was_begun -> listed = IN_FLIGHT
     :: else ->
        if
#ifndef NO_stop_evidence
        :: d.accepted -> write(ACCEPTED); listed = SETTLED
#endif
        :: else ->
           if
#ifndef NO_stop_doubt
           :: d.doubted -> write(IN_DOUBT); d.held = true; listed = DOUBTED
#endif
           :: else -> write((why == OPT_OUT -> SUPPRESSED : CANCELLED)); listed = STOPPED
           fi
        fi;
        lease_ends()
     fi
  fi
}
