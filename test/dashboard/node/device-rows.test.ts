import { expect, test } from 'vitest';
import { hostRows } from '../../../dashboard/src/node/device-rows.ts';

test('the card of a host calls the pressure of its memory by that name, apart from that of processor and I/O', () => {
  const names = hostRows(undefined, undefined).map(({ name }) => name);
  expect(names).toEqual(['CPU', 'Memory pressure', 'Swap']);
});
