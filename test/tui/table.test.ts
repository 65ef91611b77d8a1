// Tables that fit a terminal: what is cut, and what has to stay when it is.

import { expect, test } from 'vitest';
import { type Line, lineWidth, part } from '../../src/tui/part.ts';
import { type Column, layoutTable } from '../../src/tui/table.ts';

const COLUMNS: readonly Column[] = [
  { title: 'Node', isNumber: false, widthMax: 24, rank: 0 },
  { title: 'Age', isNumber: true, widthMax: 6, rank: 0 },
];

const rowOf = (name: string, text = ''): string => {
  const cells: readonly Line[] = [
    [part('● '), part(name), ...(text === '' ? [] : [part(text)])],
    [part('0.2 s')],
  ];
  return textOf(layoutTable(COLUMNS, [cells], 80)[1] ?? []);
};
const textOf = (line: Line): string => line.map(({ text }) => text).join('');

test('a name that just fills its column next to the sign is shown whole', () => {
  expect(rowOf('a'.repeat(22))).toBe(`● ${'a'.repeat(22)}  0.2 s`);
});

test.each([23, 24, 25, 64, 300])(
  'of a name of %d signs the beginning stays, and the sign before it',
  length => {
    expect(rowOf(`ip-10-0-12-34${'x'.repeat(length - 13)}`)).toBe('● ip-10-0-12-34xxxxxxxx…  0.2 s');
  },
);

test('the word after a long name stays', () => {
  expect(rowOf('ip-10-0-12-34.ec2.internal', ' simulated')).toBe('● ip-10-0-12-… simulated  0.2 s');
});

test('where every piece is too long, the cell still keeps to its width', () => {
  const cells: Line = [part('a'.repeat(20)), part('b'.repeat(20)), part('c'.repeat(20))];
  const [, row] = layoutTable([{ title: '', isNumber: false, widthMax: 10, rank: 0 }], [[cells]], 80);
  expect(textOf(row ?? [])).toBe('aaaaaaaaa…');
  expect(lineWidth(row ?? [])).toBe(10);
});

test('a column with a width that it needs at least is cut to the room there is, and dropped below that', () => {
  const columns: readonly Column[] = [
    { title: 'A', isNumber: false, widthMax: 10, rank: 0 },
    { title: 'Age', isNumber: false, widthMax: 40, widthMin: 14, rank: 2 },
  ];
  const rowAt = (width: number): string =>
    textOf(
      layoutTable(columns, [[[part('atlas')], [part('lost 3 min ago, measured 8 min ago')]]], width)[1] ?? [],
    );
  expect(rowAt(80)).toBe('atlas  lost 3 min ago, measured 8 min ago');
  expect(rowAt(30)).toBe('atlas  lost 3 min ago, measur…');
  expect(rowAt(21)).toBe('atlas  lost 3 min ag…');
  expect(rowAt(20)).toBe('atlas');
});
