// A script in place of journalctl, with lines in the form of systemd.journal-fields(7).

import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  journalLines,
  linuxGpuErrorsGatherer,
  needJournal,
} from '../../../src/gather/kmsg/linux-gpu-errors-gatherer.ts';
import { parseJournalXid } from '../../../src/gather/kmsg/parse-xid.ts';
import { isRunning, processIdsIn } from '../../support/process-ids.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { isReading, runForTest } from '../gatherer-run.ts';
import { FixtureTree } from '../gpu/fixture-tree.ts';
import { machineForTest } from '../machine-for-test.ts';
import { standInTools } from '../stand-in-tools.ts';

const LOGGED = JSON.stringify({
  __CURSOR: 's=1',
  __MONOTONIC_TIMESTAMP: '3700009999',
  _SOURCE_MONOTONIC_TIMESTAMP: '3700000000',
  MESSAGE: 'NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off the bus.',
});
/** Follows for as long as it is let. */
const FOLLOWS = `case "$*" in
*--follow*) echo '${LOGGED}'; exec sleep 600 ;;
*) echo '{"MESSAGE":"Linux version 6.8.0"}' ;;
esac`;

it('reads an error of the journal as one of the log, by the time of the kernel', () => {
  const error = { address: '0000:1b:00', xid: 79, kind: 'xid', text: 'GPU has fallen off the bus.' };
  expect(parseJournalXid(LOGGED)).toEqual({ ...error, atSeconds: 3_700 });
  const late = LOGGED.replace('_SOURCE_MONOTONIC_TIMESTAMP', 'OTHER');
  expect(parseJournalXid(late)).toEqual({ ...error, atSeconds: 3_700.009999 });
  // Text that is no UTF-8 comes as a list of bytes.
  for (const line of ['', '{', '[]', '{"MESSAGE":[78,86]}', LOGGED.replace('NVRM', 'user: NVRM')])
    expect(parseJournalXid(line)).toBeUndefined();
});

it('follows what the journal holds of the kernel, and leaves no process behind', async () => {
  using tools = standInTools();
  tools.script('journalctl', `echo $$ >"$HERE/pid"\n${FOLLOWS}`);
  const machine = machineForTest({ env: tools.env });
  const stop = new AbortController();
  await needJournal(machine, stop.signal);
  for await (const line of journalLines(machine, stop.signal)) {
    expect(line).toBe(LOGGED);
    break;
  }
  const pids = processIdsIn(join(tools.folder, 'pid'));
  expect(pids).toHaveLength(1);
  expect(pids.filter(isRunning)).toEqual([]);
});

it('reports what to do where the journal hides the kernel, which looks like a log without errors', async () => {
  using tools = standInTools();
  const machine = machineForTest({ env: tools.env });
  const { signal } = new AbortController();
  for (const body of ['true', 'echo "No journal files were opened" >&2; exit 1']) {
    tools.script('journalctl', body);
    await expect(needJournal(machine, signal)).rejects.toThrow(
      /shows this user nothing of the kernel: add the daemon's user to the group systemd-journal/,
    );
  }
});

it('is the error of a user without access to the kernel log', async ({ skip }) => {
  if (process.getuid?.() === 0) skip('root may read every file');
  using tools = standInTools();
  tools.script('journalctl', FOLLOWS);
  await using tree = await FixtureTree.create();
  await tree.write('proc/driver/nvidia/version', 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95');
  await tree.write('proc/uptime', '3766.00 1.00\n');
  await tree.write('dev/kmsg', '');
  chmodSync(`${tree.root}/dev/kmsg`, 0);
  const machine = machineForTest({ root: tree.root, env: tools.env });
  await using run = runForTest([linuxGpuErrorsGatherer(machine)], new VirtualClock());
  expect(await run.waitFor(isReading('gpuErrors'), 'from start')).toMatchObject({ source: 'journal' });
});
