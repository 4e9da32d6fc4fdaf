// Numbers for operators, in the text format 0.0.4 of Prometheus.
import { expect, test } from 'vitest';
import { Meters } from '../../src/shared/meters.js';

const metersOf = () =>
  new Meters([
    { name: 'turns_total', help: 'Turns.', kind: 'counter' },
    {
      name: 'ends_total',
      help: 'Ends.',
      kind: 'counter',
      label: { name: 'outcome', values: ['done', 'failed', 'other'] },
    },
    { name: 'running', help: 'Now.', kind: 'gauge' },
    { name: 'append_seconds', help: 'Appends.', kind: 'histogram', buckets: [0.1, 1] },
  ]);

test('families with their help and type; what has not happened yet is 0; a gauge is asked when somebody looks', () => {
  const meters = metersOf();
  let running = 1;
  meters.ask('running', () => running);
  running = 2;
  meters.add('turns_total');
  meters.add('turns_total', '', 2);
  meters.add('ends_total', 'done');
  for (const seconds of [0.05, 0.5, 5]) meters.measure('append_seconds', seconds);
  expect(meters.text()).toBe(`# HELP turns_total Turns.
# TYPE turns_total counter
turns_total 3
# HELP ends_total Ends.
# TYPE ends_total counter
ends_total{outcome="done"} 1
ends_total{outcome="failed"} 0
ends_total{outcome="other"} 0
# HELP running Now.
# TYPE running gauge
running 2
# HELP append_seconds Appends.
# TYPE append_seconds histogram
append_seconds_bucket{le="0.1"} 1
append_seconds_bucket{le="1"} 2
append_seconds_bucket{le="+Inf"} 3
append_seconds_sum 5.55
append_seconds_count 3
`);
});

test('a value of a label that was not declared counts as other, and an unknown family as nothing: nothing grows', () => {
  const meters = metersOf();
  const lines = meters.text().split('\n').length;
  for (let n = 0; n < 1_000; n++) meters.add('ends_total', `team-${n}`);
  meters.add('nothing_total');
  expect(meters.text()).toContain('ends_total{outcome="other"} 1000');
  expect(meters.text().split('\n')).toHaveLength(lines);
});
