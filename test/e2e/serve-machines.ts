// The real server with the built page over made-up machines: what the pages show of hardware that is not here.

import { fileURLToPath } from 'node:url';
import { systemClock } from '../../src/clock/system-clock.ts';
import type { Event } from '../../src/core/event.ts';
import { eventClass, type Fact, factKey } from '../../src/core/event-kinds.ts';
import { type NodeId, nodeId } from '../../src/core/ids.ts';
import { Cluster } from '../../src/daemon/cluster.ts';
import { Access } from '../../src/daemon/http/access.ts';
import { HTTP_LIMITS, type HttpLimits, type HttpServerOptions } from '../../src/daemon/http/http-options.ts';
import { createHttpServer } from '../../src/daemon/http/http-server.ts';
import type { Journal } from '../../src/journal/journal.ts';
import type { Notice } from '../../src/wire/notice.ts';
import type { InTurnOptions, Machine } from './machines.ts';

export interface ServedMachines extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly access: Access;
  /** For programs. */
  readonly token: string;
  idOf(machine: Machine): NodeId;
  report(machine: Machine, reporting: InTurnOptions): void;
  reportNodeFacts(machine: Machine, ...facts: readonly Fact[]): void;
  /** Connections and profiles, each reported by its machine. */
  reportAll(reported: readonly { readonly machine: Machine; readonly facts: readonly Fact[] }[]): void;
  close(): Promise<void>;
}

interface ServeOptions {
  readonly machines: readonly Machine[];
  readonly host?: string;
  /** 0 or none: any free one. */
  readonly port?: number;
  readonly limits?: Partial<HttpLimits>;
  readonly notices?: readonly Notice[];
  /** The built page; without one, that of the build. */
  readonly dashboardDir?: string;
  /** What was measured before: measuredPast of measured-past.ts. */
  readonly past?: Pick<Journal, 'history'>;
  readonly joining?: HttpServerOptions['joining'];
}

export const serveMachines = async ({
  machines,
  host = '127.0.0.1',
  port: requestedPort = 0,
  limits = {},
  notices = [],
  dashboardDir = fileURLToPath(new URL('../../dist/dashboard', import.meta.url)),
  past,
  joining,
}: ServeOptions): Promise<ServedMachines> => {
  const clock = systemClock;
  const cluster = new Cluster();
  const access = new Access({ clock, token: TOKEN, hostNames: [] });
  const seqs = new Map<string, number>();
  const idOf = ({ seed }: Machine): NodeId => nodeId(seed.padEnd(26, 'x'));
  const numbered = (origin: NodeId, fact: Fact, ageMs: number): Event => {
    const kindClass = eventClass(fact.kind);
    const seq = (seqs.get(origin + kindClass) ?? 0) + 1;
    seqs.set(origin + kindClass, seq);
    return {
      origin,
      epoch: 1,
      class: kindClass,
      seq,
      key: factKey(fact),
      ageMs,
      receivedAtMs: clock.nowMs(),
      ...fact,
    };
  };
  const reportNodeFacts = (machine: Machine, facts: readonly Fact[], ageMs = 0): void =>
    cluster.dispatch(facts.map(fact => numbered(idOf(machine), fact, ageMs)));
  for (const machine of machines)
    reportPast(machine, (facts, ageMs) => reportNodeFacts(machine, facts, ageMs));
  const [first] = machines;
  if (first === undefined) throw new RangeError('at least one machine');
  const server = createHttpServer({
    nodeId: idOf(first),
    version: '0.1.0',
    clock,
    cluster: {
      get state() {
        return cluster.state;
      },
      subscribe: listener => cluster.subscribe(listener),
      history: cluster.history,
      profileHistory: query => past?.history(query) ?? [],
    },
    dashboardDir,
    access,
    limits: { ...HTTP_LIMITS, ...limits },
    notices: () => notices,
    resources: () => ({ cpuSeconds: 0, residentBytes: 0 }),
    home: undefined,
    ...(joining === undefined ? {} : { joining }),
  });
  const { port } = await server.listen({ host, port: requestedPort, isExplicitPort: true });
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    access,
    token: TOKEN,
    idOf,
    report: (machine, reporting) => reportNodeFacts(machine, machine.live(reporting)),
    reportNodeFacts: (machine, ...facts) => reportNodeFacts(machine, facts),
    reportAll: reported => {
      for (const { machine, facts } of reported) reportNodeFacts(machine, facts);
    },
    close: () => server.close(),
    [Symbol.asyncDispose]: () => server.close(),
  };
};

const TOKEN = 'made-up-token-0123456789-abcdefghijk';

/** A quarter of an hour that has been: a rise after some minutes, and a little unrest. */
const reportPast = (machine: Machine, report: (facts: readonly Fact[], ageMs: number) => void): void => {
  report(machine.durable, 0);
  for (let second = 900; second >= 0; second -= 1) {
    const rise = 1 / (1 + Math.exp((second - 600) / 30));
    const unrest = 0.02 * Math.sin(second / 7) + 0.015 * Math.sin(second / 2.3);
    report(
      machine.live({
        memory: 0.1 + 0.72 * rise,
        use: Math.max(0, 0.05 + 0.63 * rise + unrest),
        cpu: 0.06 + unrest / 2 + 0.05 * rise,
      }),
      second * 1_000,
    );
  }
};
