import { expect, test } from 'vitest';
import { nodeId } from '../../../src/core/ids.ts';
import { streamNearlyFull } from '../../../src/mesh/nats/fleet-problem.ts';
import { STATE_STREAM, stateStreamOf } from '../../../src/mesh/nats/fleet-subjects.ts';

test('a full stream gets the advice that helps: more room for that of all nodes, which that of one node cannot have', () => {
  const adviceOf = (stream: string): string => streamNearlyFull(stream, 64_000_000, 67_108_864).advice;
  expect(adviceOf(STATE_STREAM)).toContain('stateBytesMax');
  const ofNode = adviceOf(stateStreamOf('test', nodeId('a'.repeat(26))));
  expect(ofNode).not.toContain('stateBytesMax');
  expect(ofNode).toContain('plimsoll fleet apply DIR, which removes');
});
