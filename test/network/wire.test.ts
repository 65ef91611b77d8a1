// Two hosts on a slow and a fast cable: what `plimsoll wire` prints leads an engine to the fast one. The addresses are
// checked always, and an engine that is installed is started with what was printed, while the cables are counted.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isLongRun } from '../support/counts.ts';
import { TwoCables } from './two-cables.ts';
import { lineOf, outputOf } from './two-hosts.ts';

it('the addresses that wire prints for two hosts are those of their fast cable', {
  timeout: 200_000,
}, async context => {
  await using hosts = await TwoCables.open(context);
  expect(hosts.file('llama.cpp', 'llama-rpc-1-juno.sh')).toContain('-H 10.92.0.2 -p');
  expect(hosts.file('llama.cpp', 'llama-main-0-atlas.sh')).toContain('--rpc 10.92.0.2:');
  expect(hosts.file('ray', 'ray-1-juno.sh')).toContain(
    '--address=10.92.0.1:6379 --node-ip-address=10.92.0.2',
  );
  expect(JSON.parse(hosts.file('mlx', 'mlx-ring.json'))).toMatchObject({
    backend: 'ring',
    hosts: [
      { ssh: 'atlas', ips: ['10.92.0.1'] },
      { ssh: 'juno', ips: ['10.92.0.2'] },
    ],
  });
});

it('the ring of MLX sums over the fast cable with the host file of wire', {
  timeout: 300_000,
}, async context => {
  if (!isLongRun) context.skip('an engine over two hosts: in npm run test:long');
  if (spawnSync('mlx.launch', ['--print-python']).status !== 0)
    context.skip('mlx.launch is not installed: pip install "mlx[cpu]"');
  await using hosts = await TwoCables.open(context);
  hosts.file('mlx', 'mlx-ring.json');
  const script = join(hosts.folder, 'sum.py');
  writeFileSync(script, RING_SCRIPT);
  const before = hosts.bytesSent();
  const launched = hosts.spawn('atlas', 'env', [
    `PATH=${hosts.sshFolder()}:${process.env['PATH']}`,
    'mlx.launch',
    ...['--backend', 'ring', '--hostfile', join(hosts.folder, 'mlx', 'mlx-ring.json')],
    ...['--', 'python3', script],
  ]);
  const printed = await outputOf(launched);
  expect(printed.match(/sum of 2 is 2\.0/g)).toHaveLength(2);
  hosts.expectFast(before, RING_BYTES);
});

it('llama.cpp computes over the fast cable when it is started by the scripts of wire', {
  timeout: 300_000,
}, async context => {
  if (!isLongRun) context.skip('an engine over two hosts: in npm run test:long');
  const model = process.env['PLIMSOLL_TEST_GGUF'];
  if (model === undefined) context.skip('PLIMSOLL_TEST_GGUF names no model');
  for (const program of ['ggml-rpc-server', 'llama-server'])
    if (spawnSync(program, ['--help']).error !== undefined) context.skip(`${program} is not installed`);
  await using hosts = await TwoCables.open(context, model);
  hosts.file('llama.cpp', 'llama-rpc-1-juno.sh');
  const before = hosts.bytesSent();
  const start = (host: 'atlas' | 'juno', script: string) =>
    hosts.spawn(host, 'sh', ['-c', `sh ${join(hosts.folder, 'llama.cpp', script)} 2>&1`]);
  await lineOf(start('juno', 'llama-rpc-1-juno.sh'), /endpoint/, context.signal);
  await lineOf(start('atlas', 'llama-main-0-atlas.sh'), /server is listening/, context.signal);
  const printed = await outputOf(hosts.spawn('atlas', process.execPath, ['--eval', COMPLETION]));
  expect(JSON.parse(printed)).toMatchObject({ tokens_predicted: 16 });
  hosts.expectFast(before, MODEL_BYTES_MIN);
});

/** Of each node's tensor, bytes. */
const RING_BYTES = 16 * 1024 * 1024;
const RING_SCRIPT = `
import mlx.core as mx
world = mx.distributed.init(backend="ring", strict=True)
total = mx.distributed.all_sum(mx.ones((${RING_BYTES / 4},)), stream=mx.cpu)
print("sum of", world.size(), "is", total[0].item(), flush=True)
`;
/** Half of a model of some megabytes goes to the other host. */
const MODEL_BYTES_MIN = 1024 * 1024;
const COMPLETION = `
const body = JSON.stringify({ prompt: 'ship ship ship', n_predict: 16, ignore_eos: true });
const reply = await fetch('http://127.0.0.1:8080/completion', { method: 'POST', body });
console.log(await reply.text());
`;
