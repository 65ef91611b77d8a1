// Names in place of URLs: which arguments and options take them, that every one of them becomes the URL of the server, and what
// is reported if nothing or several are meant.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clusterStream } from '../../../src/cli/cluster-stream.ts';
import { parseCommandLine } from '../../../src/cli/command-line.ts';
import { allCommands } from '../../../src/cli/commands.ts';
import { COMPARE } from '../../../src/cli/compare/compare-options.ts';
import { findDaemon } from '../../../src/cli/daemon-client.ts';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import { withTargets } from '../../../src/cli/target/named-targets.ts';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { type CommandDaemon, commandDaemon } from '../../support/command-daemon.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { ENGINE_PAGES, type PageServer, startPageServer } from '../../support/page-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

test('every argument and option that is a server takes the names of servers', async () => {
  const commands = await allCommands();
  const servers = commands.flatMap(({ name, arguments: declared, options }) => [
    ...declared.filter(({ target }) => target !== undefined).map(argument => `${name} ${argument.name}`),
    ...options.filter(({ target }) => target !== undefined).map(option => `${name} --${option.name}`),
  ]);
  expect(servers.sort()).toEqual([
    'bench URL',
    'calibrate URL',
    'capture --to',
    'compare --a',
    'compare --b',
    'headroom MODEL',
    'line URL',
    'rerun URL',
    'sweep URL',
  ]);
  for (const { name, arguments: declared } of commands)
    for (const argument of declared) if (argument.name === 'URL') expect(argument.target, name).toBe('only');
});

describe('with a daemon that has found two servers', () => {
  let vllm: PageServer;
  let llama: PageServer;
  let daemon: CommandDaemon;

  beforeAll(async () => {
    vllm = await startPageServer(ENGINE_PAGES.vLLM);
    llama = await startPageServer(ENGINE_PAGES['llama.cpp']);
    const ports = [vllm.port, llama.port];
    daemon = await commandDaemon('127.0.0.1:0', `[engines]\nports = [${ports}]\ninterval = "1s"\n`);
    const client = await findDaemon(daemon.home, madeUpProcess([]).state);
    const ending = new AbortController();
    for await (const { state } of clusterStream(client, systemClock, ending.signal)) {
      const found = Object.values(state.nodeEngines).flatMap(({ value }) => value.engines);
      if (ports.every(port => found.some(({ origin }) => origin.endsWith(`:${port}`)))) break;
    }
    ending.abort();
  });

  afterAll(async () => {
    await daemon?.[Symbol.asyncDispose]();
    await vllm?.[Symbol.asyncDispose]();
    await llama?.[Symbol.asyncDispose]();
  });

  const targeted = async (...words: readonly string[]) => {
    const { state } = madeUpProcess([]);
    const commands = await allCommands();
    const line = parseCommandLine([...words, '--home', daemon.home], commands);
    if (line.kind !== 'run') throw new Error('no command');
    return await withTargets(line.command, line, state);
  };

  test.each([
    ['bench', []],
    ['sweep', ['--rates', '1,2']],
    ['line', []],
    ['calibrate', []],
    ['headroom', []],
  ])('%s sees the URL of a node, of its port, and of an engine', async (command, more) => {
    for (const name of [`atlas:${vllm.port}`, 'atlas:vllm', 'vLLM']) {
      const { invocation, args } = await targeted(command, name, ...more);
      expect(invocation.arguments, name).toEqual([vllm.origin]);
      expect(args.slice(0, 2), name).toEqual([command, vllm.origin]);
    }
  });

  test('options see it too, and nothing else that has the name of a node is changed', async () => {
    const compared = await targeted('compare', '--a', 'vllm', '--b=llama.cpp', '--a-label', 'vllm');
    expect(compared.invocation.option(COMPARE.a)).toBe(vllm.origin);
    expect(compared.invocation.option(COMPARE.b)).toBe(llama.origin);
    expect(compared.invocation.option(COMPARE.aLabel)).toBe('vllm');
    expect(compared.args.slice(0, 6)).toEqual([
      'compare',
      ...['--a', vllm.origin, `--b=${llama.origin}`, '--a-label', 'vllm'],
    ]);
    const loaded = await targeted('bench', '--from', 'atlas', `atlas:${llama.port}`, 'http://127.0.0.1:1');
    expect(loaded.args.slice(0, 5)).toEqual(['bench', '--from', 'atlas', llama.origin, 'http://127.0.0.1:1']);
  });

  test('a text that is neither a node nor an engine stays as it is', async () => {
    for (const text of ['localhost:8000', 'http://atlas:8000', './atlas', 'model.gguf'])
      expect((await targeted('headroom', text)).invocation.arguments).toEqual([text]);
    const ended = await targeted('compare', '--a', 'runs:tag=before', '--b', '20261128-120000-ab12');
    expect(ended.args.slice(0, 5)).toEqual([
      'compare',
      ...['--a', 'runs:tag=before', '--b', '20261128-120000-ab12'],
    ]);
  });

  test('several servers, none, and a mistyped name are listed', async () => {
    const both = [
      { port: vllm.port, engine: 'vLLM 0.33.0' },
      { port: llama.port, engine: 'llama.cpp b11434-0a1b2c3d' },
    ]
      .toSorted((a, b) => a.port - b.port)
      .map(({ port, engine }) => `atlas:${port} (${engine})`)
      .join(', ');
    const problems: readonly (readonly [string, string, string])[] = [
      ['atlas', 'atlas has 2 servers of models', `Write one of: ${both}`],
      ['atlas:9', 'no server of a model was found on atlas at port 9', `Found: ${both}. Write its URL`],
      [
        'ollama',
        'no Ollama was found on the nodes of the cluster',
        'For the host of that name write http://ollama',
      ],
      ['llamacp', 'no node and no engine is called "llamacp"', 'Did you mean llama.cpp?'],
      ['atlsa', 'no node and no engine is called "atlsa"', 'Did you mean atlas?'],
    ];
    for (const [text, problem, advice] of problems) {
      const { run, stderr } = madeUpProcess(['line', text, '--home', daemon.home]);
      expect(await run()).toBe(EXIT_CODES.usage.code);
      for (const part of [problem, advice]) expect(stderr.text).toContain(part);
    }
  });

  test('a file of runs names a server by its node', async () => {
    using folder = temporaryDirectory();
    const file = join(folder.path, 'night.toml');
    writeFileSync(file, `url = "atlas:9"\nrequests = 2\n`);
    const { run, stderr } = madeUpProcess(['bench', file, '--home', daemon.home]);
    expect(await run()).toBe(EXIT_CODES.usage.code);
    expect(stderr.text).toContain('night.toml: no server of a model was found on atlas at port 9');
  });

  test('sweep and line without a URL offer the servers that are found', async () => {
    for (const command of ['sweep', 'line']) {
      const { run, stderr } = madeUpProcess([command, '--home', daemon.home]);
      expect(await run()).toBe(EXIT_CODES.usage.code);
      expect(stderr.text).toMatch(new RegExp(`${vllm.origin} +vLLM 0.33.0`));
      expect(stderr.text).toContain(`Write: plimsoll ${command} http://`);
    }
  });

  test('completion gets the names with what they mean', async () => {
    const { run, stdout } = madeUpProcess(['completion', 'targets', '--home', daemon.home]);
    expect(await run()).toBe(EXIT_CODES.ok.code);
    expect(stdout.text.split('\n').toSorted()).toEqual(
      [
        '',
        `atlas:${vllm.port}\tvLLM 0.33.0 Qwen/Qwen3-32B`,
        `atlas:${llama.port}\tllama.cpp b11434-0a1b2c3d stub.gguf`,
        `vllm\ton atlas:${vllm.port}`,
        `llama.cpp\ton atlas:${llama.port}`,
      ].toSorted(),
    );
  });
});

test('without a daemon completion is silent', async () => {
  using folder = temporaryDirectory();
  const { run, stdout, stderr } = madeUpProcess(['completion', 'targets', '--home', folder.path]);
  expect(await run()).toBe(EXIT_CODES.ok.code);
  expect([stdout.text, stderr.text]).toEqual(['', '']);
});
