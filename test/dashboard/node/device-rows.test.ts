import { expect, test } from 'vitest';
import { hostRows } from '../../../dashboard/src/node/device-rows.ts';
import { nodeView } from '../../../src/core/node/node-view.ts';
import { EMPTY_STATE } from '../../../src/core/state.ts';
import { groupedNodeId } from '../../support/grouped-nodes.ts';

test('the card of a host calls the pressure of its memory by that name, apart from that of processor and I/O', () => {
  const names = hostRows(nodeView(EMPTY_STATE, groupedNodeId(0), 0)).map(({ name }) => name);
  expect(names).toEqual(['CPU', 'Memory pressure', 'Swap']);
});
