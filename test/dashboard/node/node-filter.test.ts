import { expect, test } from 'vitest';
import { NODE_STATES, nodeFilterOf } from '../../../dashboard/src/node/node-filter.ts';

test('the filter of nodes shows up where the rows show up, and its addresses stay as they were sent', () => {
  expect(NODE_STATES.map(({ title }) => title)).toEqual(['All', 'Up', 'Not up', 'With warnings']);
  expect(nodeFilterOf(new URLSearchParams('state=live')).state).toBe('live');
});
