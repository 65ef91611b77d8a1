import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mcpCommand } from '../../src/cli/commands/mcp.ts';
import { type ActionParts, allowedTargets, type McpAction, mcpActions } from '../../src/cli/mcp-actions.ts';
import { type CommandDaemon, commandDaemon } from '../support/command-daemon.ts';
import { madeUpProcess } from '../support/made-up-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const ENDPOINT = 'http://127.0.0.1:9';
const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
const ALLOWED = ['--allow-actions', '--allow-target', ENDPOINT, '--allow-target', 'atlas'];

const actionsFor = (
  targets: readonly string[],
  home: string,
  { script, ...parts }: Partial<Pick<ActionParts, 'until' | 'earlyMs'>> & { readonly script?: string } = {},
): readonly McpAction[] => {
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
    ).toEqual(['start_probe', 'start_bench']);
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
    const [bench] = actionsFor([SECRET], folder.path, { script, earlyMs: 30_000 });
    await expect(bench?.start({ target: SECRET })).rejects.toThrow('Expected "http://127.0.0.1:9/v1"');
    const answer = await bench?.start({ target: 'http://127.0.0.1:9/v1' });
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
    const [probe] = actionsFor(['atlas'], daemon.home);
    // This daemon runs with --probes off, and gives that as the reason.
    const refused = { result: 'refused', reason: expect.stringContaining('probes are off') };
    expect((await probe?.start({ node: 'atlas' }))?.structured).toMatchObject({ probes: [refused] });
    await expect(probe?.start({ node: 'boreas' })).rejects.toThrow('there is no such node');
    await expect(probe?.start({ node: 'atlas', to: 'atlas; rm -rf /' })).rejects.toThrow('no such node');
    const [other] = actionsFor(['boreas'], daemon.home);
    await expect(other?.start({ node: 'atlas' })).rejects.toThrow('not among those that may be measured');
    const [each] = actionsFor(['cluster'], daemon.home);
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
if (process.argv.includes('--concurrency=2')) setInterval(() => {}, 1_000);
else { process.stderr.write('plimsoll: nobody answers\\n'); process.exit(10); }
`,
    );
    const over = new AbortController();
    const parts = { script, until: over.signal };
    const [bench] = actionsFor([ENDPOINT], folder.path, { ...parts, earlyMs: 30_000 });
    for (const given of [
      { target: 'http://127.0.0.1:10' },
      { target: ENDPOINT, concurrency: 65 },
      { target: ENDPOINT, seconds: 301 },
      {},
    ])
      await expect(bench?.start(given)).rejects.toThrow('the arguments are wrong');
    const failed = await bench?.start({ target: ENDPOINT, seconds: 5 });
    expect(failed?.structured).toMatchObject({ state: 'failed', reason: 'plimsoll: nobody answers' });
    const [long] = actionsFor([ENDPOINT], folder.path, { ...parts, earlyMs: 0 });
    rmSync(reported);
    const running = await long?.start({
      target: ENDPOINT,
      concurrency: 2,
      command: 'rm',
      file: '/etc/passwd',
    });
    expect(running?.structured).toMatchObject({
      state: 'running',
      name: expect.stringMatching(/^asked-[0-9a-f]{8}$/),
    });
    await expect(long?.start({ target: ENDPOINT })).rejects.toThrow('is in progress');
    await until(() => existsSync(reported) && readFileSync(reported, 'utf8').endsWith(']'), signal);
    expect(JSON.parse(readFileSync(reported, 'utf8'))).toEqual([
      ...['bench', ENDPOINT, '--quiet', '--json', `--home=${folder.path}`],
      expect.stringMatching(/^--name=asked-/),
      '--concurrency=2',
      '--duration=30s',
    ]);
    over.abort();
  });
});
