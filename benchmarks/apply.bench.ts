// How fast state takes events at 64 nodes that all know each other, and whether that depends on how many came before.

import { applyAll } from '../src/core/apply.ts';
import type { Event } from '../src/core/event.ts';
import { EMPTY_STATE, type State } from '../src/core/state.ts';
import { median, printRow, spread } from './bench-row.ts';
import { ClusterEvents } from './cluster-events.ts';

const NODES = 64;
const SLICE_EVENTS = 20_000;
const ROUNDS = 25;
const OLD_EVENTS = 1_000_000;

/** A cluster with the state that its events have made so far. */
class Folded {
  readonly cluster = new ClusterEvents(NODES);
  #state: State = applyAll(EMPTY_STATE, this.cluster.first());

  /** Events a second. */
  apply(events: readonly Event[]): number {
    const startedMs = performance.now();
    this.#state = applyAll(this.#state, events);
    return (events.length / (performance.now() - startedMs)) * 1_000;
  }
}

const old = new Folded();
for (let count = 0; count < OLD_EVENTS; count += SLICE_EVENTS) old.apply(old.cluster.mixed(SLICE_EVENTS));

const rates: Record<'mixed' | 'young' | 'profiles', number[]> = { mixed: [], young: [], profiles: [] };
for (let round = 0; round < ROUNDS; round += 1) {
  const young = new Folded();
  rates.young.push(young.apply(young.cluster.mixed(SLICE_EVENTS)));
  rates.mixed.push(old.apply(old.cluster.mixed(SLICE_EVENTS)));
  rates.profiles.push(old.apply(old.cluster.linkProfiles(SLICE_EVENTS)));
}

printRow({
  what: `apply, ${NODES} nodes, events as a running mesh sends them`,
  figure: median(rates.mixed),
  unit: 'events/s',
  reach: { kind: 'at-least', value: 200_000 },
  method: `${spread(rates.mixed, 0)}, ${SLICE_EVENTS} events each`,
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
  what: `apply, rate after ${OLD_EVENTS.toLocaleString('en-US')} events against the rate at first`,
  figure: median(rates.mixed) / median(rates.young),
  unit: 'times',
  reach: { kind: 'at-least', value: 0.9 },
  method: `medians of ${ROUNDS} runs each, interleaved`,
});
