// How fast state takes events at 64 nodes that all know each other, and whether that depends on how many came before.

import { applyAll } from '../src/core/apply.ts';
import type { Event } from '../src/core/event.ts';
import type { State } from '../src/core/state.ts';
import { EMPTY_STATE } from '../src/core/state.ts';
import { median, printRow, spread } from './bench-row.ts';
import { ClusterEvents } from './cluster-events.ts';

const NODES = 64;
const SLICE_EVENTS = 50_000;
const ROUNDS = 20;
/** Of the rounds, how many at either end are compared. */
const END_ROUNDS = 5;

const rates = { mixed: [] as number[], profiles: [] as number[] };
const cluster = new ClusterEvents(NODES);
let state: State = applyAll(EMPTY_STATE, cluster.first());

const timed = (events: readonly Event[]): number => {
  const startedMs = performance.now();
  state = applyAll(state, events);
  return (events.length / (performance.now() - startedMs)) * 1_000;
};

timed(cluster.mixed(SLICE_EVENTS));
timed(cluster.linkProfiles(SLICE_EVENTS));
for (let round = 0; round < ROUNDS; round += 1) {
  rates.mixed.push(timed(cluster.mixed(SLICE_EVENTS)));
  rates.profiles.push(timed(cluster.linkProfiles(SLICE_EVENTS)));
}

printRow({
  what: `apply, ${NODES} nodes, events as a running mesh sends them`,
  figure: median(rates.mixed),
  unit: 'events/s',
  reach: { kind: 'at-least', value: 200_000 },
  method: spread(rates.mixed, 0),
});
// The costliest kind: three maps of 64 entries are copied for each. A mesh of 64 nodes sends 27 a second.
printRow({
  what: `apply, ${NODES} nodes, link profiles alone`,
  figure: median(rates.profiles),
  unit: 'events/s',
  reach: { kind: 'none' },
  method: spread(rates.profiles, 0),
});
printRow({
  what: 'apply, rate after 2 million events against the rate at first',
  figure: median(rates.mixed.slice(-END_ROUNDS)) / median(rates.mixed.slice(0, END_ROUNDS)),
  unit: 'times',
  reach: { kind: 'at-least', value: 0.9 },
  method: `medians of ${END_ROUNDS} slices of ${SLICE_EVENTS} events at either end`,
});
