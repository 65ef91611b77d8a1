import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { applyAll } from '../../../src/core/apply.ts';
import { EMPTY_STATE } from '../../../src/core/state.ts';
import { eventOf } from '../../../src/recording/recording-line.ts';
import { readRecording } from '../../../src/recording/recording-reader.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { documentFaults } from '../../support/published-schema.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { standInSsh } from './stand-in-ssh.ts';

const survey = async (env: Readonly<Record<string, string>>, ...words: readonly string[]) => {
  const made = madeUpProcess(['survey', ...words], { env });
  return { code: await made.run(), text: made.stdout.text, problems: made.stderr.text };
};

describe('plimsoll survey', () => {
  test('prints a published document with the machines as a cluster, and saves it as a recording', async () => {
    using ssh = standInSsh();
    using folder = temporaryDirectory();
    const file = join(folder.path, 'two.plimsoll');
    const { code, text } = await survey(
      ssh.env,
      ...['--ssh', 'root@juno,ssh://atlas:2222', '--no-links', '--json', '--out', file],
    );
    expect(code).toBe(0);
    const document: unknown = JSON.parse(text);
    expect(await documentFaults(document)).toEqual([]);
    const memoryKib = /^MemTotal:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1];
    const node = {
      memory: { value: { totalBytes: Number(memoryKib) * 1024 } },
      identity: { value: { architecture: process.arch, isSimulated: false } },
      system: { value: { cpuUse: expect.any(Number) } },
    };
    expect(document).toMatchObject({
      schema: 'plimsoll.survey/1',
      machines: [{ target: 'root@juno' }, { target: 'ssh://atlas:2222' }],
      cluster: {
        nodes: [
          { name: 'juno', ...node },
          { name: 'atlas', ...node },
        ],
      },
    });
    const lines = [];
    for await (const part of readRecording(file)) if (part.kind === 'line') lines.push(part.line);
    expect(lines.map(({ kind }) => kind)).toEqual(['header', 'begin', 'origin', 'origin', 'ready', 'end']);
    const events = lines.flatMap(line =>
      line.kind === 'origin' ? line.events.flatMap(event => eventOf(event, 0) ?? []) : [],
    );
    expect(Object.keys(applyAll(EMPTY_STATE, events).nodeIdentities)).toHaveLength(2);

    const again = await survey(ssh.env, '--ssh', 'juno', '--out', file);
    expect(again).toMatchObject({ code: 31, problems: expect.stringContaining('already exists') });
  });

  test('shows the machines in the terminal, and what is missing below them', async () => {
    using ssh = standInSsh('[ "$PLIMSOLL_TEST_SSH" != gone ] || exit 1');
    const shown = await survey(ssh.env, '--ssh', 'juno', '--no-links');
    expect(shown.code).toBe(0);
    expect(shown.text).toMatch(/^● juno .* GB/m);
    expect(shown.problems).toBe('juno: read\n');
    const gone = await survey({ ...ssh.env, PLIMSOLL_TEST_SSH: 'gone' }, '--ssh', 'juno');
    expect(gone.code).toBe(36);
    expect(gone.text).toContain('juno did not run sh (ssh ended with code 1)');
  });

  test('refuses what ssh or a shell could take for something else', async () => {
    using ssh = standInSsh('exit 99');
    const strange = [
      '-oProxyCommand=x',
      'a,-lroot',
      '$(id)',
      'a;b',
      'a b',
      '`id`',
      'ssh://-x',
      'root@-x',
      'http://a',
      '',
      'a,,b',
    ];
    for (const target of strange)
      expect(await survey(ssh.env, `--ssh=${target}`), target).toMatchObject({ code: 2 });
    const many = Array.from({ length: 13 }, (_, index) => `n${index}`).join(',');
    expect(await survey(ssh.env, '--ssh', many)).toMatchObject({
      code: 2,
      problems: expect.stringContaining('At most 12'),
    });
    expect(await survey(ssh.env)).toMatchObject({
      code: 2,
      problems: expect.stringContaining('--ssh is missing'),
    });
  });
});
