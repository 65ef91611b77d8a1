// What a survey reads is what a daemon of the same machine reads: the same gatherers, on replies of its script. The script runs here, with
// stand-in tools for hardware that is not here.

import { describe, expect, test } from 'vitest';
import { runSurvey } from '../../../src/cli/survey/run-survey.ts';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { isKnown } from '../../../src/core/unknown.ts';
import { platformSources } from '../../../src/gather/platform-gatherers.ts';
import { isReading, runForTest } from '../../gather/gatherer-run.ts';
import { macStudio } from '../../gather/mac-studio.ts';
import { machineForTest } from '../../gather/machine-for-test.ts';
import { type StandInTools, standInTools } from '../../gather/stand-in-tools.ts';
import { fixture } from '../../support/fixture.ts';
import { standInSsh } from './stand-in-ssh.ts';

/** The state of a survey of this machine, with these tools first on its PATH. */
const surveyed = async (tools: StandInTools) => {
  using ssh = standInSsh(`PATH='${tools.folder}':"$PATH"`);
  const { machines, state } = await runSurvey({
    targets: ['here'],
    configFile: undefined,
    env: ssh.env,
    plimsollVersion: '1.2.3',
    probesLinks: false,
    clock: systemClock,
    signal: new AbortController().signal,
    onStep: async () => {},
  });
  expect(machines).toMatchObject([{ problem: null }]);
  return state;
};

const only = <T>(map: Readonly<Record<string, T>>): T | undefined => Object.values(map)[0];

describe('a survey', () => {
  test.concurrent('reads of a Linux machine what its own daemon reads', async ({ expect, skip }) => {
    if (process.platform !== 'linux') skip('it reads this machine as Linux');
    using none = standInTools();
    const state = await surveyed(none);
    const machine = machineForTest({ root: '/', env: process.env });
    const kinds = ['identity', 'network', 'container'] as const;
    const sources = platformSources('linux', machine);
    await using own = runForTest(
      sources.filter(({ reports }) => kinds.some(kind => reports.some(({ reading }) => reading === kind))),
    );
    const identity = (await own.waitFor(isReading('identity'), 'from start')).reading.value;
    expect(only(state.nodeIdentities)?.value).toEqual({
      ...identity,
      friendlyName: 'here',
      plimsollVersion: 'survey 1.2.3',
    });
    const network = (await own.waitFor(isReading('network'), 'from start')).reading.value;
    expect(only(state.nodeNetworks)?.value).toEqual(network);
    for (const map of ['nodeMemories', 'nodeTraffics', 'nodeDisks'] as const)
      expect(Object.keys(state[map])).toHaveLength(1);
    expect(isKnown(only(state.nodeSystems)?.value.cpuUse ?? { kind: 'unknown', reason: 'no reading' })).toBe(
      true,
    );
  });

  test.concurrent('reads GPUs by the tools of that machine', async ({ expect }) => {
    using tools = standInTools();
    tools.prints('inventory', fixture('nvidia-smi/inventory-h100-pair.xml'));
    tools.prints('loads', fixture('nvidia-smi/loads-h100-pair.csv'));
    tools.script(
      'nvidia-smi',
      'case $1 in -q) cat "$HERE/inventory.out";; --query-gpu=*) while :; do cat "$HERE/loads.out"; sleep 1; done;; *) exit 0;; esac',
    );
    const state = await surveyed(tools);
    const gpus = Object.values(only(state.nodeGpus) ?? {}).map(({ value }) => value);
    expect(gpus).toMatchObject([{ vendor: 'nvidia', devices: [{ name: 'NVIDIA H100 80GB HBM3' }, {}] }]);
    const loads = Object.values(only(state.nodeGpuLoads) ?? {}).map(({ value }) => value);
    expect(loads).toMatchObject([
      { vendor: 'nvidia', devices: [{ temperatureCelsius: 67 }, { temperatureCelsius: 84 }] },
    ]);
  });

  test.concurrent('reads a Mac', async ({ expect }) => {
    using tools = macStudio();
    tools.script('uname', 'case $1 in -s) echo Darwin;; -m) echo arm64;; esac');
    tools.script(
      'sysctl',
      `case "$1 $2" in
'-n hw.memsize') echo 549755813888;;
'-n vm.loadavg') echo '{ 2.50 2.00 1.50 }';;
'-n kern.boottime') echo '{ sec = 1700000000, usec = 0 } Tue Nov 14 22:13:20 2023';;
'-n '*) exit 1;;
*' vm.'*) cat "$HERE/memory.out";;
*) cat "$HERE/host.out";;
esac`,
    );
    const state = await surveyed(tools);
    expect(only(state.nodeIdentities)?.value).toMatchObject({
      friendlyName: 'here',
      chip: 'Apple M3 Ultra',
      architecture: 'arm64',
      operatingSystem: { platform: 'macos' },
    });
    expect(only(state.nodeMemories)?.value).toMatchObject({ totalBytes: 549_755_813_888 });
    expect(only(state.nodeSystems)?.value).toMatchObject({ cpuUse: 0.19 });
    expect(only(state.nodeThunderbolts)?.value.ports.length).toBeGreaterThan(0);
  });
});
