import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LOG_LEVELS } from '../../../src/config/value-kinds.ts';
import { type LogFields, logLine, VALUE_LENGTH_MAX } from '../../../src/daemon/log/daemon-log.ts';

const AT = Date.UTC(2026, 10, 26, 21, 30, 0, 123);
const record = (fields: LogFields) => ({ atWallMs: AT, level: 'info', event: 'start', fields }) as const;

/** What a reader of logfmt gets: keys, and values without their quotes. */
const pairsOf = (line: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...line.trim().matchAll(/([\w]+)=("(?:[^"\\]|\\.)*"|[^\s"]*)/g)].map(([, key, value = '']) => [
      key,
      value.startsWith('"') ? JSON.parse(value) : value,
    ]),
  );

test('a line is key=value pairs, in quotes where a value needs them', () => {
  expect(
    logLine(
      record({ version: '0.2.0', home: '/home/ada/my node', http: 'http://127.0.0.1:4180', left: undefined }),
      'logfmt',
    ),
  ).toBe(
    'time=2026-11-26T21:30:00.123Z level=info event=start version=0.2.0 home="/home/ada/my node" http=http://127.0.0.1:4180\n',
  );
  expect(
    logLine(record({ empty: '', equals: 'a=b', quote: 'say "no"', on: true, count: 3 }), 'logfmt'),
  ).toContain('empty="" equals="a=b" quote="say \\"no\\"" on=true count=3\n');
});

test('as JSON a line is one object with the same fields, and numbers stay numbers', () => {
  const line = logLine(record({ version: '0.2.0', pid: 312, left: undefined }), 'json');
  expect(line.endsWith('}\n')).toBe(true);
  expect(JSON.parse(line)).toEqual({
    time: '2026-11-26T21:30:00.123Z',
    level: 'info',
    event: 'start',
    version: '0.2.0',
    pid: 312,
  });
});

test('no name of another machine breaks a line, controls a terminal or adds a field', () => {
  const name = 'atlas\nlevel=error event=stop\u001b[2J\u009b2J\u202e\u2028';
  for (const format of ['logfmt', 'json'] as const) {
    const line = logLine(record({ node: name }), format);
    expect(line.split('\n')).toHaveLength(2);
    expect(line).toMatch(/^[\x20-\x7e]+\n$/);
    const read = format === 'json' ? JSON.parse(line) : pairsOf(line);
    expect(read).toEqual({ time: expect.any(String), level: 'info', event: 'start', node: name });
  }
});

test('for any values, a line reads back as what was written', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: VALUE_LENGTH_MAX / 8 }),
      fc.constantFrom(...LOG_LEVELS),
      (value, level) => {
        const line = logLine(
          { atWallMs: AT, level, event: 'node-joined', fields: { node: value } },
          'logfmt',
        );
        expect(line.indexOf('\n')).toBe(line.length - 1);
        expect(pairsOf(line)).toMatchObject({ level, event: 'node-joined', node: value });
        const json = logLine({ atWallMs: AT, level, event: 'node-joined', fields: { node: value } }, 'json');
        expect(JSON.parse(json)).toMatchObject({ node: value });
      },
    ),
  );
});

test('a long value is cut', () => {
  const line = logLine(record({ why: 'a'.repeat(10_000) }), 'logfmt');
  expect(line.length).toBeLessThan(VALUE_LENGTH_MAX + 100);
  expect(line).toContain('…');
});
