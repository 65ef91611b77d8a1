import { describe, expect, test } from 'vitest';
import { MOCK_OPTIONS, parseMockOptions } from '../../src/mock/mock-options.ts';
import { MOCK_ROWS, type MockRow, readMockSettings } from '../../src/mock/mock-settings.ts';

const settings = (given: Readonly<Record<string, string>>) => {
  const result = parseMockOptions(given);
  if (result.kind === 'wrong') throw new Error(`${result.problem} ${result.advice}`);
  return result.value;
};

describe('options of the command line', () => {
  test('may all be left out', () => {
    expect(settings({})).toMatchObject({ ttftMs: 50, gapMs: 10, outputTokens: 100, models: ['mock-model'] });
  });

  test('are read with their units', () => {
    expect(
      settings({
        ttft: '200ms',
        gap: '1.5s',
        'output-tokens': '10..20',
        model: 'a, b',
        'event-bytes': '1KiB',
        'no-done': '',
        tokenizer: 'bytes',
        'template-tokens': '4',
        informational: '100,103',
      }),
    ).toMatchObject({
      ttftMs: 200,
      gapMs: 1_500,
      outputTokens: { min: 10, max: 20 },
      models: ['a', 'b'],
      eventBytes: 1_024,
      hasDone: false,
      tokenizer: 'bytes',
      templateTokens: 4,
      informational: [100, 103],
    });
  });

  test.each([
    [{ ttft: '200' }, '--ttft: "200" is not a duration', '500ms'],
    [{ gap: '2h' }, '--gap must be at most an hour', 'The time between chunks'],
    [{ port: '70000' }, '--port must be at most 65535', 'free port'],
    [{ port: 'http' }, '--port: "http" is not a number', 'number'],
    [{ concurrency: '99999999999' }, '--concurrency must be at most 100000', 'at a time'],
    [{ 'output-tokens': '9999999999' }, '--output-tokens must be at most 100000', 'fixed or drawn'],
    [{ model: 'a b' }, '--model needs names of 1 to 200 printable characters without spaces', 'serves'],
    [{ 'output-tokens': '20..10' }, '--output-tokens the range ends before it begins', 'fixed or drawn'],
    [{ 'output-tokens': 'many' }, '--output-tokens: "many" is not a number of tokens', '50..200'],
    [{ framing: 'tabs' }, '--framing must be one of lf, crlf, cr', 'Line ends'],
    [{ ttfd: '1s' }, 'there is no option --ttfd', 'Did you mean --ttft?'],
    [{ 'quite-other': '' }, 'there is no option --quite-other', '--help'],
    [{ fail: 'http-5000' }, '--fail: the mock has no failure "http-5000"', 'Did you mean http-500?'],
    [{ fail: 'everything at once' }, 'has no failure', '--fail any'],
    [
      { 'events-per-write': '2', 'writes-per-event': '2' },
      '--events-per-write joins what --writes-per-event',
      'Leave one of them out.',
    ],
    [{ transfer: 'content-length', trailers: '' }, '--trailers need --transfer chunked', 'Leave one'],
    [{ informational: '100,x' }, '--informational must be one of 100, 102, 103', 'before each reply'],
  ])('%o is refused with what to do', (given, problem, advice) => {
    const result = parseMockOptions(given);
    if (result.kind === 'ok') throw new Error('it was taken');
    expect(result.problem).toContain(problem);
    expect(result.advice).toContain(advice);
  });

  test('come from the rows of the settings, as do the defaults', () => {
    const rows = Object.entries<MockRow>(MOCK_ROWS);
    const defaults = Object.fromEntries(rows.map(([key, { value }]) => [key, value.default]));
    expect(readMockSettings({})).toEqual({ kind: 'ok', settings: defaults });
    const optional = rows.filter(([, { option }]) => option !== undefined);
    expect(MOCK_OPTIONS.map(({ key, name }) => [key, name])).toEqual(
      optional.map(([key, { option }]) => [key, option?.name]),
    );
    // A person chooses behaviour, and not patience.
    expect(rows.filter(([, { option }]) => option === undefined).map(([key]) => key)).toEqual([
      'headTimeoutMs',
      'bodyTimeoutMs',
      'stallTimeoutMs',
    ]);
  });

  test('state their default, or what it means', () => {
    const meaningOf = (name: string) => MOCK_OPTIONS.find(option => option.name === name)?.meaning;
    expect(meaningOf('ttft')).toBe('The time to the first token. Default: 50ms.');
    expect(meaningOf('model')).toBe('The models it serves. Default: mock-model.');
    expect(meaningOf('port')).toBe('The port to listen on. Default: any free port.');
    expect(meaningOf('log')).toBe('Append a JSON line for each request.');
  });
});
