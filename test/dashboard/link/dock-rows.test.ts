import { describe, expect, test } from 'vitest';
import { type ConnectionRow, connectionRows } from '../../../dashboard/src/link/dock-rows.ts';
import { linkNotes } from '../../../dashboard/src/link/link-notes.ts';
import { linkRow } from '../../../dashboard/src/link/link-rows.ts';
import {
  delayName,
  jitterName,
  type LinkUnits,
  linkAriaLabel,
  shortfallText,
} from '../../../dashboard/src/link/link-text.ts';
import type { Fact } from '../../../src/core/event-kinds.ts';
import { connectionKey } from '../../../src/core/link/connection.ts';
import { type LinkView, linkViews } from '../../../src/core/link/link-view.ts';
import type { State } from '../../../src/core/state.ts';
import { unknown } from '../../../src/core/unknown.ts';
import {
  connectionOf,
  ETHERNET,
  idOf,
  opened,
  profiled,
  THUNDERBOLT,
  turned,
  WIFI,
  wired,
} from '../../e2e/links.ts';
import { notebook, studio } from '../../e2e/machines.ts';
import { AT_WORK, stateOf } from '../cluster/cluster-state.ts';

const [ATLAS, JUNO] = [idOf(studio), idOf(notebook)];

const reported = (atlas: readonly Fact[], juno: readonly Fact[] = []): State =>
  stateOf(
    { machine: studio, facts: [...studio.durable, ...studio.live(AT_WORK), ...atlas] },
    { machine: notebook, facts: [...notebook.durable, ...notebook.live(AT_WORK), ...juno] },
  );

const linkIn = (state: State, nowMs = 0): LinkView => {
  const [link] = linkViews(state, nowMs);
  if (link === undefined) throw new Error('no link');
  return link;
};

const HALF: LinkUnits = { rate: 'bits', delay: 'half' };

const rowsOf = (state: State, nowMs = 0, units = HALF): readonly ConnectionRow[] =>
  connectionRows(state, linkIn(state, nowMs), nowMs, units);

describe('the rows of a link', () => {
  test('are one a direction and way, best first', () => {
    const rows = rowsOf(
      reported([...wired(JUNO, WIFI), ...wired(JUNO, THUNDERBOLT)], wired(ATLAS, turned(THUNDERBOLT))),
    );
    expect(rows.map(({ way }) => way)).toEqual(['rdma_en3 · rdma_en4', 'rdma_en4 · rdma_en3', '192.0.2.21']);
    expect(rows[0]).toMatchObject({
      upload: { figure: '74.8', unit: 'Gb/s' },
      delay: { figure: '9', unit: 'µs' },
      jitter: { figure: '300', unit: 'ns' },
      note: '',
    });
    expect(rows[0]?.details.find(({ name }) => name === 'Method')?.text).toBe(
      'JACCL, 1 MiB messages, 2 s each way (mlx-jaccl)',
    );
  });

  test('report whole round trips and their jitter on request', () => {
    const [row] = rowsOf(reported(wired(JUNO, THUNDERBOLT)), 0, { ...HALF, delay: 'round' });
    expect(row).toMatchObject({ delay: { figure: '18', unit: 'µs' }, jitter: { figure: '600', unit: 'ns' } });
    expect([delayName('half'), delayName('round'), jitterName('half'), jitterName('round')]).toEqual([
      'RTT/2',
      'RTT',
      'jitter/2',
      'jitter',
    ]);
  });

  test('report why they have no figures, and when the next try is', () => {
    const nothing = unknown('timed out after 30 s');
    const failed = profiled(
      JUNO,
      { ...WIFI, failure: nothing.reason },
      { uploadBitsPerSecond: nothing, downloadBitsPerSecond: nothing, roundTripNsP50: nothing },
    );
    const status: Fact = {
      kind: 'probe.reported',
      payload: {
        subject: { kind: 'link', sink: JUNO, connectionKey: connectionKey(connectionOf(JUNO, WIFI)) },
        stage: { kind: 'idle', nextInMs: 120_000 },
      },
    };
    expect(rowsOf(reported([opened(JUNO, WIFI), failed, status]))[0]).toMatchObject({
      hasFigures: false,
      note: 'failed: timed out after 30 s, next try in 2\u00a0min',
    });
  });

  test('keep the last good figures of a probe that fails, as stale', () => {
    expect(rowsOf(reported(wired(JUNO, { ...ETHERNET, failure: 'refused' })))[0]).toMatchObject({
      hasFigures: true,
      isStale: true,
      note: 'failed: refused',
    });
  });

  test('count the seconds of a probe that runs', () => {
    const status: Fact = {
      kind: 'probe.reported',
      payload: {
        subject: { kind: 'link', sink: JUNO, connectionKey: connectionKey(connectionOf(JUNO, WIFI)) },
        stage: { kind: 'running', expectedMs: 5_000, isByHand: true },
      },
    };
    const state = reported([opened(JUNO, WIFI), status]);
    expect(rowsOf(state, 2_100)[0]).toMatchObject({ isMeasuring: true, note: 'measuring, 3\u00a0s left' });
  });
});

describe('a link in words', () => {
  test('is named in full for who listens', () => {
    expect(linkAriaLabel(linkIn(reported(wired(JUNO, THUNDERBOLT))), ['atlas', 'juno'], HALF)).toBe(
      'Link atlas to juno, Thunderbolt\u00a05 (RDMA): 74.8 Gb/s to juno, 74.6 Gb/s to atlas, RTT/2 9 µs',
    );
    expect(linkAriaLabel(linkIn(reported([opened(JUNO, ETHERNET)])), ['atlas', 'juno'], HALF)).toBe(
      'Link atlas to juno, Ethernet: not measured yet',
    );
  });

  test('reports by how much it falls short, and in which direction by name', () => {
    const expected = { kind: 'negotiated', bitsPerSecond: 10e9 } as const;
    const ends = ['atlas', 'bosun'] as const;
    const texts = (direction: 'there' | 'back' | 'both') =>
      shortfallText({ direction, bitsPerSecond: 4.87e9, expected }, ends, 'bits');
    expect(texts('there')).toBe('atlas→bosun 4.87\u00a0Gb/s of 10\u00a0Gb/s');
    expect(texts('back')).toBe('bosun→atlas 4.87\u00a0Gb/s of 10\u00a0Gb/s');
    expect(texts('both')).toBe('4.87\u00a0Gb/s of 10\u00a0Gb/s both ways');
    const other = { kind: 'other-way', bitsPerSecond: 9.4e9 } as const;
    expect(shortfallText({ direction: 'back', bitsPerSecond: 2e9, expected: other }, ends, 'bits')).toBe(
      'bosun→atlas 2.00\u00a0Gb/s, atlas→bosun 9.40\u00a0Gb/s',
    );
  });
});

describe('the rows of a path', () => {
  const other = { ...ETHERNET, address: '192.0.2.8' };
  const lost = (wire: typeof ETHERNET, ageMs: number): Fact => {
    const connection = connectionOf(JUNO, wire);
    return {
      kind: 'connection.lost',
      payload: {
        sink: JUNO,
        connectionKey: connectionKey(connection),
        connection,
        code: 'no-answer',
        reason: 'no answer',
        lostAgeMs: ageMs,
      },
    };
  };

  test('are one for all its addresses, by the one that was measured', () => {
    const rows = rowsOf(reported([...wired(JUNO, { ...ETHERNET, ageMs: 60_000 }), ...wired(JUNO, other)]));
    expect(rows.map(({ way }) => way)).toEqual(['192.0.2.8 and 1 more']);
  });

  test('stay when it is lost, with its last figures, since when, and why', () => {
    const state = reported([...wired(JUNO, ETHERNET), ...wired(JUNO, WIFI), lost(ETHERNET, 180_000)]);
    const rows = rowsOf(state);
    expect(rows.map(({ isLost, facts }) => [isLost, facts.connection.type])).toEqual([
      [false, 'wifi'],
      [true, 'ethernet'],
    ]);
    expect(rows[1]).toMatchObject({
      hasFigures: true,
      isStale: true,
      isMeasuring: false,
      note: expect.stringMatching(/^lost 3\u00a0min ago: /),
    });
    const notes = linkNotes([linkIn(state)], {
      nameOf: id => (id === ATLAS ? 'atlas' : 'juno'),
      unit: 'bits',
      nowMs: 0,
    });
    expect([...notes.values()]).toEqual([expect.stringMatching(/^Ethernet en0–en0 lost 3\u00a0min ago: /)]);
  });

  test('of a link with nothing else are all that it has, and its figures are the last ones', () => {
    const state = reported([...wired(JUNO, ETHERNET), lost(ETHERNET, 180_000)]);
    expect(rowsOf(state)).toMatchObject([{ isLost: true, upload: { figure: '9.41', unit: 'Gb/s' } }]);
    const link = linkIn(state);
    expect(linkAriaLabel(link, ['atlas', 'juno'], HALF)).toBe('Link atlas to juno, Ethernet: lost');
    const row = linkRow(link, { nameOf: String, notes: new Map(), units: HALF, nowMs: 0 });
    expect(row).toMatchObject({
      there: { value: { figure: '9.41' }, isOld: true },
      isDim: true,
      note: 'lost',
    });
  });
});
