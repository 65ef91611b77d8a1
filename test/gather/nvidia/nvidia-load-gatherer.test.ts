import { describe, expect, it } from 'vitest';
import { LOAD_FIELDS, type LoadRow, parseLoadRow } from '../../../src/gather/nvidia/load-query.ts';
import { TickCollector, watchDevices } from '../../../src/gather/nvidia/nvidia-load-gatherer.ts';

describe('the devices of a tick', () => {
  it.each([
    ['vanishes', ['a']],
    ['appears', ['a', 'b', 'c']],
    ['changes places', ['b', 'a']],
  ])('are other ones when a device %s', (_, devices) => {
    expect(changesAmong(['a', 'b'], ['a', 'b'], devices)).toBe(1);
  });

  it('are other ones when a device fails, once', () => {
    let changes = 0;
    const see = watchDevices(() => {
      changes += 1;
    });
    const well = row('a', 1).load;
    const failed = row('a', 1, '[GPU requires reset]').load;
    for (const load of [well, failed, failed, well]) see([load]);
    expect(changes).toBe(2);
  });

  it('are the same ones while they stay', () => {
    expect(changesAmong(['a', 'b'], ['a', 'b'], ['a', 'b'])).toBe(0);
  });
});

describe('the rows of a tick', () => {
  it('are complete when there are as many as the tool counts', () => {
    expect(ticks(row('a', 2), row('b', 2), row('a', 2), row('b', 2))).toEqual(['a b', 'a b']);
  });

  it('keep the order of the tool when it changes', () => {
    expect(ticks(row('a', 2), row('b', 2), row('b', 2), row('a', 2))).toEqual(['a b', 'b a']);
  });

  it('are complete when a device comes round again, after another vanished', () => {
    expect(ticks(row('a', 2), row('b', 2), row('a', 2), row('a', 2), row('a', 1))).toEqual(['a b', 'a', 'a']);
  });

  it('are complete at once from the second tick on after one vanished that the tool counts still', () => {
    expect(ticks(row('a', 3), row('b', 3), row('c', 3))).toEqual(['a b c']);
    const without = [row('a', 3), row('b', 3)];
    expect(ticks(...without, ...without)).toEqual(['a b', 'a b']);
    expect(ticks(...without, ...without, row('a', 3))).toEqual(['a b', 'a b']);
    // It is back: the first of its ticks has three again.
    expect(ticks(...without, ...without, ...without, row('c', 3), ...without).at(-1)).toBe('c a b');
  });

  it('are distinguished only by their devices if the tool does not count', () => {
    expect(ticks(row('a', '[N/A]'), row('b', '[N/A]'), row('a', '[N/A]'))).toEqual(['a b']);
  });

  it('are bounded when the tool prints ever new devices', () => {
    const rows = Array.from({ length: 1_000 }, (_, at) => row(`x${at}`, 5_000));
    expect(ticks(...rows).map(tick => tick.split(' ').length)).toEqual([256, 256, 256]);
  });
});

const changesAmong = (...ticksOfIds: readonly (readonly string[])[]): number => {
  let changes = 0;
  const see = watchDevices(() => {
    changes += 1;
  });
  for (const ids of ticksOfIds) see(ids.map(id => row(id, ids.length).load));
  return changes;
};

const row = (name: string, count: number | string, temperature: number | string = 1): LoadRow => {
  const cells = [
    `GPU-0000-${name}`,
    count,
    1,
    1,
    temperature,
    1,
    1,
    1,
    1,
    1,
    'Disabled',
    '0x0',
    1,
    1,
    'Card',
  ];
  const parsed = parseLoadRow(LOAD_FIELDS, cells.join(', '));
  if (parsed === undefined) throw new Error('no row');
  return parsed;
};

/** Names of the devices of each tick. */
const ticks = (...rows: readonly LoadRow[]): readonly string[] => {
  const collector = new TickCollector();
  return rows
    .map(each => collector.add(each))
    .filter(tick => tick !== undefined)
    .map(tick => tick.map(load => load.deviceId.replace('GPU-0000-', '')).join(' '));
};
