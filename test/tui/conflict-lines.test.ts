import { expect, test } from 'vitest';
import { applyAll } from '../../src/core/apply.ts';
import type { Event } from '../../src/core/event.ts';
import { nodeId } from '../../src/core/ids.ts';
import { EMPTY_STATE } from '../../src/core/state.ts';
import { renderStatus } from '../../src/tui/render-status.ts';
import { renderTop } from '../../src/tui/render-top.ts';

const ATLAS = nodeId('a'.repeat(26));
const JUNO = nodeId('b'.repeat(26));
const head = { epoch: 1, class: 'live', seq: 1, ageMs: 0, receivedAtMs: 1_000 } as const;
const EVENTS: readonly Event[] = [
  {
    ...head,
    kind: 'reading.failed',
    origin: ATLAS,
    key: 'disk',
    payload: { reading: 'disk', vendor: 'none', source: 'df', intervalMs: 30_000, reason: 'no df' },
  },
  {
    ...head,
    kind: 'conflict.seen',
    origin: JUNO,
    key: ATLAS,
    payload: { subject: ATLAS, addresses: ['10.0.0.1:4181', '10.0.0.9:5'] },
  },
];

test('status and top report that two machines run from one home, and where, as long as it is so', () => {
  const state = applyAll(EMPTY_STATE, EVENTS);
  const options = { columns: 200, rows: 40, color: false, isUnicode: true };
  for (const render of [
    (nowMs: number) => renderStatus(state, nowMs, [], options),
    (nowMs: number) => renderTop(state, nowMs, [], options),
  ]) {
    expect(render(2_000).join('\n')).toContain('Two machines call themselves aaaaaaaa');
    expect(render(100_000).join('\n')).not.toContain('Two machines');
  }
});
