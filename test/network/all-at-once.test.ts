// Four hosts on two switches, whose trunk is as fast as one port: every pair is as fast as it should be, and two pairs over it are not.

import { mkdirSync } from 'node:fs';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { JudgedCheck } from '../../src/core/acceptance/acceptance-document.ts';
import { isLongRun } from '../support/counts.ts';
import type { ProbingSettings } from './seen-probes.ts';
import { reasonAgainst, segment, shape, trunk } from './shapes.ts';
import { TestBed } from './test-bed.ts';
import { lineOf } from './two-hosts.ts';

it('a trunk that is too narrow for all hosts at once is found, although each pair alone is fast', {
  timeout: 600_000,
}, async context => {
  if (!isLongRun) context.skip('six pairs and three rounds measured on four hosts: in npm run test:long');
  const reason = reasonAgainst('tc');
  if (reason !== undefined) context.skip(reason);
  await using bed = await TestBed.open(context);
  for (const [name, hosts] of Object.entries(SWITCHES)) {
    segment(bed.net, hosts, name);
    for (const [at, host] of hosts.entries()) {
      shape(bed.net, host, 'en0', RATE);
      shape(bed.net, name, `port${at}`, RATE);
    }
  }
  trunk(bed.net, 'switch-a', 'switch-b');
  for (const name of Object.keys(SWITCHES)) shape(bed.net, name, 'trunk', RATE);
  const daemons = Object.values(SWITCHES)
    .flat()
    .map(host => {
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
  const rounds = stages.flatMap(({ checks }) => checks).filter(({ check }) => check === 'all-at-once');
  for (const { subject, result, value, reason: why } of rounds)
    context.annotate(`${subject}: ${result}, ${JSON.stringify(value)}: ${why}`);
  // To the next host and to the third one, one pair uses each direction of the trunk; to the second one, two do.
  expect(rounds.map(({ result }) => result)).toEqual(['pass', 'fail', 'pass']);
  expect(rounds[1]?.reason).toContain('what joins them is the limit');
});

const SWITCHES = { 'switch-a': ['atlas', 'juno'], 'switch-b': ['pip', 'vega'] } as const;
const RATE = '100mbit';
const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const PROCESS = fileURLToPath(new URL('./probing-process.ts', import.meta.url));
