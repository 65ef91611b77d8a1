import { describe, expect, test } from 'vitest';
import { DETAIL_COLUMNS, type DetailRow, detailRows } from '../../../dashboard/src/link/detail-rows.ts';
import { linkTiles } from '../../../dashboard/src/link/link-tiles.ts';
import type { Fact } from '../../../src/core/event-kinds.ts';
import { connectionKey } from '../../../src/core/link/connection.ts';
import { type LinkView, linkViews } from '../../../src/core/link/link-view.ts';
import type { State } from '../../../src/core/state.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { connectionOf, ETHERNET, idOf, opened, profiled, THUNDERBOLT, WIFI } from '../../e2e/links.ts';
import { notebook, studio } from '../../e2e/machines.ts';
import { AT_WORK, stateOf } from '../cluster/cluster-state.ts';

const JUNO = idOf(notebook);

const reported = (...facts: readonly Fact[]): State =>
  stateOf(
    { machine: studio, facts: [...studio.durable, ...studio.live(AT_WORK), ...facts] },
    { machine: notebook, facts: [...notebook.durable, ...notebook.live(AT_WORK)] },
  );

const linkIn = (state: State): LinkView => {
  const [link] = linkViews(state, 0);
  if (link === undefined) throw new Error('no link');
  return link;
};

const rowsOf = (state: State): readonly DetailRow[] => detailRows(state, linkIn(state), 0, 'bits');

/** By the name of their column. */
const figuresOf = (row: DetailRow | undefined) =>
  Object.fromEntries(DETAIL_COLUMNS.map(({ name }, index) => [name, row?.figures[index]]));

const planned = (socketTtlSeconds: number): Fact => ({
  kind: 'config.gathered',
  payload: {
    source: 'config.toml',
    intervalMs: 60_000,
    value: {
      tags: [],
      site: unknown('not set in config.toml'),
      rack: unknown('not set in config.toml'),
      machineKind: unknown('not set in config.toml'),
      ignoredInterfaces: [],
      staticPeerCount: 0,
      probes: { isEnabled: true, gpuTtlSeconds: 3_600, socketTtlSeconds, rdmaTtlSeconds: 21_600 },
      makesLoad: false,
      webhooks: [],
      servedEndpoints: [],
    },
  },
});

const staged = (stage: Extract<Fact, { kind: 'probe.reported' }>['payload']['stage']): Fact => ({
  kind: 'probe.reported',
  payload: {
    subject: { kind: 'link', sink: JUNO, connectionKey: connectionKey(connectionOf(JUNO, ETHERNET)) },
    stage,
  },
});

describe('all that is known of a connection', () => {
  test('is its figures, and what each of them rests on', () => {
    const [row] = rowsOf(reported(opened(JUNO, ETHERNET), profiled(JUNO, ETHERNET)));
    expect(row).toMatchObject({
      way: '192.0.2.9',
      type: 'Ethernet',
      rate: '10\u00a0Gb/s negotiated',
      method: 'TCP, 1.5 s each way',
      every: 'every 5\u00a0min',
      standing: { tone: 'plain', text: 'measured' },
    });
    expect(figuresOf(row)).toMatchObject({
      up: { value: { figure: '9.41', unit: 'Gb/s' }, remark: '4 streams' },
      RTT: { value: { figure: '214', unit: 'µs' }, remark: 'min 193\u00a0µs · p99 449\u00a0µs' },
      jitter: { value: { figure: '11', unit: 'µs' }, remark: 'of 200 round trips' },
      'all-reduce': { value: { figure: '60', unit: 'µs' }, remark: '1 MiB 900\u00a0µs' },
      retransmits: { value: { figure: '0' } },
    });
  });

  test('why there is no figure is shown in its place', () => {
    const [row] = rowsOf(reported(opened(JUNO, THUNDERBOLT), profiled(JUNO, THUNDERBOLT)));
    expect(figuresOf(row)).toMatchObject({
      retransmits: { value: { figure: '–', unit: '' }, remark: 'no TCP' },
    });
  });

  test('a failed attempt reports why and when the next one is', () => {
    const failing = { ...ETHERNET, failure: 'timed out after 30 s' };
    const [row] = rowsOf(
      reported(opened(JUNO, ETHERNET), profiled(JUNO, failing), staged({ kind: 'idle', nextInMs: 240_000 })),
    );
    expect(row?.standing).toEqual({
      tone: 'danger',
      text: 'failed: timed out after 30 s',
      next: 'next try in 4\u00a0min',
    });
    expect(row?.every).toBe('');
  });

  test('an interval that a limit has stretched is shown next to the planned one', () => {
    const facts = [opened(JUNO, ETHERNET), profiled(JUNO, ETHERNET, { intervalMs: 2_400_000 })];
    expect(rowsOf(reported(...facts, planned(300)))[0]).toMatchObject({
      every: 'every 40\u00a0min, extended from 5\u00a0min',
      isStretched: true,
    });
    expect(rowsOf(reported(...facts, planned(2_400)))[0]).toMatchObject({
      every: 'every 40\u00a0min',
      isStretched: false,
    });
  });

  test('a probe that runs reports for how long, and who asked for it', () => {
    const [row] = rowsOf(
      reported(opened(JUNO, ETHERNET), staged({ kind: 'running', expectedMs: 5_000, isByHand: true })),
    );
    expect(row?.standing).toEqual({
      tone: 'plain',
      text: 'measuring, requested by a person',
      next: '5\u00a0s left',
    });
  });

  test('the headline counts what is measured and what is not', () => {
    const state = reported(
      opened(JUNO, ETHERNET),
      profiled(JUNO, { ...ETHERNET, failure: 'refused' }),
      opened(JUNO, WIFI),
      profiled(JUNO, THUNDERBOLT, { roundTripNsP99: unknown('too few') }),
      opened(JUNO, THUNDERBOLT),
    );
    const tiles = linkTiles(linkIn(state), rowsOf(state), { nowMs: 0, delay: 'half' });
    expect(tiles.find(({ name }) => name === 'Connections')).toMatchObject({
      value: { figure: '3' },
      remark: '1 failed, 1 not measured',
    });
    expect(tiles[0]).toMatchObject({ name: 'RTT/2', value: { figure: '9' }, remark: 'RTT 18\u00a0µs' });
    const [whole] = linkTiles(linkIn(state), rowsOf(state), { nowMs: 0, delay: 'round' });
    expect(whole).toMatchObject({ name: 'RTT', value: { figure: '18' }, remark: 'RTT/2 9\u00a0µs' });
  });
});
