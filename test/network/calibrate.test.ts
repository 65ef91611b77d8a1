// `plimsoll calibrate` against a stamping mock on a host of its own, with another clock and a cable with a delay: what the network adds
// is reported separately, and the result is cited by the next run, until the machine changes.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CalibratedMachine, Calibration } from '../../src/core/run/calibration.ts';
import { isUnknown } from '../../src/core/unknown.ts';
import { calibrationFromJson, calibrationToJson } from '../../src/wire/calibration-schema.ts';
import { reportFromJson } from '../../src/wire/stored-json.ts';
import { isLongRun } from '../support/counts.ts';
import { PROGRAM } from '../support/program.ts';
import { documentFaults } from '../support/published-schema.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { Namespaces, reasonAgainstNamespaces } from './namespaces.ts';
import { lineOf, outputOf } from './two-hosts.ts';

const RELAY = join(import.meta.dirname, 'slow-relay-process.ts');
const TARGET = 'http://10.97.0.2:8000';
const DELAY_MS = 5;

test('a calibration separates the network from the client, and later runs cite it', {
  timeout: 120_000,
}, async ({ skip, signal }) => {
  if (!isLongRun) skip('a calibration and four runs: in npm run test:long');
  const reason = reasonAgainstNamespaces();
  if (reason !== undefined) skip(reason);
  await using net = new Namespaces();
  using folder = temporaryDirectory();
  for (const host of ['client', 'target']) net.addHost(host);
  net.connect(
    { host: 'client', name: 'en0', ipv4: '10.97.0.1/24' },
    { host: 'target', name: 'en0', ipv4: '10.97.0.2/24' },
  );
  const home = join(folder.path, 'home');
  const mock = net.spawn('target', 'unshare', [
    ...['--time', '--monotonic', '1000000', '--fork', '--kill-child', '--', process.execPath, PROGRAM],
    ...['mock', '--stamp', '--port', '8001', '--ttft', '20ms', '--gap', '10ms'],
    ...['--output-tokens', '20', '--home', join(folder.path, 'home-target')],
  ]);
  await lineOf(mock, /Serving/, signal);
  const relay = net.spawn('target', process.execPath, [
    RELAY,
    '10.97.0.2:8000',
    '127.0.0.1:8001',
    String(DELAY_MS),
  ]);
  await lineOf(relay, /relaying/, signal);
  const calibrate = net.spawn('client', process.execPath, [
    ...[PROGRAM, 'calibrate', TARGET, '--budget', '8s', '--home', home],
  ]);
  const text = await outputOf(calibrate);
  expect(text).toMatch(/network p50/);
  const file = join(home, 'calibration.json');
  const kept = calibrationFromJson(readFileSync(file, 'utf8'));
  expect(await documentFaults(JSON.parse(readFileSync(file, 'utf8')))).toEqual([]);
  const step = kept?.streams[0];
  if (kept?.clock == null || step === undefined || isUnknown(step.networkNs)) throw new Error(text);
  expect(kept.clock.roundTripNs / 1e6).toBeGreaterThan(2 * DELAY_MS);
  // A busy machine relays later than it was asked to, never sooner.
  expect(step.networkNs.p50 / 1e6).toBeGreaterThan(DELAY_MS / 2);
  expect(step.networkNs.p50 + kept.clock.errorNs).toBeGreaterThan(DELAY_MS * 1e6);
  // The client's own error is that of loopback: the cable is not in it.
  expect(step.ttftErrorNs.p50).toBeLessThan(step.networkNs.p50);

  let run = 0;
  const cited = async (machine: Partial<CalibratedMachine>): Promise<string> => {
    const calibration: Calibration = { ...kept, machine: { ...kept.machine, ...machine } };
    writeFileSync(file, calibrationToJson(calibration));
    run += 1;
    const out = join(folder.path, `run-${run}`);
    await outputOf(
      net.spawn('client', process.execPath, [
        ...[PROGRAM, 'bench', TARGET, '--requests', '4', '--concurrency', '2', '--out', out, '--home', home],
      ]),
    );
    const { notices } = reportFromJson(readFileSync(join(out, 'report.json'), 'utf8'));
    return notices.find(notice => /calibrat/.test(notice)) ?? 'nothing is cited';
  };
  const { load, ...same } = kept.machine;
  expect(await cited({ ...same, load: { kind: 'unknown', reason: 'not of this test' } })).toMatch(
    /^calibrated on \d{4}-\d\d-\d\d(?: with timestamps by the kernel)?: within 1 ms at p99 up to /,
  );
  expect(await cited({ kernel: 'linux 1.0', node: '1.2.3' })).toMatch(
    /is stale: the kernel was linux 1\.0 and is linux .*, Node was 1\.2\.3 and is /,
  );
  expect(await cited({ load: 1_000 })).toMatch(/is stale: the load was 1000\.0 and is /);
});
