// Four hosts on one switch, of which one has a slow cable: an acceptance names it as what slows down a ring over all of them.

import { mkdirSync } from 'node:fs';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { JudgedCheck } from '../../src/core/acceptance/acceptance-document.ts';
import { isLongRun } from '../support/counts.ts';
import type { ProbingSettings } from './seen-probes.ts';
import { reasonAgainst, segment, shape } from './shapes.ts';
import { TestBed } from './test-bed.ts';
import { lineOf } from './two-hosts.ts';

it('the host whose cable is slow is named as what slows down the all-reduce of four', {
  timeout: 500_000,
}, async context => {
  if (!isLongRun) context.skip('six pairs measured on four hosts: in npm run test:long');
  const reason = reasonAgainst('tc');
  if (reason !== undefined) context.skip(reason);
  await using bed = await TestBed.open(context);
  segment(bed.net, HOSTS);
  // In both directions, at the host and at the port of the switch.
  for (const [at, host] of HOSTS.entries()) {
    const rate = host === SLOW ? '40mbit' : '200mbit';
    shape(bed.net, host, 'en0', rate);
    shape(bed.net, 'switch', `port${at}`, rate);
  }
  const daemons = HOSTS.map(host => {
    const home = bed.home(host);
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const settings: ProbingSettings = { home, keyFile: bed.keyFile, name: host };
    return bed.net.spawn(host, process.execPath, [PROCESS, JSON.stringify(settings)]);
  });
  const [first] = daemons;
  if (first === undefined) throw new Error('there is no daemon');
  await lineOf(first, /"failure":"none"/, context.signal);
  const command = bed.net.spawn('atlas', process.execPath, [
    ...[MAIN, 'accept', '--home', bed.home('atlas'), '--json'],
  ]);
  const { stages }: { readonly stages: readonly { readonly checks: readonly JudgedCheck[] }[] } = JSON.parse(
    await textOf(command.stdout),
  );
  const checks = stages.flatMap(stage => stage.checks);
  const ring = checks.find(({ check }) => check === 'all-reduce-ring');
  context.annotate(`${ring?.result}: ${ring?.reason}`);
  expect(ring).toMatchObject({ result: 'fail', nodes: [SLOW] });
  expect(
    checks.find(({ check, nodes }) => check === 'all-reduce-node' && nodes.includes(SLOW)),
  ).toMatchObject({
    result: 'fail',
  });
});

const HOSTS = ['atlas', 'juno', 'pip', 'vega'];
const SLOW = 'juno';
const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const PROCESS = fileURLToPath(new URL('./probing-process.ts', import.meta.url));
