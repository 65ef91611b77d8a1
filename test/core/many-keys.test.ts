import { describe, expect, it } from 'vitest';
import { apply, applyAll } from '../../src/core/apply.ts';
import type { Event } from '../../src/core/event.ts';
import { EVENT_KINDS } from '../../src/core/event-kinds.ts';
import { Fold } from '../../src/core/fold.ts';
import { nodeId } from '../../src/core/ids.ts';
import { nodeView } from '../../src/core/node/node-view.ts';
import { EMPTY_STATE, type State } from '../../src/core/state.ts';
import { clusterWarnings } from '../../src/core/warnings/cluster-warnings.ts';
import {
  connectionTo,
  deviceProfile,
  deviceProfiles,
  forgotten,
  madeUpNode,
  numberedFrom,
} from '../support/many-keys.ts';

const liar = nodeId('l'.repeat(26));
const { entriesMax: DEVICES_MAX } = EVENT_KINDS['gpu.profiled'];
const { entriesMax: CONNECTIONS_MAX, entriesPerSinkMax: PAIR_MAX = 0 } = EVENT_KINDS['connection.opened'];

describe('a node that publishes more keys than any machine has', () => {
  it('costs no more for its ten thousandth device than for the first past the bound, event by event', () => {
    let state = EMPTY_STATE;
    let most = 0;
    for (const event of numberedFrom({ origin: liar }, deviceProfiles(10_000))) {
      most = Math.max(most, keysRead(state, event));
      state = apply(state, event);
    }
    // Its devices are counted and copied once, and so are the few maps above them.
    expect(most).toBeLessThan(3 * DEVICES_MAX);
    expect(Object.keys(state.nodeGpuProfiles[liar] ?? {})).toHaveLength(DEVICES_MAX);
    expect(state.origins[liar]?.seq).toBe(10_000);
  });

  it('is refused what is one too many, which is counted, warned of, and keeps what came first', () => {
    const state = applyAll(EMPTY_STATE, numberedFrom({ origin: liar }, deviceProfiles(DEVICES_MAX + 5)));
    expect(Object.keys(state.nodeGpuProfiles[liar] ?? {}).at(-1)).toBe(`gpu-${DEVICES_MAX - 1}`);
    expect(state.refusedKinds[liar]).toEqual({
      'gpu.profiled': { class: 'durable', epoch: 1, seq: DEVICES_MAX + 5, count: 5 },
    });
    const views = [nodeView(state, liar, 0)];
    expect(clusterWarnings({ state, views, nowMs: 0 })).toContainEqual(
      expect.objectContaining({
        id: `refused ${liar} gpu.profiled`,
        why: expect.stringContaining('5 gpu.profiled'),
      }),
    );
  });

  it('may still change what it has', () => {
    const full = applyAll(EMPTY_STATE, numberedFrom({ origin: liar }, deviceProfiles(DEVICES_MAX + 1)));
    const [again] = numberedFrom({ origin: liar, after: DEVICES_MAX + 1 }, [deviceProfile('gpu-0')]);
    if (again === undefined) throw new Error('there is one');
    expect(apply(full, again).nodeGpuProfiles[liar]?.['gpu-0']?.seq).toBe(DEVICES_MAX + 2);
  });

  it('is counted once for an event that comes twice', () => {
    const { entriesMax } = EVENT_KINDS['conflict.seen'];
    const facts = Array.from({ length: entriesMax + 9 }, (_, index) => conflict(index));
    const events = numberedFrom({ origin: liar }, facts);
    const once = applyAll(EMPTY_STATE, events);
    expect(once.refusedKinds[liar]?.['conflict.seen']?.count).toBe(9);
    expect(applyAll(once, events)).toBe(once);
  });

  it('starts again with its next journal', () => {
    const full = applyAll(EMPTY_STATE, numberedFrom({ origin: liar }, deviceProfiles(DEVICES_MAX + 5)));
    const again = applyAll(full, numberedFrom({ origin: liar, epoch: 2 }, deviceProfiles(1)));
    expect(again.refusedKinds).toEqual({});
    expect(Object.keys(again.nodeGpuProfiles[liar] ?? {})).toEqual(['gpu-0']);
  });

  it('fills neither its connections to one node nor those to all nodes that it makes up', () => {
    const many = Array.from({ length: PAIR_MAX + 10 }, (_, index) =>
      connectionTo(madeUpNode(0), `c${index}`),
    );
    const toOne = applyAll(EMPTY_STATE, numberedFrom({ origin: liar }, many));
    expect(Object.keys(toOne.connections[liar]?.[madeUpNode(0)] ?? {})).toHaveLength(PAIR_MAX);
    const all = Array.from({ length: CONNECTIONS_MAX + 10 }, (_, index) =>
      connectionTo(madeUpNode(index), 'c'),
    );
    const toAll = applyAll(EMPTY_STATE, numberedFrom({ origin: liar }, all));
    expect(Object.keys(toAll.connections[liar] ?? {})).toHaveLength(CONNECTIONS_MAX);
    expect(toAll.refusedKinds[liar]?.['connection.opened']?.count).toBe(10);
  });

  it('may open a connection again once it has closed one', () => {
    const opened = Array.from({ length: PAIR_MAX }, (_, index) => connectionTo(madeUpNode(0), `c${index}`));
    const full = applyAll(EMPTY_STATE, numberedFrom({ origin: liar }, opened));
    const state = applyAll(
      full,
      numberedFrom({ origin: liar, after: PAIR_MAX }, [
        {
          kind: 'connection.closed',
          payload: { sink: madeUpNode(0), connectionKey: 'socket c3', reason: 'gone' },
        },
        connectionTo(madeUpNode(0), 'another'),
      ]),
    );
    const keys = Object.keys(state.connections[liar]?.[madeUpNode(0)] ?? {});
    expect(keys).toHaveLength(PAIR_MAX);
    expect(keys).toContain('socket another');
    expect(state.refusedKinds).toEqual({});
  });
});

describe('the state of a process', () => {
  it.each([
    ['forgets', (index: number) => forgotten(madeUpNode(index))],
    ['connections', (index: number) => connectionTo(madeUpNode(index % 900), `c${Math.floor(index / 900)}`)],
  ])(
    'copies as little for an event of a node with a thousand %s as for one of a node with ten',
    (_, fact) => {
      const copiesWith = (count: number): number => {
        const fold = new Fold();
        const facts = Array.from({ length: count }, (_unused, index) => fact(index));
        for (const event of numberedFrom({ origin: liar }, facts)) fold.take(event);
        expect(fold.progress(liar)?.seq).toBe(count);
        const before = fold.copies;
        const again = Array.from({ length: 1_000 }, (_unused, index) => fact(index % count));
        for (const event of numberedFrom({ origin: liar, after: count }, again)) fold.take(event);
        return fold.copies - before;
      };
      expect(copiesWith(1_000)).toBeLessThanOrEqual(copiesWith(10));
      expect(copiesWith(10)).toBeLessThan(10);
    },
  );

  it('leaves alone what somebody has looked at', () => {
    const fold = new Fold();
    const kept: { readonly state: State; readonly copy: State }[] = [];
    for (const event of numberedFrom({ origin: liar }, deviceProfiles(20))) {
      fold.take(event);
      const { state } = fold;
      kept.push({ state, copy: structuredClone(state) });
    }
    for (const { state, copy } of kept) expect(state).toEqual(copy);
    expect(fold.state).toBe(fold.state);
  });
});

const conflict = (index: number) =>
  ({ kind: 'conflict.seen', payload: { subject: madeUpNode(index), addresses: [] } }) as const;

/** How many keys of maps the fold reads for an event: what its copies cost. */
const keysRead = (state: State, event: Event): number => {
  let keys = 0;
  const watched = <T extends object>(map: T, depth: number): T =>
    new Proxy(map, {
      ownKeys: sink => {
        const own = Reflect.ownKeys(sink);
        keys += own.length;
        return own;
      },
      get: (sink, name, receiver) => {
        const value: unknown = Reflect.get(sink, name, receiver);
        return depth > 0 && typeof value === 'object' && value !== null ? watched(value, depth - 1) : value;
      },
    });
  apply(watched(state, 2), event);
  return keys;
};
