import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import type { KeptCall, RunProvenance } from '../../src/core/run/provenance.ts';
import { unknown } from '../../src/core/unknown.ts';
import { startMock } from '../../src/mock/mock-server.ts';
import { comparisonToJson } from '../../src/wire/comparison-schema.ts';
import { runConfigToJson } from '../../src/wire/run-config.ts';
import { madeUpComparison } from '../support/made-up-comparison.ts';
import type { MadeUpProcessOptions } from '../support/made-up-process.ts';
import { madeUpProcess } from '../support/made-up-process.ts';
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
const forged = (path: string, told: object): string => {
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'config.json'), runConfigToJson({ ...runConfig(), ...told }));
  return path;
};

const rerun = async (args: readonly string[], options: MadeUpProcessOptions = {}) => {
  const made = madeUpProcess(['rerun', ...args], options);
  const code = await made.run();
  return { code, text: made.stdout.text, problem: made.stderr.text };
};

describe('a run that is repeated', () => {
  test('is shown with what is different today, and not run unless somebody agrees', async () => {
    using home = temporaryDirectory();
    const directory = forged(join(home.path, 'run'), { provenance: provenance() });
    const place = ['--home', home.path];
    const asked = await rerun([directory, ...place], { isTerminal: true, input: 'n\n', columns: 200 });
    expect(asked.code).toBe(EXIT_CODES.ok.code);
    expect(asked.text).toContain(`plimsoll bench ${NOBODY} --requests 3`);
    expect(asked.text).toContain('Kernel: Linux of another age -> ');
    expect(asked.text).toContain('Limits: 0.50 processors, memory as it is -> ');
    expect(asked.text).toContain(`Prompts: ${'a'.repeat(64)} -> `);
    expect(asked.text).toMatch(/Not known today: .*settings of the server/);
    expect(asked.text).not.toContain('not told');
    expect(asked.text).toContain('Nothing was run.');
    expect(asked.text).not.toContain('\u001b[2J');
    expect(await rerun([directory, ...place])).toMatchObject({
      code: EXIT_CODES.usage.code,
      problem: expect.stringContaining('--yes'),
    });
  });

  test('gets no key unless its target is repeated, and none at all for another target', async () => {
    using home = temporaryDirectory();
    const directory = forged(join(home.path, 'run'), {
      provenance: provenance({ secrets: ['--api-key-file'] }),
    });
    const place = ['--home', home.path, '--api-key-file', '/k'];
    expect(await rerun([directory, '--yes', ...place])).toMatchObject({
      code: EXIT_CODES.usage.code,
      problem: expect.stringContaining('--api-key-file needs the target repeated'),
    });
    expect(await rerun([directory, 'http://127.0.0.1:10', '--yes', ...place])).toMatchObject({
      code: EXIT_CODES.usage.code,
      problem: expect.stringContaining('the run loaded http://127.0.0.1:9'),
    });
    const others = ['http://127.0.0.1:10', 'http://127.0.0.1:11'];
    const several = forged(join(home.path, 'several'), {
      provenance: provenance({ args: [NOBODY, ...others, '--requests', '3'] }),
    });
    expect(await rerun([several, NOBODY, '--yes', ...place])).toMatchObject({
      code: EXIT_CODES.usage.code,
      problem: expect.stringContaining(`the run loaded ${[NOBODY, ...others].join(', ')}, not ${NOBODY}`),
    });
  });

  test.each<readonly [string, readonly string[], string]>([
    ['starts a server', [NOBODY, '--a-start', 'touch /tmp/x'], 'would start something'],
    ['reads a key', [NOBODY, '--api-key-file', '/etc/passwd'], 'no run writes down'],
    ['reads headers', [NOBODY, '--header-file=/etc/passwd'], 'no run writes down'],
    ['asks agents', [NOBODY, '--agents', 'h:1=code'], 'no run writes down'],
    ['writes elsewhere', [NOBODY, '--out', '/etc'], 'no run writes down'],
    ['names another home', [NOBODY, '--home=/etc'], 'no run writes down'],
    ['sends what it measures', [NOBODY, '--otlp', 'http://evil.example'], 'no run writes down'],
    ['asks git of a folder', [NOBODY, '--note-git', '/evil'], 'no run writes down'],
    ['speaks to the terminal', [NOBODY, '--name', 'x\u001b]0;owned\u0007'], 'no terminal shows'],
    ['turns its text round', [NOBODY, '--name', 'x\u202ey'], 'no terminal shows'],
    ['has an empty word', [NOBODY, ''], 'no terminal shows'],
    ['has a password', ['http://me:secret@127.0.0.1:9'], 'not one that a run writes down'],
    ['has an option for a URL', ['--help', '--requests', '3'], 'not one that a run writes down'],
    ['asks for help', [NOBODY, '--help'], 'asks for help'],
    ['has an option of another version', [NOBODY, '--quantum', '3'], 'does not understand'],
    ['has a password in a second target', [NOBODY, 'http://me:x@127.0.0.1:10'], 'not one that a run'],
    ['hides a target', [NOBODY, '--requests', '3', 'http://127.0.0.1:10'], 'a target behind its options'],
  ])('is refused in words where its stored command %s', async (_, args, problem) => {
    using home = temporaryDirectory();
    const directory = forged(join(home.path, 'run'), { provenance: provenance({ args: [...args] }) });
    const refused = await rerun([directory, '--yes', '--home', home.path]);
    expect(refused).toMatchObject({ code: EXIT_CODES.benchRunDirectory.code, text: '' });
    expect(refused.problem).toContain(problem);
    expect(refused.problem).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
  });

  test('is refused where the directory does not say how: earlier versions, lines, comparisons, damage', async () => {
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

  test('sends the same prompts again, and its own report says so', async () => {
    using home = temporaryDirectory();
    await using mock = await startMock({ models: ['mine'] });
    const out = (name: string): string => join(home.path, name);
    const place = ['--home', home.path, '--quiet', '--out'];
    const options = { env: { OPENAI_API_KEY: 'sk-0123456789abcdef' } };
    const first = madeUpProcess(
      ['bench', mock.url, '--requests', '2', '--events', 'off', ...place, out('a')],
      options,
    );
    expect(await first.run()).toBe(EXIT_CODES.ok.code);
    const again = await rerun([out('a'), '--yes', ...place, out('b')], options);
    expect(again).toMatchObject({ code: EXIT_CODES.ok.code });
    expect(again.text).toContain('Nothing that is known of it is different today.');
    expect(again.text).toContain('No key is sent');
    const [a, b] = ['a', 'b'].map(name => readFileSync(join(out(name), 'report.json'), 'utf8'));
    expect(a).not.toContain('sk-0123');
    const told = (text = ''): RunProvenance => JSON.parse(text).provenance;
    expect(told(b).prompts).toEqual(told(a).prompts);
    expect(told(b).server).toEqual(told(a).server);
    expect(told(b).call).toMatchObject({
      args: [mock.url, '--requests', '2', '--events', 'off'],
      secrets: [],
    });
    expect(told(a).call).toMatchObject({ secrets: ['OPENAI_API_KEY'] });
  });
});
