// Every document that a command prints with --json is published, and what is printed has the published form.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { allCommands } from '../../src/cli/commands.ts';
import type { NodeProbeDocument } from '../../src/cli/probe/probe-documents.ts';
import { PUBLISHED_DOCUMENTS, publishedSchema } from '../../src/cli/published-documents.ts';
import { CONFIG_SECTIONS } from '../../src/config/config-keys.ts';
import { PLAIN_FORMS } from '../../src/render/document/plain-kinds.ts';
import { statusDocumentSchema } from '../../src/wire/api/status-document.ts';
import { comparisonToJson } from '../../src/wire/stored-json.ts';
import { writtenAs } from '../report/imported/foreign-texts.ts';
import { commandDaemon } from '../support/command-daemon.ts';
import { liveDemo } from '../support/live-daemons.ts';
import { madeUpComparison } from '../support/made-up-comparison.ts';
import { madeUpLine, madeUpSweep, writeLine, writeSweep } from '../support/made-up-line.ts';
import { madeUpProcess } from '../support/made-up-process.ts';
import { mooncakeLines } from '../support/made-up-trace.ts';
import { documentFaults } from '../support/published-schema.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { writeTimedRun } from '../support/timed-runs.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const COMMANDS = await allCommands();
const withJson = COMMANDS.filter(({ options }) => options.some(({ name }) => name === 'json'));

/** Prints what the others print, of a stored run. */
const AGAIN = 'rerun';

/** They need a server, a device or a network: the test that runs each of them checks it. */
const CHECKED_IN: Readonly<Record<string, string>> = {
  bench: 'test/integration/bench/limits.test.ts',
  sweep: 'test/integration/bench/sweep.test.ts',
  line: 'test/integration/bench/line.test.ts',
  calibrate: 'test/network/calibrate.test.ts',
  'probe all': 'test/cli/probe/probe-all.test.ts',
  'probe link': 'test/cli/probe/probe-link.test.ts',
  accept: 'test/cli/accept.test.ts',
  'probe gpu': 'test/cli/probe/probe-devices.test.ts',
  'probe memory': 'test/cli/probe/probe-devices.test.ts',
  'fleet status': 'test/mesh/nats/fleet-commands.test.ts',
  'service status': 'test/cli/service.test.ts',
  survey: 'test/cli/survey/survey-command.test.ts',
  wire: 'test/cli/wire.test.ts',
};

/** The others, in a home and a folder of files; each line prints the document after it. */
const LINES: readonly (readonly [document: string, ...line: readonly string[]])[] = [
  ['doctor', 'doctor'],
  ['config', 'config', 'show'],
  ['config-check', 'config', 'check'],
  ['config-path', 'config', 'path'],
  ['schemas', 'schema'],
  ['runs', 'runs'],
  ['report', 'report', 'a-0'],
  ['repeat', 'report', 'five'],
  ['sweep', 'report', 'sweep'],
  ['line', 'report', 'line'],
  ['comparison', 'report', 'comparison'],
  ['comparison', 'compare', '--a', 'runs:tag=a', '--b', 'runs:tag=b'],
  ['baseline', 'baseline', 'save', 'good', 'runs:tag=a'],
  ['baseline', 'baseline', 'show', 'good'],
  ['baselines', 'baseline', 'list'],
  ['imported', 'import', 'FILES/vllm.json'],
  ['why', 'why', 'a-0', 'FILES/vllm.json'],
  ['why', 'why', 'a-0', 'a-1'],
  ['dataset', 'dataset', 'show', 'FILES/made.jsonl'],
  ['trace', 'dataset', 'show', 'FILES/trace.jsonl'],
  ['headroom', 'headroom', 'FILES/model', '--bandwidth', '273GB', '--memory', '128GB'],
  ['removed-runs', 'runs', 'rm', 'a-0', '--yes'],
];

describe('the published documents', () => {
  test.each(PUBLISHED_DOCUMENTS)(
    'have a JSON Schema of draft 2020-12 that names them: $id',
    async document => {
      const schema = await publishedSchema(document);
      expect(schema).toMatchObject({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        title: document.id,
        type: 'object',
        required: expect.arrayContaining(['schema']),
        properties: { schema: { const: document.id } },
      });
      const validate = new Ajv2020({ strictTuples: false, strictTypes: false }).compile(
        JSON.parse(JSON.stringify(schema)),
      );
      expect(validate({ schema: document.id })).toBe(false);
      expect(vagueParts(schema)).toEqual([]);
    },
  );

  test('are printed by commands that have --json, and each such command states what it prints', () => {
    const mute = withJson.filter(({ prints = [] }) => prints.length === 0);
    expect(mute.map(({ name }) => name)).toEqual([]);
    const others = COMMANDS.filter(command => !withJson.includes(command));
    expect(others.filter(({ prints }) => prints !== undefined).map(({ name }) => name)).toEqual([]);
    const printed = new Set(withJson.flatMap(({ prints = [] }): readonly string[] => prints));
    const forms = PLAIN_FORMS.filter(({ form }) => !printed.has(form));
    expect(forms.map(({ form }) => form)).toEqual([]);
    const options = new Set([
      ...COMMANDS.flatMap(command => command.options.map(({ name }) => name)),
      ...CONFIG_SECTIONS.map(({ name }) => name),
    ]);
    const orphans = PUBLISHED_DOCUMENTS.filter(
      ({ name, file, sentBy }) =>
        !printed.has(name) && file === undefined && (sentBy === undefined || !options.has(sentBy)),
    );
    expect(orphans.map(({ name }) => name)).toEqual([]);
  });

  test('are what every command with --json prints: each is run here or in the test that is named here', () => {
    const run = new Set(LINES.map(([, ...line]) => commandOf(line)));
    const unchecked = withJson
      .map(({ name }) => name)
      .filter(name => !run.has(name) && name !== 'dataset make' && name !== 'status' && name !== AGAIN)
      .filter(name => {
        const file = CHECKED_IN[name];
        return (
          file === undefined || !readFileSync(join(repositoryRoot, file), 'utf8').includes('documentFaults(')
        );
      });
    expect(unchecked).toEqual([]);
  });

  test('have the published form where they are printed', { timeout: 60_000 }, async () => {
    using home = await filledHome();
    const seen = new Set<string>();
    for (const [name, ...line] of LINES) {
      const { document, code } = await printed(home.path, line);
      expect(await documentFaults(document), `${line.join(' ')} (${code})`).toEqual([]);
      expect(document).toMatchObject({ schema: `plimsoll.${name}/1` });
      seen.add(name);
    }
    expect(seen.size).toBeGreaterThan(15);
  });

  test('have the published form when a daemon prints its cluster, with links and groups', async () => {
    await using daemon = await commandDaemon();
    for (const more of [[], ['--group', 'kind']]) {
      const { document } = await printed(daemon.home, ['status', ...more]);
      expect(await documentFaults(document)).toEqual([]);
      expect(document).toMatchObject({ schema: 'plimsoll.status/1', links: [], nodes: [{ name: 'atlas' }] });
    }
  });

  test('have the published form with links and GPUs, which a probe of a node prints as status does', async () => {
    const clock = new VirtualClock();
    await using live = await liveDemo({ size: 3, clock });
    await clock.advance(5_000);
    const { document } = await printed(live.home, ['status']);
    expect(await documentFaults(document)).toEqual([]);
    const { links } = v.parse(statusDocumentSchema, document);
    const [link] = links;
    if (link === undefined) throw new Error('the cluster has no links');
    const { source, sink } = link;
    const probed: NodeProbeDocument = { schema: 'plimsoll.node-probe/1', source, sink, links };
    expect(await documentFaults(probed)).toEqual([]);
  });

  test('are refused by their schema if a field is missing or is another', async () => {
    const good = { schema: 'plimsoll.doctor/1', problems: 0, checks: [] };
    expect(await documentFaults(good)).toEqual([]);
    expect(await documentFaults({ ...good, problems: undefined })).not.toEqual([]);
    expect(await documentFaults({ ...good, checks: [{ section: 'elsewhere' }] })).not.toEqual([]);
    expect(await documentFaults([good])).not.toEqual([]);
  });
});

describe('plimsoll schema', () => {
  const run = async (...args: readonly string[]) => {
    const made = madeUpProcess(['schema', ...args]);
    const code = await made.run();
    return { code, text: made.stdout.text, problems: made.stderr.text };
  };

  test('lists every document in lines that fit 80 columns, and prints one by its name or its key', async () => {
    const list = madeUpProcess(['schema'], { isTerminal: true, columns: 80 });
    expect(await list.run()).toBe(0);
    for (const { name } of PUBLISHED_DOCUMENTS)
      expect(list.stdout.text).toMatch(new RegExp(`^${name} `, 'm'));
    for (const line of list.stdout.text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    const byName = await run('doctor');
    expect(byName).toMatchObject({ code: 0, problems: '' });
    expect(JSON.parse(byName.text)).toEqual(
      await publishedSchema(PUBLISHED_DOCUMENTS.find(({ name }) => name === 'doctor') ?? never()),
    );
    expect((await run('plimsoll.doctor/1')).text).toBe(byName.text);
  });

  test('contains only the named schemas that it refers to', async () => {
    const { $defs, ...rest } = JSON.parse((await run('report')).text);
    const names = Object.keys($defs);
    const all = JSON.stringify({ $defs, rest });
    expect(names).not.toEqual([]);
    for (const name of names) expect(all).toContain(`"#/$defs/${name}"`);
    expect(names).not.toContain('Status');
  });

  test('suggests the nearest name for another one', async () => {
    expect(await run('docter')).toEqual({
      code: 2,
      text: '',
      problems: 'plimsoll: there is no document "docter"\nDid you mean: plimsoll schema doctor\n',
    });
    expect((await run('xqxqxq')).problems).toContain('plimsoll schema\n');
  });
});

const never = (): never => {
  throw new Error('it is not there');
};

const commandOf = (line: readonly string[]): string | undefined =>
  COMMANDS.find(({ name }) => name === line.slice(0, 2).join(' '))?.name ??
  COMMANDS.find(({ name }) => name === line[0])?.name;

const printed = async (home: string, line: readonly string[]) => {
  const made = madeUpProcess([
    ...line.map(word => word.replace('FILES', home)),
    ...['--home', home, '--json'],
  ]);
  const code = await made.run();
  try {
    const document: unknown = JSON.parse(made.stdout.text);
    return { document, code };
  } catch (error) {
    throw new Error(`${line.join(' ')} ended with ${code}: ${made.stderr.text}`, { cause: error });
  }
};

const filledHome = async () => {
  const home = temporaryDirectory();
  const folder = (...names: readonly string[]): string => {
    const path = join(home.path, ...names);
    mkdirSync(path, { recursive: true });
    return path;
  };
  for (const [tag, factor] of [
    ['a', 1],
    ['b', 1.3],
  ] as const)
    for (let index = 0; index < 5; index += 1)
      writeTimedRun(folder('runs', `${tag}-${index}`), {
        requests: 80,
        outputTokens: 4,
        runEffect: 0.01,
        seed: 50 * factor + index,
        factor,
        run: { id: `${tag}-${index}`, tags: { [tag]: 'yes' }, seed: index },
      });
  for (let run = 1; run <= 5; run += 1)
    writeTimedRun(folder('runs', 'five', `run-0${run}`), {
      seed: run,
      requests: 20,
      run: { id: `run-${run}`, seed: run },
    });
  writeSweep(folder('runs', 'sweep'), madeUpSweep('sweep'));
  writeLine(folder('runs', 'line'), madeUpLine());
  const pairs = [318, 322, 310, 325, 315, 321].map((a, index) => [a, 280 + 3 * (index % 3)] as const);
  writeFileSync(
    join(folder('runs', 'comparison'), 'comparison.json'),
    comparisonToJson(madeUpComparison(pairs)),
  );
  writeFileSync(
    join(home.path, 'config.toml'),
    'name = "atlas"\ntags = ["lab"]\n[probes]\nenabled = false\n',
  );
  writeFileSync(join(home.path, 'vllm.json'), await writtenAs('vllm'));
  writeFileSync(join(home.path, 'trace.jsonl'), mooncakeLines({ seed: 1, requests: 50 }).join('\n'));
  writeFileSync(join(folder('model'), 'config.json'), JSON.stringify(MODEL_CONFIG));
  const made = await printed(home.path, ['dataset', 'make', 'FILES/made.jsonl', '--count', '20']);
  expect(await documentFaults(made.document)).toEqual([]);
  expect(made.document).toMatchObject({ schema: 'plimsoll.made-dataset/1', rows: 20 });
  return home;
};

/** Paths of schemas that allow anything: {}, or an object of which nothing is known. */
const vagueParts = (schema: object): readonly string[] => {
  const found: string[] = [];
  const visit = (part: unknown, path: string): void => {
    if (typeof part !== 'object' || part === null) return;
    const keys = Object.keys(part);
    const isSchema = /\/(properties|\$defs|anyOf|oneOf|allOf)\/[^/]+$|\/(items|additionalProperties)$/.test(
      path,
    );
    if (isSchema && !Array.isArray(part) && keys.every(key => key === 'description')) found.push(path);
    for (const [key, inner] of Object.entries(part)) visit(inner, `${path}/${key}`);
  };
  visit(schema, '');
  return found;
};

const MODEL_CONFIG = {
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  hidden_size: 2_048,
  intermediate_size: 8_192,
  num_hidden_layers: 16,
  num_attention_heads: 32,
  num_key_value_heads: 8,
  vocab_size: 128_256,
  torch_dtype: 'bfloat16',
} as const;
