import { expect, test } from 'vitest';
import { apply } from '../../../src/core/apply.ts';
import { type Fact, factKey } from '../../../src/core/event-kinds.ts';
import { nodeId } from '../../../src/core/ids.ts';
import { activityOn } from '../../../src/core/probe/activity.ts';
import { endpointRunnerKey } from '../../../src/core/run/run-selectors.ts';
import { EMPTY_STATE, type State } from '../../../src/core/state.ts';

const NODE = nodeId('n'.repeat(26));

const withServer = (requestsInFlight: number): State => {
  const fact = {
    kind: 'runner.reported',
    payload: {
      runnerKey: endpointRunnerKey('http://127.0.0.1:8000'),
      source: 'endpoint',
      targetNode: NODE,
      requestsInFlight,
    },
  } as const satisfies Fact;
  const head = { origin: NODE, epoch: 1, class: 'live', seq: 1, key: factKey(fact) } as const;
  return apply(EMPTY_STATE, { ...fact, ...head, ageMs: 0, receivedAtMs: 0 });
};

test('a server that keeps probes waiting is named, as it may claim requests for ever', () => {
  expect(activityOn(withServer(1), NODE, 0)).toMatch(
    /^a server on .*, http:\/\/127\.0\.0\.1:8000, has 1 request in flight$/,
  );
  expect(activityOn(withServer(0), NODE, 0)).toBeUndefined();
});
