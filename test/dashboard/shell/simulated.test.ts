import { describe, expect, test } from 'vitest';
import { shortSimulation } from '../../../dashboard/src/shell/simulated.ts';

describe('what is made up', () => {
  test.each([
    ['', ''],
    ['Simulated: no node is real', 'Simulated'],
    ['Simulated: not a real machine', 'Simulated'],
    ['Simulated: 3 of 8 nodes', '3 of 8 simulated'],
  ])('%j is %j where there is little room', (text, short) => {
    expect(shortSimulation(text)).toBe(short);
  });
});
