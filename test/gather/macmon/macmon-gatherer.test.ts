// The telemetry of a Mac end to end: stand-in tools that stream, hang, break and disappear, and what reaches the sink.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Gatherer } from '../../../src/gather/gatherer.ts';
import type { GatherTimeouts } from '../../../src/gather/machine-access.ts';
import { platformSources } from '../../../src/gather/platform-gatherers.ts';
import { fixture } from '../../support/fixture.ts';
import { isRunning, processIdsIn } from '../../support/process-ids.ts';
import { isFailure, isReading, runForTest } from '../gatherer-run.ts';
import { macForTest } from '../machine-for-test.ts';
import { type StandInTools, standInTools } from '../stand-in-tools.ts';

describe('the telemetry of a Mac with macmon', () => {
  it('reports memory, system and GPU load from one line, with the pressure of sysctl', async () => {
    using tools = standInTools();
    streamingMacmon(tools);
    tools.prints('sysctl', fixture('sysctl/memory-swapping.txt'));
    await using run = runForTest(telemetry(tools));
    const memory = await run.waitUntil(
      reported => isReading('memory')(reported) && reported.reading.value.pressure.level === 'warning',
    );
    expect(memory).toMatchObject({
      source: 'macmon',
      reading: {
        value: {
          totalBytes: 549_755_813_888,
          availableBytes: 549_755_813_888 - 388_736_063_488,
          swapTotalBytes: 0,
          container: { kind: 'none' },
        },
      },
    });
    const system = await run.waitFor(isReading('system'));
    expect(system.reading.value).toMatchObject({
      cpuUse: 0.19,
      cpuTemperatureCelsius: 55,
      systemPowerWatts: 18.5,
      loadAverage1: 2.5,
      uptimeSeconds: 3_600,
      cpuClusters: [
        { name: 'E-cores', use: 0.22, clockMhz: 1408 },
        { name: 'P-cores', use: 0.183, clockMhz: 1829 },
      ],
    });
    const loads = await run.waitFor(isReading('gpuLoads'));
    expect(loads.reading.value).toMatchObject({
      vendor: 'apple',
      devices: [
        { deviceId: 'apple-0', use: 0.6875, temperatureCelsius: 52.25, powerWatts: 1.125, clockMhz: 388 },
      ],
    });
  });

  it('comes alive when a stopped macmon goes on before it is given up', async () => {
    using tools = standInTools();
    streamingMacmon(tools);
    await using run = runForTest(telemetry(tools));
    await run.waitFor(isReading('gpuLoads'));
    const pid = macmonPid(tools);
    process.kill(pid, 'SIGSTOP');
    process.kill(pid, 'SIGCONT');
    await run.waitFor(isReading('gpuLoads'));
    expect(macmonPid(tools)).toBe(pid);
    expect(run.reported.some(reported => reported.kind === 'failure')).toBe(false);
  });

  it('reports that a stopped macmon is silent, goes on without it and starts it again', async () => {
    using tools = standInTools();
    streamingMacmon(tools);
    streamingVmStat(tools);
    await using run = runForTest(telemetry(tools, { silentMs: 300 }));
    await run.waitFor(isReading('gpuLoads'));
    const stopped = macmonPid(tools);
    process.kill(stopped, 'SIGSTOP');
    await run.waitUntil(isFailure('gpuLoads', 'macmon was silent for 300 ms'));
    const memory = await run.waitFor(isReading('memory'));
    expect(memory.source).toBe(WITHOUT_MACMON);
    await run.waitFor(isReading('gpuLoads'));
    expect(macmonPid(tools)).not.toBe(stopped);
    expect(isRunning(stopped)).toBe(false);
  });

  it('reports it when macmon crashes half-way through a line, and uses none of that line', async () => {
    using tools = standInTools();
    tools.script('macmon', `printf '%s' '${LINE.slice(0, 600)}'; echo 'sensor lost' >&2; exit 3`);
    streamingVmStat(tools);
    await using run = runForTest(telemetry(tools));
    await run.waitUntil(isFailure('gpuLoads', 'macmon exited with code 3: sensor lost'));
    const system = await run.waitFor(isReading('system'));
    const reason = 'macmon exited with code 3: sensor lost';
    expect(system.reading.value.systemPowerWatts).toEqual({ kind: 'unknown', reason, code: 'exited' });
    expect(run.reported.some(isReading('gpuLoads'))).toBe(false);
  });

  it('reports what is wrong when macmon prints something else', async () => {
    using tools = standInTools();
    tools.script('macmon', `while :; do echo 'Welcome to macmon!'; sleep 0.01; done`);
    await using run = runForTest(telemetry(tools));
    await run.waitUntil(isFailure('gpuLoads', 'macmon printed a line that is not a JSON object'));
  });

  it('skips a single bad line', async () => {
    using tools = standInTools();
    tools.script('macmon', `echo 'warning: odd sensor'; while :; do echo '${LINE}'; sleep 0.05; done`);
    await using run = runForTest(telemetry(tools));
    await run.waitFor(isReading('gpuLoads'));
    expect(run.reported.some(reported => reported.kind === 'failure')).toBe(false);
  });

  it('is not drowned by a line without end', async () => {
    using tools = standInTools();
    tools.script('macmon', `exec cat /dev/zero`);
    await using run = runForTest(telemetry(tools));
    await run.waitUntil(isFailure('gpuLoads', 'macmon sent a line that is too long'));
  });
});

describe('the telemetry of a Mac without macmon', () => {
  const reason = 'macmon is not installed: brew install macmon';

  it('reports memory by vm_stat and sysctl, and why temperatures and power are unknown', async () => {
    using tools = standInTools();
    streamingVmStat(tools);
    tools.prints('sysctl', fixture('sysctl/memory-swapping.txt'));
    await using run = runForTest(telemetry(tools));
    await run.waitUntil(isFailure('gpuLoads', reason), 'from start');
    const memory = await run.waitUntil(
      reported =>
        isReading('memory', WITHOUT_MACMON)(reported) && reported.reading.value.pressure.level === 'warning',
    );
    const usedBytes = (17_479_376 - 89_568 + 1_434_855 + 430_886) * 16_384;
    expect(memory).toMatchObject({
      reading: {
        value: {
          totalBytes: 549_755_813_888,
          availableBytes: 549_755_813_888 - usedBytes,
          swapUsedBytes: 10_160_638_525,
        },
      },
    });
    const system = await run.waitFor(isReading('system'));
    expect(system.reading.value).toMatchObject({
      cpuTemperatureCelsius: { kind: 'unknown', reason, code: 'macmon-missing' },
      cpuPowerWatts: { kind: 'unknown', reason, code: 'macmon-missing' },
      systemPowerWatts: { kind: 'unknown', reason, code: 'macmon-missing' },
      loadAverage1: 2.5,
    });
  });

  it('takes up macmon when it is installed, and vm_stat again when it is removed', async () => {
    using tools = standInTools();
    streamingVmStat(tools);
    await using run = runForTest(telemetry(tools));
    await run.waitFor(isReading('memory', WITHOUT_MACMON));
    streamingMacmon(tools);
    await run.waitFor(isReading('gpuLoads'));
    tools.remove('macmon');
    process.kill(macmonPid(tools), 'SIGKILL');
    await run.waitUntil(isFailure('gpuLoads', reason));
    await run.waitFor(isReading('memory', WITHOUT_MACMON));
  });

  it('looks at vm_stat once in a while when its stream cannot be read', async () => {
    using tools = standInTools();
    const look = fixture('vm_stat/m5-pro-48gb.txt');
    tools.prints('look', look);
    tools.script(
      'vm_stat',
      `if [ $# -gt 0 ]; then echo 'no interval here' >&2; exit 1; fi; cat "$HERE/look.out"`,
    );
    await using run = runForTest(telemetry(tools));
    const memory = await run.waitFor(isReading('memory', WITHOUT_MACMON));
    const usedBytes = (1_299_000 - 49_000 + 197_000 + 430_000) * 16_384;
    expect(memory.reading.value.availableBytes).toBe(549_755_813_888 - usedBytes);
  });

  it('still reports how much memory there is when no tool answers at all', async () => {
    using tools = standInTools();
    tools.script('vm_stat', 'exit 7');
    tools.script('sysctl', 'exit 7');
    await using run = runForTest(telemetry(tools));
    const memory = await run.waitFor(isReading('memory'));
    expect(memory.reading.value).toMatchObject({
      totalBytes: 549_755_813_888,
      availableBytes: { kind: 'unknown', reason: 'vm_stat exited with code 7' },
    });
  });

  it('leaves no process behind when it ends', async () => {
    using tools = standInTools();
    streamingMacmon(tools);
    {
      await using run = runForTest(telemetry(tools));
      await run.waitFor(isReading('gpuLoads'));
    }
    expect(isRunning(macmonPid(tools))).toBe(false);
  });
});

const WITHOUT_MACMON = 'vm_stat, instead of macmon';
const LINE = fixture('macmon/v0.8.2-m3-ultra.txt').trim();

const telemetry = (tools: StandInTools, timeouts: Partial<GatherTimeouts> = {}): readonly Gatherer[] =>
  platformSources(
    'darwin',
    macForTest(tools, {
      intervals: { systemMs: 50, memoryGaugeMs: 100 },
      timeouts,
    }),
  ).filter(gatherer => gatherer.name === 'macmon' || gatherer.name === 'vm_stat');

/** Prints one line again and again, and leaves its process id behind. */
const streamingMacmon = (tools: StandInTools): void => {
  tools.script('macmon', `echo $$ > "$HERE/pid"; while :; do echo '${LINE}'; sleep 0.05; done`);
};

const macmonPid = (tools: StandInTools): number => processIdsIn(join(tools.folder, 'pid'))[0] ?? 0;

const streamingVmStat = (tools: StandInTools): void => {
  const [title, names, row] = fixture('vm_stat/stream-m3-ultra-512gb.txt').split('\n');
  tools.script('vm_stat', `echo '${title}'; echo '${names}'; while :; do echo '${row}'; sleep 0.05; done`);
};
