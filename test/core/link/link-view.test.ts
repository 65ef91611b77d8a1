import { describe, expect, test } from 'vitest';
import { applyAll } from '../../../src/core/apply.ts';
import type { Event } from '../../../src/core/event.ts';
import { eventClass, type Fact, factKey } from '../../../src/core/event-kinds.ts';
import { connectionKey } from '../../../src/core/link/connection.ts';
import { LinkBook } from '../../../src/core/link/link-pairs.ts';
import { figureAgeMs, type LinkView, LinkWatch, linkViews } from '../../../src/core/link/link-view.ts';
import type { ProbeStatus } from '../../../src/core/probe/probe-status.ts';
import { EMPTY_STATE, type State } from '../../../src/core/state.ts';
import { toTheEnd } from '../../../src/core/turns.ts';
import { unknown } from '../../../src/core/unknown.ts';
import {
  connectionOf,
  ETHERNET,
  idOf,
  OVERLAY,
  opened,
  profiled,
  THUNDERBOLT,
  turned,
  WIFI,
  type Wire,
  wired,
} from '../../e2e/links.ts';
import { type Machine, notebook, spark, studio } from '../../e2e/machines.ts';

const AT_WORK = { memory: 0.5, use: 0.1, cpu: 0.1 };
const ATLAS = idOf(studio);
const JUNO = idOf(notebook);

/** A cluster as events published at moments of one clock. */
class ReportedLink {
  state: State = EMPTY_STATE;
  readonly #seqs = new Map<string, number>();

  report(machine: Machine, facts: readonly Fact[], atMs = 0): this {
    const events = facts.map((fact): Event => {
      const slot = idOf(machine) + eventClass(fact.kind);
      const seq = (this.#seqs.get(slot) ?? 0) + 1;
      this.#seqs.set(slot, seq);
      return {
        origin: idOf(machine),
        epoch: 1,
        class: eventClass(fact.kind),
        seq,
        key: factKey(fact),
        ageMs: 0,
        receivedAtMs: atMs,
        ...fact,
      };
    });
    this.state = applyAll(this.state, events);
    return this;
  }

  /** The machines publish signs of life. */
  arrive(atMs: number, ...machines: readonly Machine[]): this {
    for (const machine of machines) this.report(machine, machine.live(AT_WORK), atMs);
    return this;
  }

  links(nowMs: number): readonly LinkView[] {
    return linkViews(this.state, nowMs);
  }

  link(nowMs: number): LinkView {
    const [link] = this.links(nowMs);
    if (link === undefined) throw new Error('no link');
    return link;
  }
}

const both = (): ReportedLink =>
  new ReportedLink()
    .report(studio, studio.durable)
    .report(notebook, notebook.durable)
    .arrive(0, studio, notebook);

const running = (wire: Wire, stage: ProbeStatus['stage']): Fact => ({
  kind: 'probe.reported',
  payload: {
    subject: { kind: 'link', sink: JUNO, connectionKey: connectionKey(connectionOf(JUNO, wire)) },
    stage,
  },
});

describe('a link', () => {
  test('is all connections between two nodes, from either end, and one link', () => {
    const reported = both()
      .report(studio, [...wired(JUNO, THUNDERBOLT), ...wired(JUNO, ETHERNET)])
      .report(notebook, wired(ATLAS, turned(THUNDERBOLT)));
    expect(reported.links(0)).toHaveLength(1);
    expect(reported.link(0).nodes).toEqual([ATLAS, JUNO]);
    expect(reported.link(0).connections).toHaveLength(3);
  });

  test('carries what its path was measured at last, whichever end and address that was over', () => {
    const reported = both()
      .report(studio, wired(JUNO, { ...ETHERNET, up: 9e9, down: 4e9, ageMs: 60_000 }))
      .report(notebook, wired(ATLAS, { ...ETHERNET, up: 49e6, down: 51e6, address: '192.0.2.2' }));
    const { there, back } = reported.link(0);
    expect(there?.value).toBe(51e6);
    expect(back?.value).toBe(49e6);
    expect(there?.of.measuredAtMs).toBe(0);
  });

  test('carries in each direction what its fastest path does', () => {
    const reported = both()
      .report(studio, wired(JUNO, { ...ETHERNET, up: 9e9, down: 1e9 }))
      .report(notebook, wired(ATLAS, { ...WIFI, up: 6e9, down: 1e8, address: '192.0.2.2', ageMs: 60_000 }));
    const { there, back } = reported.link(0);
    expect([there?.value, back?.value]).toEqual([9e9, 6e9]);
    expect([there?.of.measuredAtMs, back?.of.measuredAtMs]).toEqual([0, -60_000]);
  });

  test('takes the lowest round trip, and its medium from the connection that carries most', () => {
    const link = both()
      .report(studio, [...wired(JUNO, WIFI), ...wired(JUNO, THUNDERBOLT)])
      .link(0);
    expect(link.roundTrip?.value).toBe(18_000);
    expect(link.medium).toBe('rdma');
  });

  test('an overlay over a cable does not make the link an overlay, even while only the overlay is measured', () => {
    const link = both()
      .report(studio, [...wired(JUNO, OVERLAY), opened(JUNO, ETHERNET)])
      .link(0);
    expect(link.connections.map(({ medium }) => medium)).toEqual(['cable', 'overlay']);
    expect(link.medium).toBe('cable');
    expect(link.there?.value).toBe(412e6);
  });

  test('loopback joins nothing', () => {
    expect(
      both()
        .report(studio, wired(JUNO, { ...ETHERNET, type: 'loopback' }))
        .links(0),
    ).toEqual([]);
  });

  test('keeps the order of its connections for any measurement', () => {
    const slow = both().report(studio, [
      ...wired(JUNO, WIFI),
      ...wired(JUNO, { ...ETHERNET, up: 1e6 }),
      opened(JUNO, THUNDERBOLT),
    ]);
    const fast = both().report(studio, [
      opened(JUNO, THUNDERBOLT),
      ...wired(JUNO, { ...WIFI, up: 9e9 }),
      opened(JUNO, ETHERNET),
    ]);
    const keys = (reported: ReportedLink): readonly string[] =>
      reported.link(0).connections.map(({ connectionKey: key }) => key);
    expect(keys(slow)).toEqual(keys(fast));
  });
});

describe('a figure of a link', () => {
  test('is stale once two of its intervals have gone by', () => {
    const reported = both().report(studio, wired(JUNO, ETHERNET));
    reported.arrive(600_000, studio, notebook);
    expect(reported.link(600_000).there?.isStale).toBe(false);
    expect(reported.link(600_000).isStale).toBe(false);
    reported.arrive(600_001, studio, notebook);
    expect(reported.link(600_001).there?.isStale).toBe(true);
    expect(reported.link(600_001).isStale).toBe(true);
  });

  test('counts the age that it had when it was published', () => {
    const reported = both().report(studio, wired(JUNO, { ...ETHERNET, ageMs: 599_000 }));
    expect(reported.link(1_000).there).toMatchObject({ isStale: false });
    expect(reported.link(1_001).there?.isStale).toBe(true);
    const { there } = reported.link(1_000);
    expect(there && figureAgeMs(there, 1_000)).toBe(600_000);
  });

  test('of a probe that fails now is the last good one, stale, and gives way to any other', () => {
    const reported = both().report(studio, wired(JUNO, { ...ETHERNET, failure: 'timed out after 30 s' }));
    expect(reported.link(0).there).toMatchObject({ value: 9.41e9, isStale: true });
    reported.report(studio, wired(JUNO, WIFI));
    expect(reported.link(0).there).toMatchObject({ value: 612e6, isStale: false });
  });

  test('leaves with its connection', () => {
    const reported = both().report(studio, [...wired(JUNO, ETHERNET), ...wired(JUNO, WIFI)]);
    reported.report(studio, [
      {
        kind: 'connection.closed',
        payload: { sink: JUNO, connectionKey: connectionKey(connectionOf(JUNO, ETHERNET)), reason: 'gone' },
      },
    ]);
    expect(reported.link(0).there?.value).toBe(612e6);
  });
});

describe('a link without figures', () => {
  const bare = (...facts: readonly Fact[]): LinkView =>
    both()
      .report(studio, [opened(JUNO, ETHERNET), ...facts])
      .link(0);

  test('reports that it is not measured yet', () => {
    expect(bare().standing).toEqual({ kind: 'unmeasured' });
  });

  test('reports that it is being measured, for as long as the status can be believed', () => {
    const reported = both().report(studio, [
      opened(JUNO, ETHERNET),
      running(ETHERNET, { kind: 'running', expectedMs: 4_000, isByHand: false }),
    ]);
    expect(reported.link(4_000).standing).toEqual({ kind: 'measuring' });
    reported.arrive(70_000, studio, notebook);
    expect(reported.link(70_000).standing).toEqual({ kind: 'unmeasured' });
  });

  test('reports what it waits for', () => {
    const waiting = running(ETHERNET, { kind: 'waiting', reason: 'a runner is active', nextInMs: 15_000 });
    expect(bare(waiting).standing).toEqual({ kind: 'waiting', reason: 'a runner is active' });
  });

  test('reports why its probe failed', () => {
    const failed = profiled(
      JUNO,
      { ...ETHERNET, failure: 'connection refused' },
      {
        uploadBitsPerSecond: unknown('connection refused'),
        downloadBitsPerSecond: unknown('connection refused'),
        roundTripNsP50: unknown('connection refused'),
      },
    );
    expect(bare(failed).standing).toEqual({ kind: 'failed', reason: 'connection refused' });
  });

  test('with figures is measured and being measured at once', () => {
    const reported = both().report(studio, [
      ...wired(JUNO, ETHERNET),
      running(ETHERNET, { kind: 'running', expectedMs: 4_000, isByHand: true }),
    ]);
    expect(reported.link(0)).toMatchObject({ standing: { kind: 'measured' }, isMeasuring: true });
  });
});

describe('a link of a node that is offline', () => {
  test('keeps its place without figures, and comes back with them', () => {
    const reported = both().report(studio, wired(JUNO, ETHERNET)).arrive(60_000, studio);
    const gone = reported.link(60_000);
    expect(gone.standing).toEqual({ kind: 'gone', offline: [JUNO] });
    expect([gone.there, gone.back, gone.roundTrip]).toEqual([undefined, undefined, undefined]);
    reported.arrive(61_000, notebook);
    expect(reported.link(61_000).there?.value).toBe(9.41e9);
  });

  test('is remembered from what that node published, after its peers have closed their own connections to it', () => {
    const reported = both()
      .report(studio, wired(JUNO, ETHERNET))
      .report(notebook, wired(ATLAS, { ...ETHERNET, address: '192.0.2.2' }));
    reported
      .report(studio, [
        {
          kind: 'connection.closed',
          payload: {
            sink: JUNO,
            connectionKey: connectionKey(connectionOf(JUNO, ETHERNET)),
            reason: 'no answer',
          },
        },
      ])
      .arrive(60_000, studio);
    expect(reported.link(60_000).standing.kind).toBe('gone');
  });

  test('goes when the node is forgotten', () => {
    const reported = both().report(studio, wired(JUNO, ETHERNET));
    const { epoch = 0, seq = 0 } = reported.state.origins[JUNO] ?? {};
    const payload = { subject: JUNO, durableEpoch: epoch, durableSeq: seq, liveEpoch: 1, liveSeq: 99 };
    reported.report(studio, [{ kind: 'node.forgotten', payload }], 60_000);
    expect(reported.links(60_000)).toEqual([]);
  });

  test('of a node that is only silent for a while is stale', () => {
    const reported = both().report(studio, wired(JUNO, ETHERNET)).arrive(15_000, studio);
    expect(reported.link(15_000)).toMatchObject({ standing: { kind: 'measured' }, isStale: true });
  });
});

describe('the book of links', () => {
  test('derives again only the links about which an event arrived', () => {
    const reported = both()
      .report(spark, spark.durable)
      .report(studio, [...wired(JUNO, ETHERNET), ...wired(idOf(spark), ETHERNET)]);
    const book = new LinkBook();
    const before = toTheEnd(book.turns(reported.state));
    reported.arrive(1_000, studio, notebook, spark);
    expect(toTheEnd(book.turns(reported.state))).toBe(before);
    reported.report(studio, [profiled(JUNO, { ...ETHERNET, up: 5e9 })], 1_000);
    const after = toTheEnd(book.turns(reported.state));
    expect(after.map(({ figures }) => figures.there?.value)).toEqual([5e9, 9.41e9]);
    expect(after[1]).toBe(before[1]);
    expect(after).toEqual(toTheEnd(new LinkBook().turns(reported.state)));
  });
});

describe('who watches links', () => {
  test('gets the same list again until something changes, and then new views of what did', () => {
    const reported = both()
      .report(spark, spark.durable)
      .report(studio, [...wired(JUNO, ETHERNET), ...wired(idOf(spark), { ...ETHERNET, ageMs: 300_000 })])
      .arrive(0, spark);
    const watch = new LinkWatch();
    const before = watch.read(reported.state, 1_000);
    expect(watch.read(reported.state, 2_000)).toBe(before);
    reported.arrive(300_001, studio, notebook, spark);
    const after = watch.read(reported.state, 300_001);
    expect(after[0]).toBe(before[0]);
    expect(after[1]?.isStale).toBe(true);
  });

  test('sees the same as who looks once', () => {
    const reported = both().report(studio, [
      ...wired(JUNO, ETHERNET),
      running(ETHERNET, { kind: 'running', expectedMs: 4_000, isByHand: false }),
    ]);
    const watch = new LinkWatch();
    for (const nowMs of [0, 9_000, 11_000, 31_000, 64_000, 64_001, 65_000, 600_001]) {
      expect(watch.read(reported.state, nowMs)).toEqual(reported.links(nowMs));
    }
  });
});
