import { expect, test } from 'vitest';
import { readingChecks } from '../../src/cli/doctor/reading-checks.ts';
import { type NodeView, nodeView } from '../../src/core/node/node-view.ts';
import { EMPTY_STATE } from '../../src/core/state.ts';
import { type ReasonCode, unknown } from '../../src/core/unknown.ts';
import { at, idOf, stateOf } from '../dashboard/cluster/cluster-state.ts';
import { studio } from '../e2e/machines.ts';

const checksOf = (more: Partial<NodeView>) =>
  readingChecks({ ...nodeView(stateOf(at(studio)), idOf(studio), 0), ...more });

const adviceOf = (code: string | undefined, reason = 'in words'): string | undefined =>
  checksOf({
    disk: {
      kind: 'unavailable',
      reason,
      ...(code === undefined ? {} : { code }),
      source: 'statfs',
      ageMs: 0,
    },
  }).find(({ text }) => text.startsWith('Disks'))?.advice;

test.each<[ReasonCode, string]>([
  ['rapl-permission', 'sudo chmod a+r /sys/class/powercap'],
  ['macmon-missing', 'brew install macmon'],
  ['tool-missing', 'Install the tool'],
  ['permission', 'Run the daemon as a user who may read it'],
  ['psi-off', 'psi=1'],
  ['no-sensor', 'sensors-detect'],
  ['no-answer', 'Run the tool yourself'],
])('doctor gives advice for %s by its code, for any text', (code, advice) => {
  expect(adviceOf(code)).toContain(advice);
});

test('words alone bring no advice: a reason without a code is shown as it came', () => {
  expect(adviceOf(undefined, 'permission denied, not installed, no sensor')).toBe('');
  expect(adviceOf('of-a-later-version')).toBe('');
});

test('a figure that is unknown is listed once a reason, with its advice', () => {
  const why = unknown('only root may read the energy counter (RAPL)', 'rapl-permission');
  const view = nodeView(stateOf(at(studio)), idOf(studio), 0).system;
  if (view.kind !== 'current') throw new Error(view.kind);
  const checks = checksOf({
    system: { ...view, value: { ...view.value, cpuPowerWatts: why, systemPowerWatts: why } },
  });
  expect(checks.filter(({ text }) => text.includes('RAPL'))).toEqual([
    expect.objectContaining({
      verdict: 'note',
      text: expect.stringContaining('cpu power watts, system power watts unknown: only root'),
      advice: expect.stringContaining('chmod a+r'),
    }),
  ]);
});

test('what never arrived is a note', () => {
  const [first] = readingChecks(nodeView(EMPTY_STATE, idOf(studio), 0));
  expect(first?.verdict).toBe('note');
});
