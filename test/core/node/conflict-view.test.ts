import { describe, expect, it } from 'vitest';
import { applyAll } from '../../../src/core/apply.ts';
import type { Event } from '../../../src/core/event.ts';
import { type NodeId, nodeId } from '../../../src/core/ids.ts';
import { CONFLICT_LASTS_MS, conflictOf } from '../../../src/core/node/conflict-view.ts';
import { EMPTY_STATE } from '../../../src/core/state.ts';

const ATLAS = nodeId('a'.repeat(26));
const JUNO = nodeId('b'.repeat(26));
const VESTA = nodeId('c'.repeat(26));

const seen = (origin: NodeId, addresses: readonly string[], receivedAtMs: number, ageMs = 0): Event => ({
  kind: 'conflict.seen',
  origin,
  epoch: 1,
  class: 'live',
  seq: 1,
  key: ATLAS,
  ageMs,
  receivedAtMs,
  payload: { subject: ATLAS, addresses },
});

describe('a conflict of identity', () => {
  it('is there while anybody has seen it lately, with every address', () => {
    const state = applyAll(EMPTY_STATE, [
      seen(JUNO, ['10.0.0.9:1', '10.0.0.1:4181'], 1_000),
      seen(VESTA, ['10.0.0.1:4181'], 5_000, 500),
    ]);
    expect(conflictOf(state, ATLAS, 6_000)).toEqual({
      addresses: ['10.0.0.1:4181', '10.0.0.9:1'],
      ageMs: 1_500,
    });
    expect(conflictOf(state, JUNO, 6_000), 'who saw it is not who has it').toBeUndefined();
  });

  it('is over when nobody has reported it again for a minute, however late the word came here', () => {
    const state = applyAll(EMPTY_STATE, [seen(JUNO, ['10.0.0.9:1'], 1_000)]);
    expect(conflictOf(state, ATLAS, 1_000 + CONFLICT_LASTS_MS - 1)).toBeDefined();
    expect(conflictOf(state, ATLAS, 1_000 + CONFLICT_LASTS_MS)).toBeUndefined();
    const late = applyAll(EMPTY_STATE, [seen(JUNO, ['10.0.0.9:1'], 1_000, CONFLICT_LASTS_MS)]);
    expect(conflictOf(late, ATLAS, 1_000)).toBeUndefined();
  });
});
