import { expect, test } from 'vitest';
import type { LogLevel } from '../../../src/config/value-kinds.ts';
import { eventClass, type Fact, factKey } from '../../../src/core/event-kinds.ts';
import { connectionKey, type LossCode } from '../../../src/core/link/connection.ts';
import { Cluster } from '../../../src/daemon/cluster.ts';
import { ClusterLog } from '../../../src/daemon/log/cluster-log.ts';
import { DaemonLog } from '../../../src/daemon/log/daemon-log.ts';
import { connectionOf, ETHERNET, idOf, profiled, turned, type Wire, wired } from '../../e2e/links.ts';
import { type Machine, notebook, rack, studio } from '../../e2e/machines.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const AT_WORK = { memory: 0.5, use: 0.1, cpu: 0.1 };
const STUDIO = idOf(studio);
const NOTEBOOK = idOf(notebook);
const RACK = idOf(rack);

/** The log of the studio's daemon, in a cluster whose events the test provides. */
class Watched implements AsyncDisposable {
  readonly clock = new VirtualClock();
  readonly cluster = new Cluster();
  readonly lines: Readonly<Record<string, unknown>>[] = [];
  readonly up = new Set<Machine>();
  level: LogLevel = 'info';
  readonly #seqs = new Map<string, number>();
  readonly #stop = new AbortController();
  #work: Promise<void> = Promise.resolve();

  report(machine: Machine, facts: readonly Fact[]): void {
    this.cluster.dispatch(
      facts.map(fact => {
        const slot = idOf(machine) + eventClass(fact.kind);
        const seq = (this.#seqs.get(slot) ?? 0) + 1;
        this.#seqs.set(slot, seq);
        const receivedAtMs = this.clock.nowMs();
        const head = {
          origin: idOf(machine),
          epoch: 1,
          class: eventClass(fact.kind),
          seq,
          ageMs: 0,
          receivedAtMs,
        };
        return { ...head, key: factKey(fact), ...fact };
      }),
    );
  }

  /** Machines report their identity once, and live figures from then on. */
  add(...machines: readonly Machine[]): void {
    for (const machine of machines) {
      this.report(machine, machine.durable);
      this.up.add(machine);
    }
  }

  start(): void {
    const log = new DaemonLog({
      clock: this.clock,
      write: line => this.lines.push(JSON.parse(line)),
      settings: () => ({ level: this.level, format: 'json' }),
    });
    const { clock, cluster } = this;
    const watch = new ClusterLog({ nodeId: STUDIO, clock, state: () => cluster.state, log });
    this.#work = watch.run(this.#stop.signal);
  }

  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      for (const machine of this.up) this.report(machine, machine.live(AT_WORK));
      await this.clock.advance(1_000);
    }
  }

  /** Events with their subject, those of warnings left out. */
  get reported(): readonly string[] {
    return this.lines.flatMap(({ event, node, peer }) =>
      String(event).startsWith('warning') ? [] : [`${event} ${node ?? peer}`],
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#work;
  }
}

const nameOf = (machine: Machine, { cluster }: Watched): string =>
  cluster.state.nodeIdentities[idOf(machine)]?.value.friendlyName ?? 'unknown';

const linked = (watched: Watched): void => {
  watched.report(studio, wired(NOTEBOOK, ETHERNET));
  watched.report(notebook, wired(STUDIO, turned(ETHERNET)));
};

const lost = (sink: Machine, wire: Wire, code: LossCode = 'no-answer'): Fact => {
  const connection = connectionOf(idOf(sink), wire);
  const payload = { sink: idOf(sink), connectionKey: connectionKey(connection), connection, code };
  return { kind: 'connection.lost', payload: { ...payload, reason: 'no answer for 7 s', lostAgeMs: 0 } };
};

test('a node that appears, falls silent, returns and stops is one line each', async () => {
  await using watched = new Watched();
  watched.add(studio);
  watched.start();
  await watched.pass(10);
  watched.add(notebook);
  await watched.pass(20);
  const name = nameOf(notebook, watched);
  expect(watched.reported).toEqual([`node-joined ${name}`]);
  watched.up.delete(notebook);
  await watched.pass(120);
  expect(watched.reported.slice(1)).toEqual([`node-lost ${name}`]);
  watched.up.add(notebook);
  await watched.pass(20);
  expect(watched.reported.slice(2)).toEqual([`node-restored ${name}`]);
  watched.up.delete(notebook);
  const durable = watched.cluster.state.origins[NOTEBOOK];
  watched.report(notebook, [
    { kind: 'node.stopping', payload: { durableEpoch: durable?.epoch ?? 0, durableSeq: durable?.seq ?? 0 } },
  ]);
  await watched.pass(60);
  expect(watched.reported.slice(3)).toEqual([`node-stopped ${name}`]);
  expect(watched.lines.find(({ event }) => event === 'node-lost')).toMatchObject({
    level: 'warn',
    node_id: NOTEBOOK,
    up_s: expect.any(Number),
  });
});

test('nodes of the journal are no news at a start, and one that is forgotten is', async () => {
  await using watched = new Watched();
  watched.add(studio, notebook, rack);
  watched.up.delete(rack);
  watched.up.delete(notebook);
  await watched.pass(60);
  watched.start();
  await watched.pass(10);
  watched.up.add(notebook);
  await watched.pass(60);
  expect(watched.reported).toEqual([]);
  const name = nameOf(rack, watched);
  watched.cluster.drop(RACK);
  await watched.pass(10);
  expect(watched.reported).toEqual([`node-forgotten ${name}`]);
});

test('a link of this node that is lost and returns is one line each, and no warning also', async () => {
  await using watched = new Watched();
  watched.add(studio, notebook);
  watched.start();
  linked(watched);
  await watched.pass(90);
  expect(watched.reported).toEqual([]);
  watched.report(studio, [lost(notebook, ETHERNET)]);
  watched.report(notebook, [lost(studio, turned(ETHERNET))]);
  await watched.pass(30);
  const name = nameOf(notebook, watched);
  expect(watched.reported).toEqual([`link-lost ${name}`]);
  expect(watched.lines.find(({ event }) => event === 'link-lost')).toMatchObject({
    level: 'error',
    peer_id: NOTEBOOK,
    type: 'ethernet',
    interface: expect.any(String),
    to: expect.any(String),
    reason: expect.any(String),
  });
  expect(watched.lines.filter(({ id }) => String(id).startsWith('link lost'))).toEqual([]);
  linked(watched);
  await watched.pass(30);
  expect(watched.reported).toEqual([`link-lost ${name}`, `link-restored ${name}`]);
  expect(watched.lines.find(({ event }) => event === 'link-restored')).toMatchObject({ away_s: 35 });
});

test('a link whose node went is not lost, and one that was lost before the start is no news', async () => {
  await using watched = new Watched();
  watched.add(studio, notebook);
  linked(watched);
  watched.report(studio, wired(RACK, ETHERNET));
  watched.add(rack);
  watched.report(studio, [lost(rack, ETHERNET)]);
  watched.start();
  await watched.pass(90);
  expect(watched.reported).toEqual([]);
  watched.up.delete(notebook);
  await watched.pass(10);
  watched.report(studio, [lost(notebook, ETHERNET, 'node-offline')]);
  await watched.pass(120);
  expect(watched.reported).toEqual([`node-lost ${nameOf(notebook, watched)}`]);
});

test('a warning that concerns this node is raised and cleared, with what to do about it; those of others only in detail', async () => {
  await using watched = new Watched();
  watched.add(studio, notebook, rack);
  linked(watched);
  watched.start();
  await watched.pass(20);
  const slow = {
    ...ETHERNET,
    up: ETHERNET.negotiatedBitsPerSecond / 100,
    down: ETHERNET.negotiatedBitsPerSecond / 100,
  };
  const short = () => watched.lines.filter(({ id }) => String(id).startsWith('link short'));
  watched.report(studio, [profiled(NOTEBOOK, slow)]);
  watched.report(notebook, [profiled(STUDIO, turned(slow))]);
  await watched.pass(10);
  expect(short()).toEqual([
    expect.objectContaining({
      event: 'warning-raised',
      level: 'warn',
      warning: expect.stringContaining('far less'),
      command: expect.stringContaining('plimsoll probe link'),
    }),
  ]);
  watched.report(studio, [profiled(NOTEBOOK, ETHERNET)]);
  watched.report(notebook, [profiled(STUDIO, turned(ETHERNET))]);
  await watched.pass(10);
  expect(short().slice(1)).toEqual([
    expect.objectContaining({ event: 'warning-cleared', level: 'info', lasted_s: 10 }),
  ]);
  watched.level = 'debug';
  watched.report(notebook, wired(RACK, slow));
  watched.report(rack, wired(NOTEBOOK, turned(slow)));
  await watched.pass(10);
  expect(
    short()
      .slice(2)
      .map(({ event, level }) => [event, level]),
  ).toEqual([['warning-raised', 'debug']]);
});
