import { describe, expect, test } from 'vitest';
import { type WarningSources, warnings } from '../../../dashboard/src/cluster/warnings.ts';
import type { State } from '../../../src/core/state.ts';
import { clusterWarnings } from '../../../src/core/warnings/cluster-warnings.ts';
import { notebook, rack, spark, studio } from '../../e2e/machines.ts';
import { AT_WORK, at, idOf, stateOf, stillSpeaking, viewsOf } from './cluster-state.ts';

const warningsOf = (state: State, nowMs = 0, rest: Partial<WarningSources> = {}) =>
  warnings({
    views: viewsOf(state, nowMs),
    cluster: clusterWarnings({ state, views: viewsOf(state, nowMs), nowMs }),
    notices: [],
    newVersion: undefined,
    ...rest,
  });
const titles = (...reported: Parameters<typeof warningsOf>): readonly string[] =>
  warningsOf(...reported).map(({ title }) => title);

describe('warnings', () => {
  test('a healthy cluster has none', () => {
    expect(titles(stateOf(at(studio), at(notebook)))).toEqual([]);
  });

  test('a node alone is reported to be alone, with the command that makes the key for another one', () => {
    const [alone] = warningsOf(stateOf(at(studio)));
    expect(alone).toMatchObject({ level: 'note', title: 'This is the only node so far' });
    expect(alone?.command).toContain('plimsoll key show --join');
  });

  test('memory past its load line is a caution, and serious once it swaps', () => {
    const past = { ...AT_WORK, memory: 0.91 };
    const [serious, caution] = warningsOf(stateOf(at(studio, past), at(spark, past)));
    expect(serious).toMatchObject({
      level: 'danger',
      title: 'spark: memory at 91\u202f%, 3.10\u00a0GB swapped',
    });
    expect(caution).toMatchObject({ level: 'caution', title: 'atlas: memory at 91\u202f%' });
  });

  test('memory at its load line is no warning', () => {
    expect(titles(stateOf(at(studio, { ...AT_WORK, memory: 0.85 }), at(notebook)))).toEqual([]);
  });

  test('each card past its load line is named', () => {
    expect(titles(stateOf(at(rack, { ...AT_WORK, memory: 0.95 }), at(studio)))).toEqual([
      'bosun: memory of GPU 0 at 95\u202f%',
      'bosun: memory of GPU 1 at 91\u202f%',
      'bosun: / is almost full',
    ]);
  });

  test('a source that stopped is named with its reason and its age', () => {
    const state = stillSpeaking(at(studio), 20_000, fact => fact.kind === 'system.gathered');
    const [stale] = warningsOf(state, 20_000).filter(({ id }) => id.startsWith('stale '));
    expect(stale?.title).toBe('atlas: 2 readings are stale');
    expect(stale?.why).toBe(
      'made up has sent nothing new. Age: Memory 20\u00a0s, GPU load, Apple 20\u00a0s. The last figures are still shown.',
    );
  });

  test('a node that stopped answering is serious, and its stale sources go without saying', () => {
    expect(titles(stateOf(at(studio), at(notebook)), 61_000)).toEqual([
      'atlas stopped answering 1\u00a0min ago',
      'juno stopped answering 1\u00a0min ago',
    ]);
  });

  test('two machines from one home are serious', () => {
    const seen = {
      kind: 'conflict.seen',
      payload: { subject: idOf(notebook), addresses: ['192.0.2.1'] },
    } as const;
    const { machine, facts } = at(studio);
    expect(titles(stateOf({ machine, facts: [...facts, seen] }, at(notebook)))).toEqual([
      'Two machines call themselves juno',
    ]);
  });

  test("the daemon's notices and a new version come first among cautions", () => {
    const state = stateOf(at(studio), at(rack));
    expect(
      titles(state, 0, {
        notices: [
          {
            id: 'config-broken',
            code: 'config-broken',
            problem: 'config.toml:3: unknown key.',
            advice: 'Leave it out.',
          },
          { id: 'x', code: 'of-a-later-version', problem: 'The journal was damaged.', advice: '' },
        ],
        newVersion: '0.2.0',
      }),
    ).toEqual([
      'config.toml:3: unknown key.',
      'The journal was damaged.',
      'Plimsoll was updated to 0.2.0',
      'bosun: / is almost full',
    ]);
  });
});
