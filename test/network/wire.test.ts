// Hosts on cables of their own: what `plimsoll wire` prints leads an engine to the fast ones. The addresses are checked
// always, and an engine that is installed is started with what was printed, while the cables are counted.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { missingReason } from '../real/running-server.ts';
import { MLX, MODELS_FOLDER, SERVERS_FOLDER } from '../real/servers.ts';
import { isLongRun } from '../support/counts.ts';
import { CabledHosts, TRIANGLE, TWO_CABLES } from './cabled-hosts.ts';
import { lineOf, outputOf } from './two-hosts.ts';

it('the addresses that wire prints for two hosts are those of their fast cable', {
  timeout: 200_000,
}, async context => {
  await using hosts = await CabledHosts.open(context, TWO_CABLES);
  const llama = hosts.wire('llama.cpp');
  expect(llama.file('llama-rpc-1-juno.sh')).toContain('-H 10.92.0.2 -p');
  expect(llama.file('llama-main-0-atlas.sh')).toContain('--rpc 10.92.0.2:');
  expect(hosts.wire('ray').file('ray-1-juno.sh')).toContain(
    '--address=10.92.0.1:6379 --node-ip-address=10.92.0.2',
  );
  expect(JSON.parse(hosts.wire('mlx').file('mlx-ring.json'))).toMatchObject({
    backend: 'ring',
    hosts: [
      { ssh: 'atlas', ips: ['10.92.0.1'] },
      { ssh: 'juno', ips: ['10.92.0.2'] },
    ],
  });
});

it('MLX uses the fast cable when it is started with the command that wire prints', {
  timeout: 300_000,
}, async context => {
  if (!isLongRun) context.skip('an engine over two hosts: in npm run test:long');
  const missing = missingReason(MLX);
  if (missing !== undefined) context.skip(missing);
  await using hosts = await CabledHosts.open(context, TWO_CABLES);
  const model = join(MODELS_FOLDER, 'hf');
  const { folder, printed, file } = hosts.wire('mlx', model);
  const command = mlxCommand(printed);
  expect(command).toBe(
    `mlx.launch --backend ring --hostfile mlx-ring.json -- python3 -m mlx_lm chat --model ${model}`,
  );
  const start = (line: string): Promise<string> => onAtlas(hosts, folder, line);

  let before = hosts.bytesSent();
  const chat = await start(`printf 'hello\\nq\\n' | ${command}`);
  expect(chat).toMatch(/256 tokens/);
  hosts.expectSent(before, ['fast0'], CHAT_BYTES_MIN);

  before = hosts.bytesSent();
  expectSums(await start(sumOf(command, folder, RING_MIB)), 2);
  hosts.expectSent(before, ['fast0'], 2 * RING_MIB * MIB);

  // The other cable works too: only the addresses decide.
  writeFileSync(join(folder, 'mlx-ring.json'), file('mlx-ring.json').replaceAll('10.92.', '10.91.'));
  before = hosts.bytesSent();
  expectSums(await start(sumOf(command, folder, 1)), 2);
  hosts.expectSent(before, ['slow0'], 2 * MIB);
});

it('MLX connects over every cable of a triangle whose hosts forward nothing', {
  timeout: 300_000,
}, async context => {
  if (!isLongRun) context.skip('an engine over three hosts: in npm run test:long');
  const missing = missingReason(MLX);
  if (missing !== undefined) context.skip(missing);
  await using hosts = await CabledHosts.open(context, TRIANGLE);
  const { folder, printed } = hosts.wire('mlx');
  const before = hosts.bytesSent();
  expectSums(await onAtlas(hosts, folder, sumOf(mlxCommand(printed), folder, RING_MIB)), 3);
  hosts.expectSent(before, ['side0', 'side1', 'side2'], RING_MIB * MIB);
});

it('llama.cpp computes over the fast cable when it is started by the scripts of wire', {
  timeout: 300_000,
}, async context => {
  if (!isLongRun) context.skip('an engine over two hosts: in npm run test:long');
  const model = process.env['PLIMSOLL_TEST_GGUF'];
  if (model === undefined) context.skip('PLIMSOLL_TEST_GGUF names no model');
  for (const program of ['ggml-rpc-server', 'llama-server'])
    if (spawnSync(program, ['--help']).error !== undefined) context.skip(`${program} is not installed`);
  await using hosts = await CabledHosts.open(context, TWO_CABLES);
  const { folder } = hosts.wire('llama.cpp', model);
  const before = hosts.bytesSent();
  const start = (host: string, script: string) =>
    hosts.spawn(host, 'sh', ['-c', `sh ${join(folder, script)} 2>&1`]);
  await lineOf(start('juno', 'llama-rpc-1-juno.sh'), /endpoint/, context.signal);
  await lineOf(start('atlas', 'llama-main-0-atlas.sh'), /server is listening/, context.signal);
  const printed = await outputOf(hosts.spawn('atlas', process.execPath, ['--eval', COMPLETION]));
  expect(JSON.parse(printed)).toMatchObject({ tokens_predicted: 16 });
  hosts.expectSent(before, ['fast0'], MODEL_BYTES_MIN);
});

const mlxCommand = (printed: string): string => {
  const command = /^ {2}atlas {2}(mlx\.launch .+)$/m.exec(printed)?.[1];
  if (command === undefined) throw new Error(`wire prints no command: ${printed}`);
  return command;
};

/** A line of a shell in the folder that `wire` has written, with MLX and its Python first in PATH. */
const onAtlas = (hosts: CabledHosts, folder: string, line: string): Promise<string> => {
  const path = `${hosts.sshFolder()}:${join(SERVERS_FOLDER, MLX.program, '..')}:${process.env['PATH']}`;
  const shell = hosts.spawn('atlas', 'env', ['-C', folder, `PATH=${path}`, 'sh', '-c', `${line} 2>&1`]);
  return outputOf(shell);
};

/** The command with another program: a sum over tensors of so many MiB. */
const sumOf = (command: string, folder: string, mib: number): string => {
  const script = join(folder, 'sum.py');
  writeFileSync(script, SUM_SCRIPT);
  return command.replace(/-m mlx_lm .*$/, `${script} ${mib}`);
};

const expectSums = (printed: string, hosts: number): void => {
  console.info(printed.trim());
  expect(printed.match(new RegExp(`sum of ${hosts} is ${hosts}\\.0`, 'g')), printed).toHaveLength(hosts);
};

const MIB = 1024 * 1024;
/** Of each node's tensor; a ring of n sends 2(n−1) such tensors in all. */
const RING_MIB = 16;
const SUM_SCRIPT = `
import sys, time
import mlx.core as mx
world = mx.distributed.init(strict=True)
ones = mx.ones((int(sys.argv[1]) * ${MIB / 4},))
mx.eval(mx.distributed.all_sum(mx.ones((1,)), stream=mx.cpu))
start = time.monotonic()
total = mx.distributed.all_sum(ones, stream=mx.cpu)
mx.eval(total)
print(f"sum of {world.size()} is {total[-1].item()} after {time.monotonic() - start:.2f} s", flush=True)
`;
/** 256 tokens through two layers, each with two sums of 128 numbers. */
const CHAT_BYTES_MIN = 256 * 2 * 2 * 128 * 4;
/** Half of a model of some megabytes goes to the other host. */
const MODEL_BYTES_MIN = 1024 * 1024;
const COMPLETION = `
const body = JSON.stringify({ prompt: 'ship ship ship', n_predict: 16, ignore_eos: true });
const reply = await fetch('http://127.0.0.1:8080/completion', { method: 'POST', body });
console.log(await reply.text());
`;
