// The power on the page of a run in progress, from a node whose GPUs draw 268 W and 244 W, all of it 512 W.

import { describe, expect, test } from 'vitest';
import { type LiveEnergy, type LiveEnergyOf, liveEnergy } from '../../../src/core/run/live-energy.ts';
import type { RunView } from '../../../src/core/run/run-selectors.ts';
import { isUnknown, unknown } from '../../../src/core/unknown.ts';
import { liveEnergySection } from '../../../src/render/run/energy-rows.ts';
import { at, idOf, stateOf } from '../../dashboard/cluster/cluster-state.ts';
import { notebook, rack } from '../../e2e/machines.ts';
import { madeUpFigures, madeUpRunEntry, runIdOf } from '../../support/run-entry.ts';

const TARGET = idOf(rack);
const OTHER = idOf(notebook);
const SECONDS = 20;

const rowsOf = (energy: LiveEnergy['energy']) => liveEnergySection(energy).tables?.[0]?.rows ?? [];

const each = (value: number | null): readonly (number | null)[] =>
  Array.from({ length: SECONDS }, () => value);

const SERIES = {
  'gpu GPU-00000000 powerWatts': each(268),
  'gpu GPU-00000001 powerWatts': each(244),
  'gpu GPU-00000000 use': each(0.9),
  'gpu GPU-00000001 use': each(0.9),
  systemPowerWatts: each(900),
};

const live = (
  view: Partial<RunView> = {},
  series: LiveEnergyOf['history']['series'] = SERIES,
): LiveEnergy => {
  const energy = liveEnergy({
    state: stateOf(at(rack), at(notebook)),
    view: {
      node: OTHER,
      run: { ...madeUpRunEntry('r1'), targetNode: TARGET },
      state: 'running',
      reason: '',
      isLive: true,
      silentMs: 0,
      progress: {
        runId: runIdOf('r1'),
        phase: 'measuring',
        elapsedMs: 10_000,
        measuredMs: 8_000,
        figures: madeUpFigures(),
        recent: { requestsPerSecond: 4, outputTokensPerSecond: 1_024 },
        contentArrived: unknown('not counted'),
        agents: unknown('one machine makes the load'),
        updatesDropped: 0,
      },
      ...view,
    },
    target: TARGET,
    history: { stepMs: 1_000, series },
    nowMs: 100_000,
    steps: { points: 12, stepMs: 1_000 },
  });
  if (energy === undefined) throw new Error('a run that reports its progress has power');
  return energy;
};

const codes = ({ energy }: LiveEnergy): readonly string[] => energy.reasons.map(({ code }) => code);

describe('the power of a run that goes on', () => {
  test('is the sum of the devices of the loaded node over the last seconds, by token', () => {
    const { energy, columns } = live();
    const plain = rowsOf(energy).map(row => row.join('|').replace(/[\u00a0\u202f]/g, ' '));
    expect(plain).toEqual(['GPUs !|512 W|500 mJ', 'whole machine !|900 W|879 mJ']);
    expect(energy.scopes.every(({ joulesPerToken }) => isUnknown(joulesPerToken))).toBe(true);
    // Simulated power is marked as such; nothing else is wrong, and the few seconds are no reason.
    expect(new Set(codes(live()))).toEqual(new Set(['no-reading', 'simulated']));
    expect(liveEnergySection(energy).remarks?.at(-1)).toMatch(/^processors: unknown, /);
    expect(columns.gpu).toEqual([...Array(10).fill(512), null, null]);
    expect(columns.processor).toEqual(Array(12).fill(null));
  });

  test('is not the client’s: load of another machine leaves it the server’s own, load from the node itself does not', () => {
    expect(codes(live())).not.toContain('client-here');
    expect(codes(live({ node: TARGET }))).toContain('client-here');
    const run = { ...madeUpRunEntry('r1'), targetNode: TARGET };
    expect(codes(live({ node: TARGET, run: { ...run, from: ['elsewhere'] } }))).not.toContain('client-here');
    expect(codes(live({ run: { ...run, from: ['elsewhere', live().energy.node] } }))).toContain(
      'client-here',
    );
  });

  test('is unknown with its reason where one device of several is silent', () => {
    const { energy, columns } = live({}, { ...SERIES, 'gpu GPU-00000001 powerWatts': each(null) });
    expect(rowsOf(energy).map(([of]) => of)).toEqual(['whole machine !']);
    expect(codes({ energy, columns })).toContain('no-reading');
    expect(columns.gpu).toEqual(Array(12).fill(null));
  });
});
