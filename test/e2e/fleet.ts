// Clusters of made-up machines for the map: the four of the desk, and as many more as a test needs.

import type { Fact } from '../../src/core/event-kinds.ts';
import { ETHERNET, idOf, measuredGpu, THUNDERBOLT, turned, WIFI, type Wire, wired } from './links.ts';
import { type Machine, notebook, rack, spark, studio } from './machines.ts';

export interface Fleet {
  readonly machines: readonly Machine[];
  /** Facts of connections and profiles, each with the machine that reports them. */
  readonly reported: readonly { readonly machine: Machine; readonly facts: readonly Fact[] }[];
}

export const renamed = (machine: Machine, name: string): Machine => ({
  ...machine,
  seed: name.replaceAll('-', '0'),
  durable: machine.durable.map(fact =>
    fact.kind === 'identity.gathered'
      ? {
          ...fact,
          payload: { ...fact.payload, value: { ...fact.payload.value, friendlyName: name } },
        }
      : fact,
  ),
});

/** Reports a wire from both of its ends. */
export const joined = (a: Machine, b: Machine, wire: Wire): Fleet['reported'] => [
  { machine: a, facts: wired(idOf(b), wire) },
  { machine: b, facts: wired(idOf(a), { ...turned(wire), address: `${wire.address ?? '192.0.2.1'}0` }) },
];

/** Mac Studio, MacBook, DGX Spark and a server with two cards: RDMA, Ethernet and Wi-Fi. */
export const service = (): Fleet => ({
  machines: [studio, notebook, spark, rack],
  reported: [
    ...joined(studio, notebook, THUNDERBOLT),
    ...joined(studio, notebook, {
      ...THUNDERBOLT_TCP,
      up: 38.2e9,
      down: 37.9e9,
      roundTripNs: 192e3,
      address: '169.254.81.7%en3',
    }),
    ...joined(studio, rack, ETHERNET),
    ...joined(notebook, rack, WIFI),
    ...joined(notebook, spark, {
      ...WIFI,
      negotiatedBitsPerSecond: 2.4e9,
      up: 1.18e9,
      down: 0.94e9,
      roundTripNs: 3.1e6,
      jitterNs: 0.8e6,
    }),
    ...joined(spark, rack, { ...ETHERNET, up: 9.4e9, down: 9.41e9, roundTripNs: 176_000 }),
    ...joined(studio, spark, { ...ETHERNET, up: 9.39e9, down: 9.41e9, roundTripNs: 198_000 }),
    ...measuredSmall,
  ],
});

const measuredSmall: Fleet['reported'] = [
  { machine: studio, facts: [measuredGpu('apple-0', 23.6e12, 661e9)] },
  { machine: notebook, facts: [measuredGpu('apple-0', 15.2e12, 468e9)] },
  { machine: spark, facts: [measuredGpu('GPU-00000010', 96.4e12, 236e9)] },
  {
    machine: rack,
    facts: [measuredGpu('GPU-00000000', 165e12, 921e9), measuredGpu('GPU-00000001', 165e12, 921e9)],
  },
];

/** So many machines in groups of four of a kind, each joined to each by Ethernet, and within a group by RDMA. */
export const mesh = (count: number): Fleet => {
  const machines = Array.from({ length: count }, (_, index) => {
    const template = TEMPLATES[Math.floor(index / 4) % TEMPLATES.length] ?? studio;
    const [kind, names] = NAMES[Math.floor(index / 4) % NAMES.length] ?? ['node', []];
    return renamed(template, index < 16 ? (names[index % 4] ?? kind) : `${kind}-${index}`);
  });
  const reported = machines.flatMap((a, first) =>
    machines.slice(first + 1).flatMap((b, offset) => {
      const second = first + 1 + offset;
      const tremble = 1 + 0.004 * Math.sin(first * 7 + second * 3);
      const isRow = Math.floor(first / 4) === Math.floor(second / 4);
      return isRow
        ? joined(a, b, { ...THUNDERBOLT, up: 74.6e9 * tremble, down: 74.7e9 })
        : joined(a, b, { ...ETHERNET, up: 9.39e9 * tremble, down: 9.4e9 });
    }),
  );
  return {
    machines,
    reported: [
      ...reported,
      ...machines.map((machine, index) => ({
        machine,
        facts: MEASURED[Math.floor(index / 4) % MEASURED.length] ?? [],
      })),
    ],
  };
};

const { rdma: _none, ...THUNDERBOLT_TCP } = THUNDERBOLT;

const TEMPLATES: readonly Machine[] = [studio, notebook, spark, rack];
const MEASURED: readonly (readonly Fact[])[] = [
  [measuredGpu('apple-0', 23.6e12, 661e9)],
  [measuredGpu('apple-0', 15.2e12, 468e9)],
  [measuredGpu('GPU-00000010', 96.4e12, 236e9)],
  [measuredGpu('GPU-00000000', 165e12, 921e9), measuredGpu('GPU-00000001', 165e12, 921e9)],
];
const NAMES: readonly (readonly [string, readonly string[]])[] = [
  ['studio', ['atlas', 'hermes', 'selene', 'theia']],
  ['book', ['juno', 'pallas', 'vesta', 'ceres']],
  ['spark', ['spark-1', 'spark-2', 'spark-3', 'spark-4']],
  ['rack', ['bosun', 'anchor', 'rudder', 'keel']],
];
