import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mcpCommand } from '../../src/cli/commands/mcp.ts';
import { type ActionParts, allowedTargets, type McpAction, mcpActions } from '../../src/cli/mcp-actions.ts';
import { startMock } from '../../src/mock/mock-server.ts';
import { writtenAs } from '../report/imported/foreign-texts.ts';
import { type CommandDaemon, commandDaemon } from '../support/command-daemon.ts';
import { madeUpProcess } from '../support/made-up-process.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const ENDPOINT = 'http://127.0.0.1:9';
const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
const ALLOWED = ['--allow-actions', '--allow-target', ENDPOINT, '--allow-target', 'atlas'];

const actionsFor = (
  targets: readonly string[],
  home: string,
  { script, ...parts }: Partial<Pick<ActionParts, 'until' | 'earlyMs'>> & { readonly script?: string } = {},
): Promise<readonly McpAction[]> => {
  const { state } = madeUpProcess([]);
  return mcpActions(allowedTargets(targets), {
    home,
    state: script === undefined ? state : { ...state, script },
    until: new AbortController().signal,
    ...parts,
  });
};

describe('who may start something', () => {
  test('nobody by default, and with --allow-actions only what reports of itself that it changes something', async () => {
    const plain = madeUpProcess(['mcp'], { input: LIST });
    expect(await plain.run([mcpCommand])).toBe(0);
    expect(plain.stdout.text).not.toContain('start_');
    const allowed = madeUpProcess(['mcp', ...ALLOWED], { input: LIST });
    expect(await allowed.run([mcpCommand])).toBe(0);
    const { result } = JSON.parse(allowed.stdout.text);
    expect(
      result.tools.flatMap(
        ({ name, annotations }: { name: string; annotations: { readOnlyHint: boolean } }) =>
          annotations.readOnlyHint ? [] : [name],
      ),
    ).toEqual([
      ...['start_probe', 'start_bench', 'start_sweep', 'start_line', 'start_compare'],
      'start_calibrate',
    ]);
  });

  test('either option without the other is refused, and so is a URL that nothing can be sent to', async () => {
    for (const [args, problem] of [
      [['--allow-actions'], 'nothing could be started'],
      [['--allow-target', ENDPOINT], '--allow-target without --allow-actions'],
      [['--allow-actions', '--allow-target', 'ftp://127.0.0.1'], '--allow-target: '],
    ] as const) {
      const refused = madeUpProcess(['mcp', ...args]);
      expect(await refused.run([mcpCommand])).toBe(2);
      expect(refused.stderr.text).toContain(problem);
    }
  });
});

describe('an endpoint with credentials', () => {
  const SECRET = 'http://lee:s3cret@127.0.0.1:9/v1?key=s3cret';

  test('is listed and requested without them, and loaded with them', async ({ signal }) => {
    const allowed = madeUpProcess(['mcp', '--allow-actions', '--allow-target', SECRET], { input: LIST });
    expect(await allowed.run([mcpCommand])).toBe(0);
    expect(allowed.stdout.text).toContain('"http://127.0.0.1:9/v1"');
    expect(allowed.stdout.text).not.toContain('s3cret');
    using folder = temporaryDirectory();
    const reported = join(folder.path, 'target.txt');
    const script = join(folder.path, 'bench.mjs');
    writeFileSync(
      script,
      `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(reported)}, process.argv[3]);`,
    );
    const [bench] = await actionsFor([SECRET], folder.path, { script, earlyMs: 30_000 });
    await expect(bench?.start({ url: SECRET })).rejects.toThrow('Expected "http://127.0.0.1:9/v1"');
    const answer = await bench?.start({ url: 'http://127.0.0.1:9/v1' });
    expect(JSON.stringify(answer)).not.toContain('s3cret');
    await until(() => existsSync(reported), signal);
    expect(readFileSync(reported, 'utf8')).toBe(SECRET);
  });

  test('is refused next to another of the same place, and one behind a socket of this machine is an endpoint too', () => {
    expect(() => allowedTargets([SECRET, SECRET, 'http://127.0.0.1:9/v1'])).toThrow('there twice');
    const { urls, nodes } = allowedTargets([SECRET, SECRET, 'unix:/run/server.sock', 'atlas']);
    expect([...urls.keys()]).toEqual(['http://127.0.0.1:9/v1', 'unix:/run/server.sock']);
    expect(nodes).toEqual(['atlas']);
  });
});

describe('a probe', () => {
  let daemon: CommandDaemon;
  beforeAll(async () => {
    daemon = await commandDaemon();
  });
  afterAll(() => daemon[Symbol.asyncDispose]());

  test('is asked for where the node was named, and refused elsewhere', async () => {
    const [probe] = await actionsFor(['atlas'], daemon.home);
    // This daemon runs with --probes off, and gives that as the reason.
    const refused = { result: 'refused', reason: expect.stringContaining('probes are off') };
    expect((await probe?.start({ node: 'atlas' }))?.structured).toMatchObject({ probes: [refused] });
    await expect(probe?.start({ node: 'boreas' })).rejects.toThrow('there is no such node');
    await expect(probe?.start({ node: 'atlas', to: 'atlas; rm -rf /' })).rejects.toThrow('no such node');
    const [other] = await actionsFor(['boreas'], daemon.home);
    await expect(other?.start({ node: 'atlas' })).rejects.toThrow('not among those that may be measured');
    const [each] = await actionsFor(['cluster'], daemon.home);
    expect((await each?.start({ node: 'atlas' }))?.structured).toMatchObject({ probes: [refused] });
  });
});

describe('a load test', () => {
  test('gets the endpoint as it was allowed and bounded figures, one at a time, and ends with its asker', async ({
    signal,
  }) => {
    using folder = temporaryDirectory();
    const reported = join(folder.path, 'arguments.json');
    const script = join(folder.path, 'bench.mjs');
    writeFileSync(
      script,
      `import { writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(reported)}, JSON.stringify(process.argv.slice(2)));
if (process.argv.includes('--concurrency')) setInterval(() => {}, 1_000);
else { process.stderr.write('plimsoll: nobody answers\\n'); process.exit(10); }
`,
    );
    const over = new AbortController();
    const parts = { script, until: over.signal };
    const [bench] = await actionsFor([ENDPOINT], folder.path, { ...parts, earlyMs: 30_000 });
    for (const [given, problem] of [
      [{ url: 'http://127.0.0.1:10' }, 'the arguments are wrong at url'],
      [{}, 'the arguments are wrong at url'],
      [{ url: ENDPOINT, concurrency: 65 }, 'concurrency may be at most 64 here'],
      [{ url: ENDPOINT, duration: '301s' }, 'duration may be at most 300000 ms here'],
      [{ url: ENDPOINT, duration: 30 }, 'the arguments are wrong at duration'],
    ] as const)
      await expect(bench?.start(given)).rejects.toThrow(problem);
    const failed = await bench?.start({ url: ENDPOINT, duration: '5s' });
    expect(failed?.structured).toMatchObject({ state: 'failed', reason: 'plimsoll: nobody answers' });
    const [long] = await actionsFor([ENDPOINT], folder.path, { ...parts, earlyMs: 0 });
    rmSync(reported);
    const running = await long?.start({
      url: ENDPOINT,
      concurrency: 2,
      duration: '30s',
      command: 'rm',
      file: '/etc/passwd',
    });
    expect(running?.structured).toMatchObject({
      state: 'running',
      id: expect.stringMatching(/^\d{8}-\d{6}-[0-9a-f]{4}$/),
    });
    await expect(long?.start({ url: ENDPOINT })).rejects.toThrow('is in progress');
    await until(() => existsSync(reported) && readFileSync(reported, 'utf8').endsWith(']'), signal);
    expect(JSON.parse(readFileSync(reported, 'utf8'))).toEqual([
      ...['bench', ENDPOINT, '--duration', '30s', '--concurrency', '2'],
      expect.stringMatching(/^--id=/),
      ...['--json', '--quiet', `--home=${folder.path}`],
    ]);
    over.abort();
  });
});

describe('work on a real endpoint', { timeout: 120_000 }, () => {
  test('has the options of the command and its result in the home, and a file that was named is imported', async () => {
    using folder = temporaryDirectory();
    await using mock = await startMock({ ttftMs: 2, gapMs: 1, outputTokens: 3 });
    const file = join(folder.path, 'result.json');
    writeFileSync(file, await writtenAs('vllm'));
    const actions = await actionsFor([mock.url, file], folder.path, {
      script: `${repositoryRoot}src/cli/main.ts`,
      earlyMs: 60_000,
    });
    const start = async (name: string, given: object): Promise<string> => {
      const answer = await actions.find(action => action.name === name)?.start(given);
      expect(answer?.structured).toMatchObject({ state: 'ended', reason: '' });
      return JSON.stringify(answer?.structured);
    };
    const run = JSON.parse(await start('start_bench', { url: mock.url, requests: 4, concurrency: 2 }));
    const report = JSON.parse(readFileSync(join(folder.path, 'runs', run.id, 'report.json'), 'utf8'));
    expect(report).toMatchObject({ run: { id: run.id }, counts: { completed: 4 } });
    await start('start_import', { file });
    expect(readdirSync(join(folder.path, 'runs'))).toHaveLength(2);
  });
});
