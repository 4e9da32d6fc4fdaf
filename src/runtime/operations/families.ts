/** What a process that serves teams counts; every value that a label may have stands here. */

import type { Family } from '../../shared/meters.js';

const TURN_OUTCOMES = ['finished', 'parked', 'no_progress', 'limit', 'cancelled', 'failed', 'other'];
const BRIEF_STEPS = ['sent', 'accepted', 'delivered', 'completed', 'failed', 'lost', 'cancelled', 'other'];

/** In seconds: a record on the same machine, in the same room, elsewhere, in trouble. */
const APPEND_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** In the order in which they are shown. */
export const FAMILIES: readonly Family[] = [
  counter('bnerd_turns_started_total', 'Turns that this process has begun.'),
  labelled('bnerd_turns_ended_total', 'Turns that this process has ended.', 'outcome', TURN_OUTCOMES),
  counter('bnerd_turns_lost_total', 'Turns of processes that were gone, as this process has recorded it.'),
  gauge('bnerd_turns_running', 'Turns that run here now.'),
  gauge('bnerd_briefs_running', 'Briefs that an engineer works on here now.'),
  labelled(
    'bnerd_jobs_total',
    'Jobs that this process has taken from its queues, by what became of them.',
    'end',
    [...['done', 'given_back', 'failed']],
  ),
  counter('bnerd_appends_total', 'Entries that this process has added to records.'),
  counter('bnerd_append_facts_total', 'Facts in them.'),
  counter(
    'bnerd_append_conflicts_total',
    'Entries that another process was faster than; they are decided again.',
  ),
  {
    name: 'bnerd_append_seconds',
    help: 'From the asking to the answer of an append.',
    kind: 'histogram',
    buckets: APPEND_BUCKETS,
  },
  labelled('bnerd_briefs_total', 'Briefs, as this process has recorded them.', 'step', BRIEF_STEPS),
  counter('bnerd_redis_outages_total', 'How often the connection to Redis was lost.'),
  gauge('bnerd_queue_silence_seconds', 'Since the queue last answered.'),
  gauge('bnerd_look_silence_seconds', 'Since this process last looked for teams that are due.'),
  gauge(
    'bnerd_coordination_silence_seconds',
    'Since this process last looked after the run that it coordinates.',
  ),
  gauge('bnerd_run_turns_due', 'Turns of the run that this process coordinates that are due and not begun.'),
  gauge(
    'bnerd_run_requests_open',
    'Requests of the run that this process coordinates that wait for an answer.',
  ),
];

function counter(name: string, help: string): Family {
  return { name, help, kind: 'counter' };
}

function gauge(name: string, help: string): Family {
  return { name, help, kind: 'gauge' };
}

function labelled(name: string, help: string, label: string, values: readonly string[]): Family {
  return { name, help, kind: 'counter', label: { name: label, values } };
}
