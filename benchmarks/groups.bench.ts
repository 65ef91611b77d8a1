// What the views of groups cost in a fleet of 1,000 simulated nodes with ten thousand links: one request for the
// nodes, the groups, their links and the warnings, a second after the last one, when every node has published its
// readings again.

import { groupPairs } from '../src/core/group/group-pairs.ts';
import { groupCells, groupSummary, groupViews, nodePlaces } from '../src/core/group/group-view.ts';
import { LinkWatch } from '../src/core/link/link-view.ts';
import { nodeView } from '../src/core/node/node-view.ts';
import { nodeIds } from '../src/core/node/presence-view.ts';
import { everyWarning } from '../src/core/warnings/cluster-warnings.ts';
import { chosenPeers } from '../src/probe/schedule/measured-peers.ts';
import { median, printRow, spread } from './bench-row.ts';
import { SimulatedFleet } from './simulated-fleet.ts';

const NODES = Number(process.env['PLIMSOLL_BENCH_NODES'] ?? 1_000);
const ROUNDS = 15;
const BY = { kind: 'rack' } as const;

const fleet = new SimulatedFleet(NODES);
for (let second = 0; second < 3; second += 1) await fleet.second();

const watch = new LinkWatch();
const spent = new Map<string, number[]>();
const timed = <T>(what: string, work: () => T): T => {
  const before = process.cpuUsage();
  const made = work();
  const { user, system } = process.cpuUsage(before);
  const took = (user + system) / 1_000;
  const existing = spent.get(what);
  if (existing === undefined) spent.set(what, [took]);
  else existing.push(took);
  return made;
};

const look = () => {
  const { state, clock } = fleet;
  const nowMs = clock.nowMs();
  const views = timed('views of all nodes', () => nodeIds(state).map(id => nodeView(state, id, nowMs)));
  const links = timed('links, of which few have changed', () => watch.read(state, nowMs));
  const warnings = timed('warnings', () => everyWarning({ state, views, nowMs, links }));
  const places = timed('places', () => nodePlaces(views));
  const groups = timed('groups by rack', () => groupViews({ state, views, warnings, nowMs, places }, BY));
  const pairs = timed('matrix by rack', () => groupPairs(groups, links, views.length));
  return { views, links, groups, pairs };
};

look();
spent.clear();
const bytes = () => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};
const beforeBytes = bytes();
let last = look();
const bufferedBytes = bytes() - beforeBytes;
for (let round = 0; round < ROUNDS; round += 1) {
  await fleet.second();
  last = look();
}
const size = `${NODES} nodes, ${last.links.length} links`;
for (const [what, took] of spent) {
  const runs = took.slice(1);
  printRow({
    what: `${what}, ${size}`,
    figure: median(runs),
    unit: 'ms',
    reach: { kind: 'none' },
    method: spread(runs, 1),
  });
}
const whole = Array.from({ length: ROUNDS }, (_, round) =>
  [...spent.values()].reduce((sum, took) => sum + (took[round + 1] ?? 0), 0),
);
printRow({
  what: `one look at all of it, ${size}`,
  figure: median(whole),
  unit: 'ms',
  reach: { kind: 'none' },
  method: `${spread(whole, 1)}; ${last.groups.length} groups, ${last.pairs.length} pairs of them`,
});
printRow({
  what: `what a look holds, ${size}`,
  figure: bufferedBytes / 1e6,
  unit: 'MB',
  reach: { kind: 'none' },
  method: 'growth of the heap by views, links, warnings, groups and pairs, after a collection',
});
printRow({
  what: `summaries of ${last.groups.length} groups as JSON; cells of the largest`,
  figure: JSON.stringify(last.groups.map(groupSummary)).length / 1e3,
  unit: 'kB',
  reach: { kind: 'none' },
  method: `cells ${Math.max(...last.groups.map(group => JSON.stringify(groupCells(group)).length))} bytes`,
});

const members = last.views.map(({ nodeId }, index) => ({
  nodeId,
  site: 'greenwich',
  rack: `r${index % 25}`,
  isPresent: true,
}));
const choices: number[] = [];
const peers: number[] = [];
for (const { nodeId: self } of members.slice(0, 200)) {
  const startedMs = performance.now();
  peers.push(chosenPeers({ self, members, used: [], wallMs: 1.8e12 }).size);
  choices.push(performance.now() - startedMs);
}
printRow({
  what: `choice of the peers to measure, ${NODES} nodes in 25 racks`,
  figure: median(choices),
  unit: 'ms',
  reach: { kind: 'none' },
  method: `${spread(choices, 2)}; ${Math.min(...peers)} to ${Math.max(...peers)} peers, once a minute at most`,
});
await fleet.end();
