import { once } from 'node:events';
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { benchCommand } from '../../src/cli/commands/bench.ts';
import { sweepCommand } from '../../src/cli/commands/sweep.ts';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import type { KeptCall, RunProvenance } from '../../src/core/run/provenance.ts';
import { unknown } from '../../src/core/unknown.ts';
import { startMock } from '../../src/mock/mock-server.ts';
import { comparisonToJson, runConfigToJson } from '../../src/wire/stored-json.ts';
import { madeUpComparison } from '../support/made-up-comparison.ts';
import { type MadeUpProcessOptions, madeUpProcess } from '../support/made-up-process.ts';
import { runConfig } from '../support/run-records.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const NOBODY = 'http://127.0.0.1:9';

const provenance = (call: Partial<KeptCall> = {}): RunProvenance => ({
  prompts: { sha256: 'a'.repeat(64), count: 1, file: unknown('prompts were generated') },
  machine: {
    kernel: 'Linux of another age',
    governor: 'powersave',
    memoryBytes: 1e9,
    cpuLimit: 0.5,
    memoryLimitBytes: unknown('no control group limits it'),
  },
  server: [{ from: 'GET /version', facts: [{ name: 'version', value: '0.0.1\u001b[2J' }] }],
  node: unknown('no daemon'),
  git: { commit: 'abcdef0', isDirty: false },
  call: { command: 'bench', args: [NOBODY, '--requests', '3'], cwd: '/nowhere', secrets: [], ...call },
});

/** The directory of a run, of which only its config.json matters. */
const forged = (path: string, reported: object): string => {
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'config.json'), runConfigToJson({ ...runConfig(), ...reported }));
  return path;
};

/** Takes connections, and counts them. */
const countingServer = async () => {
  let connections = 0;
  const server = createServer(socket => {
    connections += 1;
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    get connections() {
      return connections;
    },
    [Symbol.asyncDispose]: () => new Promise<void>(done => void server.close(() => done())),
  };
};

/** What a stored command is refused for, or what is written. */
const WRITTEN_OR_REFUSED: readonly string[] = ['out', 'save', 'to', 'resume', 'note-git', 'home'];

const rerun = async (args: readonly string[], options: MadeUpProcessOptions = {}) => {
  const made = madeUpProcess(['rerun', ...args], options);
  const code = await made.run();
  return { code, text: made.stdout.text, problem: made.stderr.text };
};

describe('a run that is repeated', () => {
  test('is shown with what is different today, and not run unless somebody agrees', async () => {
    using home = temporaryDirectory();
    const directory = forged(join(home.path, 'run'), { provenance: provenance() });
    const common = ['--home', home.path];
    const requested = await rerun([directory, ...common], {
      isTerminal: true,
      input: 'y\nn\n',
      columns: 200,
    });
    expect(requested.code).toBe(EXIT_CODES.ok.code);
    expect(requested.text).toContain(`plimsoll bench ${NOBODY} --requests 3`);
    expect(requested.text).toContain('Kernel: Linux of another age -> ');
    expect(requested.text).toContain('Limits: 0.50 processors, memory not limited -> ');
    expect(requested.text).toContain(`Prompts: ${'a'.repeat(64)} -> `);
    expect(requested.text).toMatch(/Not known today: .*settings of the server/);
    expect(requested.text).not.toMatch(/(?:: |-> )not reported$/m);
    expect(requested.text).toContain('Nothing was run.');
    expect(requested.text).not.toContain('\u001b[2J');
    expect(await rerun([directory, ...common])).toMatchObject({
      code: EXIT_CODES.usage.code,
      problem: expect.stringContaining('--yes'),
    });
  });

  test('sends nothing and reads nothing that it names before somebody has agreed', async () => {
    using home = temporaryDirectory();
    await using server = await countingServer();
    const outside = join(home.path, 'elsewhere');
    mkdirSync(outside);
    // Read, this would be refused: it is not a data set.
    writeFileSync(join(outside, 'private.jsonl'), 'a secret');
    const args = [server.url, '--dataset', 'private.jsonl', '--requests', '3'];
    const directory = forged(join(home.path, 'run'), { provenance: provenance({ args, cwd: outside }) });
    const requested = await rerun([directory, '--home', home.path], { isTerminal: true, input: 'n\n' });
    expect(requested.code).toBe(EXIT_CODES.ok.code);
    expect(requested.text).toContain(
      `--dataset: the file private.jsonl in ${realpathSync(outside)}, outside of ${directory}`,
    );
    expect(requested.text).toContain(`Send requests to ${server.url} to compare it, and read what is listed`);
    expect(requested.text).toContain('Nothing was run.');
    expect(requested.text).not.toContain('Different today');
    const withoutAgreement = await rerun([directory, '--home', home.path]);
    expect(withoutAgreement.code).toBe(EXIT_CODES.usage.code);
    expect(server.connections).toBe(0);
    // What the question is about happens behind it.
    await rerun([directory, '--home', home.path], { isTerminal: true, input: 'y\nn\n' });
    expect(server.connections).toBeGreaterThan(0);
  });

  test.each<readonly [string, readonly string[], string]>([
    ['a data set', ['--dataset', 'prompts.jsonl'], 'prompts.jsonl'],
    ['a data set by a link', ['--dataset=link.jsonl'], 'prompts.jsonl'],
    ['a folder of pictures', ['--image-folder', '.'], ''],
    ['a tokenizer', ['--tokenizer', '.'], ''],
    ['a trace', ['--trace', 'prompts.jsonl'], 'prompts.jsonl'],
    ['a system prompt', ['--system-prompt', './prompts.jsonl'], 'prompts.jsonl'],
    ['lengths', ['--input-tokens', 'file:prompts.jsonl'], 'prompts.jsonl'],
    ['stages', ['--stages', 'prompts.jsonl'], 'prompts.jsonl'],
    ['tools', ['--tools', 'prompts.jsonl'], 'prompts.jsonl'],
    ['a model', ['--facts', 'prompts.jsonl'], 'prompts.jsonl'],
  ])(
    'is not covered by --yes for %s outside of its directory, unless it is named',
    async (_, options, file) => {
      using home = temporaryDirectory();
      await using server = await countingServer();
      const outside = realpathSync(home.path);
      writeFileSync(join(outside, 'prompts.jsonl'), '{"prompt": "Why?"}\n');
      symlinkSync('prompts.jsonl', join(outside, 'link.jsonl'));
      const args = [server.url, ...options];
      const directory = forged(join(home.path, 'run'), { provenance: provenance({ args, cwd: outside }) });
      const path = join(outside, file);
      const refused = await rerun([directory, '--yes', '--home', home.path]);
      expect(refused.code).toBe(EXIT_CODES.usage.code);
      expect(refused.problem).toContain(`--yes does not cover ${path} (${options[0]?.split('=')[0]})`);
      expect(refused.problem).toContain(`--read ${path}`);
      expect(server.connections).toBe(0);
    },
  );

  test('is not covered by --yes for an address that a stranger added', async () => {
    using home = temporaryDirectory();
    await using server = await countingServer();
    const args = [NOBODY, '--facts', `${server.url}/m.gguf`];
    const directory = forged(join(home.path, 'run'), { provenance: provenance({ args }) });
    const refused = await rerun([directory, '--yes', '--home', home.path]);
    expect(refused.problem).toContain(`--yes does not cover ${server.url}/m.gguf (--facts)`);
    expect(server.connections).toBe(0);
  });

  test('is covered by --yes for what is in its own directory, and for what is named', async () => {
    using home = temporaryDirectory();
    await using mock = await startMock({ models: ['mine'] });
    const outside = realpathSync(home.path);
    writeFileSync(join(outside, 'prompts.jsonl'), '{"prompt": "Why?"}\n');
    const own = join(outside, 'run');
    const args = (path: string) => [mock.url, '--dataset', path, '--requests', '2', '--events', 'off'];
    const common = ['--home', home.path, '--quiet', '--yes', '--out'];
    forged(own, { provenance: provenance({ args: args('prompts.jsonl'), cwd: own }) });
    writeFileSync(join(own, 'prompts.jsonl'), '{"prompt": "How?"}\n');
    expect(await rerun([own, ...common, join(outside, 'a')])).toMatchObject({ code: EXIT_CODES.ok.code });
    forged(own, { provenance: provenance({ args: args('../prompts.jsonl'), cwd: own }) });
    const named = ['--read', join(outside, 'prompts.jsonl')];
    expect(await rerun([own, ...named, ...common, join(outside, 'b')])).toMatchObject({
      code: EXIT_CODES.ok.code,
    });
  });

  test('lists every option that reads a file, a folder or an address', () => {
    const reading = [benchCommand, sweepCommand].flatMap(({ options }) =>
      options.filter(({ reads }) => reads !== undefined).map(({ name }) => name),
    );
    const named = [benchCommand, sweepCommand].flatMap(({ options }) =>
      options
        .filter(
          ({ valueName = '', meaning }) => /FILE|DIR|^F$|MODEL/.test(valueName) && !/^Refused/.test(meaning),
        )
        .map(({ name }) => name),
    );
    expect(named.filter(name => !reading.includes(name) && !WRITTEN_OR_REFUSED.includes(name))).toEqual([]);
  });

  test('gets no key unless its target is repeated, and none at all for another target', async () => {
    using home = temporaryDirectory();
    const directory = forged(join(home.path, 'run'), {
      provenance: provenance({ secrets: ['--api-key-file'] }),
    });
    const common = ['--home', home.path, '--api-key-file', '/k'];
    expect(await rerun([directory, '--yes', ...common])).toMatchObject({
      code: EXIT_CODES.usage.code,
      problem: expect.stringContaining('--api-key-file needs the target repeated'),
    });
    expect(await rerun([directory, 'http://127.0.0.1:10', '--yes', ...common])).toMatchObject({
      code: EXIT_CODES.usage.code,
      problem: expect.stringContaining('the run loaded http://127.0.0.1:9'),
    });
    const others = ['http://127.0.0.1:10', 'http://127.0.0.1:11'];
    const several = forged(join(home.path, 'several'), {
      provenance: provenance({ args: [NOBODY, ...others, '--requests', '3'] }),
    });
    expect(await rerun([several, NOBODY, '--yes', ...common])).toMatchObject({
      code: EXIT_CODES.usage.code,
      problem: expect.stringContaining(`the run loaded ${[NOBODY, ...others].join(', ')}, not ${NOBODY}`),
    });
  });

  test.each<readonly [string, readonly string[], string]>([
    ['starts a server', [NOBODY, '--a-start', 'touch /tmp/x'], 'would start something'],
    ['reads a key', [NOBODY, '--api-key-file', '/etc/passwd'], 'no run stores'],
    ['reads headers', [NOBODY, '--header-file=/etc/passwd'], 'no run stores'],
    ['asks agents', [NOBODY, '--agents', 'h:1=code'], 'no run stores'],
    ['writes elsewhere', [NOBODY, '--out', '/etc'], 'no run stores'],
    ['names another home', [NOBODY, '--home=/etc'], 'no run stores'],
    ['sends what it measures', [NOBODY, '--otlp', 'http://evil.example'], 'no run stores'],
    ['asks git of a folder', [NOBODY, '--note-git', '/evil'], 'no run stores'],
    ['speaks to the terminal', [NOBODY, '--name', 'x\u001b]0;owned\u0007'], 'no terminal shows'],
    ['turns its text round', [NOBODY, '--name', 'x\u202ey'], 'no terminal shows'],
    ['has an empty word', [NOBODY, ''], 'no terminal shows'],
    ['has a password', ['http://me:secret@127.0.0.1:9'], 'not one that a run stores'],
    ['has an option for a URL', ['--help', '--requests', '3'], 'not one that a run stores'],
    ['asks for help', [NOBODY, '--help'], 'asks for help'],
    ['has an option of another version', [NOBODY, '--quantum', '3'], 'does not understand'],
    ['has a password in a second target', [NOBODY, 'http://me:x@127.0.0.1:10'], 'not one that a run'],
    ['hides a target', [NOBODY, '--requests', '3', 'http://127.0.0.1:10'], 'a target after its options'],
  ])('is refused in words where its stored command %s', async (_, args, problem) => {
    using home = temporaryDirectory();
    const directory = forged(join(home.path, 'run'), { provenance: provenance({ args: [...args] }) });
    const refused = await rerun([directory, '--yes', '--home', home.path]);
    expect(refused).toMatchObject({ code: EXIT_CODES.benchRunDirectory.code, text: '' });
    expect(refused.problem).toContain(problem);
    expect(refused.problem).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
  });

  test('is refused where the directory does not report how: earlier versions, lines, comparisons, damage', async () => {
    using home = temporaryDirectory();
    const old = forged(join(home.path, 'old'), { provenance: undefined });
    expect((await rerun([old, '--yes'])).problem).toContain('not reported by that version');
    const part = forged(join(home.path, 'part'), {
      provenance: { ...provenance(), call: unknown('a part of something else') },
    });
    expect((await rerun([part, '--yes'])).problem).toContain('a part of something else');
    const compared = join(home.path, 'compared');
    mkdirSync(compared);
    const document = madeUpComparison([[318, 280]]);
    writeFileSync(
      join(compared, 'comparison.json'),
      comparisonToJson({ ...document, command: 'plimsoll compare --b-start \u001b[2Jrm' }),
    );
    const refused = await rerun([compared, '--yes']);
    expect(refused.code).toBe(EXIT_CODES.benchRunDirectory.code);
    expect(refused.problem).toContain('are not started from a file');
    expect(refused.problem).not.toContain('\u001b');
    for (const [name, text] of [
      ['long', JSON.stringify({ ...runConfig(), provenance: provenance({ args: ['x'.repeat(200_000)] }) })],
      ['huge', `{"schema":"plimsoll.run/1","x":"${'y'.repeat(70 * 1024 * 1024)}"}`],
      ['deep', '['.repeat(100_000)],
      ['empty', ''],
    ] as const) {
      mkdirSync(join(home.path, name));
      writeFileSync(join(home.path, name, 'config.json'), text);
      expect(await rerun([join(home.path, name), '--yes'])).toMatchObject({
        code: EXIT_CODES.benchRunDirectory.code,
        text: '',
      });
    }
    expect((await rerun([join(home.path, 'nowhere'), '--yes'])).code).toBe(EXIT_CODES.benchRunDirectory.code);
  });

  test('sends the same prompts again, and its own report reports it', async () => {
    using home = temporaryDirectory();
    await using mock = await startMock({ models: ['mine'] });
    const out = (name: string): string => join(home.path, name);
    const common = ['--home', home.path, '--quiet', '--out'];
    const options = { env: { OPENAI_API_KEY: 'sk-0123456789abcdef' } };
    const first = madeUpProcess(
      ['bench', mock.url, '--requests', '2', '--events', 'off', ...common, out('a')],
      options,
    );
    expect(await first.run()).toBe(EXIT_CODES.ok.code);
    const again = await rerun([out('a'), '--yes', ...common, out('b')], options);
    expect(again).toMatchObject({ code: EXIT_CODES.ok.code });
    expect(again.text).toContain('No difference is known.');
    expect(again.text).toContain('No key is sent');
    const [a, b] = ['a', 'b'].map(name => readFileSync(join(out(name), 'report.json'), 'utf8'));
    expect(a).not.toContain('sk-0123');
    const reported = (text = ''): RunProvenance => JSON.parse(text).provenance;
    expect(reported(b).prompts).toEqual(reported(a).prompts);
    expect(reported(b).server).toEqual(reported(a).server);
    expect(reported(b).call).toMatchObject({
      args: [mock.url, '--requests', '2', '--events', 'off'],
      secrets: [],
    });
    expect(reported(a).call).toMatchObject({ secrets: ['OPENAI_API_KEY'] });
  });
});
