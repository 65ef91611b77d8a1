// The real server with the built page over a simulated cluster that advances only on request: each update is a second
// of every node's life and another figure for every link and every device, in one batch.

import { fileURLToPath } from 'node:url';
import { systemClock } from '../src/clock/system-clock.ts';
import type { Event } from '../src/core/event.ts';
import { eventClass, type Fact, factKey } from '../src/core/event-kinds.ts';
import type { NodeId } from '../src/core/ids.ts';
import type { State } from '../src/core/state.ts';
import { isKnown, type Reported } from '../src/core/unknown.ts';
import { Cluster } from '../src/daemon/cluster.ts';
import { Access } from '../src/daemon/http/access.ts';
import { HTTP_LIMITS } from '../src/daemon/http/http-options.ts';
import { createHttpServer } from '../src/daemon/http/http-server.ts';
import { scenarioOfSize, withoutFaults } from '../src/simulate/scenario/scenario-of-size.ts';
import { seededNodeKeys } from '../src/simulate/seeded-node-key.ts';
import { Simulation } from '../src/simulate/simulation.ts';
import { VirtualClock } from '../test/support/virtual-clock.ts';

const SEED = 1;

export class SimulatedPage implements AsyncDisposable {
  readonly nodeCount: number;
  readonly #cluster = new Cluster();
  readonly #clock = new VirtualClock();
  readonly #stop = new AbortController();
  readonly #ids: readonly NodeId[];
  readonly #running: Promise<void>;
  readonly #seqs = new Map<string, number>();
  #reported: { readonly node: NodeId; readonly fact: Fact; readonly ageMs: number }[] = [];
  #updates = 0;
  #url = '';
  #close: () => Promise<void> = () => Promise.resolve();

  private constructor(nodeCount: number, hasFaults: boolean) {
    this.nodeCount = nodeCount;
    this.#ids = seededNodeKeys(SEED, nodeCount).map(({ nodeId }) => nodeId);
    const simulation = new Simulation({
      // Without faults everybody is there: a node that sleeps has no label to change.
      scenario: hasFaults ? scenarioOfSize(nodeCount) : withoutFaults(scenarioOfSize(nodeCount)),
      nodeIds: this.#ids,
      seed: SEED,
      clock: this.#clock,
      plimsollVersion: '0.0.0-bench',
      report: (node, facts) => {
        for (const { fact, ageMs } of facts) this.#reported.push({ node, fact, ageMs });
      },
    });
    this.#running = simulation.run(this.#stop.signal);
  }

  static async open(nodeCount: number, { hasFaults = false } = {}): Promise<SimulatedPage> {
    const page = new SimulatedPage(nodeCount, hasFaults);
    await page.pass(0);
    await page.#serve();
    return page;
  }

  get url(): string {
    return this.#url;
  }

  get state(): State {
    return this.#cluster.state;
  }

  get linkCount(): number {
    const pairs = Object.entries(this.#cluster.state.connections).flatMap(([source, sinks]) =>
      Object.keys(sinks).map(sink => [source, sink].toSorted().join(' ')),
    );
    return new Set(pairs).size;
  }

  /** Advances the cluster by this time, in one batch. Returns the count of events. */
  async pass(durationMs: number): Promise<number> {
    await this.#clock.advance(durationMs);
    return this.#report([]);
  }

  /** A second of every node, and another figure everywhere. Returns the count of events. */
  async update(): Promise<number> {
    await this.#clock.advance(1_000);
    this.#updates += 1;
    return this.#report(this.#otherFigures());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#close();
  }

  #report(more: readonly { readonly node: NodeId; readonly fact: Fact; readonly ageMs: number }[]): number {
    const receivedAtMs = systemClock.nowMs();
    const events = [...this.#reported, ...more].map(({ node, fact, ageMs }): Event => {
      const kindClass = eventClass(fact.kind);
      const seq = (this.#seqs.get(node + kindClass) ?? 0) + 1;
      this.#seqs.set(node + kindClass, seq);
      const key = factKey(fact);
      return { origin: node, epoch: 1, class: kindClass, seq, key, ageMs, receivedAtMs, ...fact };
    });
    this.#reported = [];
    this.#cluster.dispatch(events);
    return events.length;
  }

  #otherFigures(): { readonly node: NodeId; readonly fact: Fact; readonly ageMs: number }[] {
    const { linkProfiles, nodeGpuProfiles } = this.#cluster.state;
    // Between 3 % less and 3 % more, another step each time: no text stays, and no link changes its kind or width by much.
    const factor = 1 + 0.03 * Math.sin(this.#updates * 2.4);
    const was = 1 + 0.03 * Math.sin((this.#updates - 1) * 2.4);
    const other = (value: Reported<number>): Reported<number> =>
      isKnown(value) ? (value * factor) / was : value;
    return this.#ids.flatMap(node => [
      ...Object.values(linkProfiles[node] ?? {})
        .flatMap(profiles => Object.values(profiles))
        .map(({ value }) => ({
          node,
          ageMs: 0,
          fact: {
            kind: 'link.profiled' as const,
            payload: {
              ...value,
              uploadBitsPerSecond: other(value.uploadBitsPerSecond),
              downloadBitsPerSecond: other(value.downloadBitsPerSecond),
              roundTripNsP50: other(value.roundTripNsP50),
            },
          },
        })),
      ...Object.values(nodeGpuProfiles[node] ?? {}).map(({ value }) => ({
        node,
        ageMs: 0,
        fact: {
          kind: 'gpu.profiled' as const,
          payload: {
            ...value,
            fp16FlopsPerSecond: other(value.fp16FlopsPerSecond),
            memoryReadBytesPerSecond: other(value.memoryReadBytesPerSecond),
          },
        },
      })),
    ]);
  }

  async #serve(): Promise<void> {
    const cluster = this.#cluster;
    const [first] = this.#ids;
    if (first === undefined) throw new RangeError('at least one node');
    const server = createHttpServer({
      nodeId: first,
      version: '0.0.0-bench',
      clock: systemClock,
      cluster: {
        get state() {
          return cluster.state;
        },
        subscribe: listener => cluster.subscribe(listener),
        history: cluster.history,
        profileHistory: () => [],
      },
      dashboardDir: fileURLToPath(new URL('../dist/dashboard', import.meta.url)),
      access: new Access({
        clock: systemClock,
        token: 'made-up-token-0123456789-abcdefghijk',
        hostNames: [],
      }),
      limits: HTTP_LIMITS,
      notices: () => [],
      resources: () => ({ cpuSeconds: 0, residentBytes: 0 }),
      home: undefined,
    });
    const { port } = await server.listen({ host: '127.0.0.1', port: 0, isExplicitPort: true });
    this.#url = `http://127.0.0.1:${port}`;
    this.#close = () => server.close();
  }
}
