import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BENCH_OPTIONS } from '../../../src/cli/bench/bench-options.ts';
import { readRunFile, runFileText } from '../../../src/cli/bench/run-file.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const readOf = async (name: string, text: string, given: readonly string[] = []) => {
  using folder = temporaryDirectory();
  writeFileSync(join(folder.path, name), text);
  return await readRunFile(name, { cwd: folder.path, options: BENCH_OPTIONS, given: new Set(given) });
};

const TOML = `# nightly
url = "http://h:1"
requests = 100
slo = ["ttft=500ms", "tpot=50ms"]
no-nonce = true

[matrix]
concurrency = [1, 8]

[[runs]]
name = "short"
input_tokens = 128

[[runs]]
name = "long"
input_tokens = 4096
`;

describe('a file of runs', () => {
  test('has every combination of its runs and its matrix, and keeps its comments', async () => {
    const { runs, text, name } = await readOf('night.toml', TOML);
    expect(name).toBe('night.toml');
    expect(text).toContain('# nightly');
    expect(runs.map(({ label }) => label)).toEqual([
      'name=short input_tokens=128 concurrency=1',
      'name=short input_tokens=128 concurrency=8',
      'name=long input_tokens=4096 concurrency=1',
      'name=long input_tokens=4096 concurrency=8',
    ]);
    expect(runs[0]).toMatchObject({
      urls: ['http://h:1'],
      words: [
        ...['--requests', '100', '--slo', 'ttft=500ms', '--slo', 'tpot=50ms', '--no-nonce'],
        ...['--name', 'short', '--input-tokens', '128', '--concurrency', '1'],
      ],
    });
  });

  test.each([
    ['header = "Authorization: Bearer s3cret"', true],
    ['url = "http://u:p@h:1"', true],
    ['url = "http://h:1/"\nrate = 5', false],
    ['[[runs]]\napi-key-file = "k"', true],
  ])('with %j may contain a secret: %j', async (text, hasSecrets) => {
    expect((await readOf('a.toml', text)).hasSecrets).toBe(hasSecrets);
  });

  test('gives way to the command line', async () => {
    const { runs } = await readOf('a.toml', 'requests = 5\nrate = 2\n', ['rate']);
    expect(runs).toEqual([{ label: '', urls: [], words: ['--requests', '5'] }]);
  });

  test('gives way to what the command line has instead', async () => {
    const { runs } = await readOf('a.toml', 'requests = 5\nrate = 2\n', ['concurrency']);
    expect(runs).toEqual([{ label: '', urls: [], words: ['--requests', '5'] }]);
  });

  test('numbers runs that are equal', async () => {
    const { runs } = await readOf('a.toml', '[[runs]]\nrate = 2\n[[runs]]\nrate = 2\n[[runs]]\nrate = 3\n');
    expect(runs.map(({ label }) => label)).toEqual(['rate=2 run 1', 'rate=2 run 2', 'rate=3']);
    const equal = await readOf('a.toml', '[[runs]]\n[[runs]]\n');
    expect(equal.runs.map(({ label }) => label)).toEqual(['run 1', 'run 2']);
  });

  test('names [matrix] for a list of values of an option that has one', async () => {
    await expect(readOf('a.toml', 'requests = [1, 2]\n')).rejects.toThrow(
      'a.toml: requests has one value in a run, and this is a list',
    );
    await expect(readOf('a.toml', 'requests = [1, 2]\n')).rejects.toMatchObject({
      problem: { advice: 'For a run with each of them, write it under [matrix]: requests = [1,2]' },
    });
    expect((await readOf('a.toml', 'tag = ["a=1", "b=2"]\n')).runs).toHaveLength(1);
  });

  test.each([
    ['a.yaml', '# one\nurl: http://h:1\nrequests: 5\nslo: [ttft=1s]\n'],
    ['a.json', '{"url": "http://h:1", "requests": 5, "slo": ["ttft=1s"]}'],
  ])('is read from %s too', async (name, text) => {
    const { runs } = await readOf(name, text);
    expect(runs).toEqual([
      { label: '', urls: ['http://h:1'], words: ['--requests', '5', '--slo', 'ttft=1s'] },
    ]);
  });

  test.each([
    ['a.toml', 'request = 5\n', 'a.toml: "request" is not an option of plimsoll bench'],
    ['a.toml', 'requests = \n', 'a.toml: line 1'],
    ['a.toml', 'no-nonce = "yes"\n', 'no-nonce is neither true nor false'],
    ['a.toml', 'url = "a.toml"\n', '"a.toml" is not a URL'],
    ['a.toml', 'url = ["--help"]\n', '"--help" is not a URL'],
    ['a.toml', 'save = "b.toml"\n', 'save runs nothing'],
    ['a.toml', 'like = "vllm"\n', 'like runs nothing'],
    ['a.toml', 'runs = 5\n', 'runs is not a list of tables'],
    ['a.toml', '[matrix]\nrate = 5\n', 'matrix.rate is not a list'],
    [
      'a.toml',
      `[matrix]\nrate = [${Array.from({ length: 101 }, (_, at) => at + 1).join(',')}]\n`,
      'more than 100',
    ],
    ['a.yaml', 'requests: [\n', 'a.yaml: '],
    ['a.yaml', '- 5\n', 'not a table of options'],
    ['a.json', '[]', 'not a JSON object'],
  ])('%s with %j is refused', async (name, text, problem) => {
    await expect(readOf(name, text)).rejects.toThrow(problem);
  });

  test('that is missing is refused', async () => {
    await expect(
      readRunFile('none.toml', { cwd: '/nowhere', options: BENCH_OPTIONS, given: new Set() }),
    ).rejects.toThrow('none.toml');
  });

  test.each(['a.toml', 'a.yaml', 'a.json'])(
    'saved as %s has the same words again, without secrets',
    async name => {
      const words = ['http://h:1', '--rate', '4', '--slo', 'ttft=1s', '--slo', 'tpot=50ms', '--no-nonce'];
      const { text, secrets } = await runFileText(
        name,
        [...words, '--streaming', '--header', 'A: s3cret', '--save', name],
        { options: BENCH_OPTIONS },
      );
      expect(secrets).toEqual(['--header']);
      expect(text).not.toContain('s3cret');
      const { runs } = await readOf(name, text);
      expect(runs).toEqual([
        { label: '', urls: ['http://h:1'], words: [...words.slice(1), '--streaming', 'on'] },
      ]);
    },
  );
});
