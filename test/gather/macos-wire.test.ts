// For any output of a Mac's tools, the readings made of it pass the schema by which other nodes judge them: a peer's long
// name or a figure past all limits must not make a whole reading be refused.

import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { EVENT_KINDS } from '../../src/core/event-kinds.ts';
import type { Reading } from '../../src/core/node/reading.ts';
import { parseDf, parseMounts } from '../../src/gather/df/parse-df.ts';
import { parseIbvDevinfo } from '../../src/gather/ibverbs/parse-ibv.ts';
import { describeInterface } from '../../src/gather/ifconfig/macos-network-gatherer.ts';
import { parseIfconfig } from '../../src/gather/ifconfig/parse-ifconfig.ts';
import { macmonGpuLoads, macmonMemory, macmonSystem } from '../../src/gather/macmon/macmon-readings.ts';
import { parseMacmonLine } from '../../src/gather/macmon/parse-macmon.ts';
import { parseHardwarePorts, parseServiceOrder } from '../../src/gather/networksetup/parse-networksetup.ts';
import { pressureLevelIn, swapUsageIn } from '../../src/gather/sysctl/memory-gauge.ts';
import { parseSysctl } from '../../src/gather/sysctl/parse-sysctl.ts';
import { appleGpu, macosIdentity } from '../../src/gather/system-profiler/macos-identity-gatherer.ts';
import { findThunderboltBridge } from '../../src/gather/system-profiler/macos-thunderbolt-gatherer.ts';
import {
  parseComputerName,
  parseDisplays,
  parseHardware,
  parseSwVers,
} from '../../src/gather/system-profiler/parse-identity.ts';
import { parseThunderbolt } from '../../src/gather/system-profiler/parse-thunderbolt.ts';
import { answered } from '../../src/gather/tool-output.ts';
import { usedBytesOf, VmStatReader } from '../../src/gather/vm-stat/parse-vm-stat.ts';
import { fallbackMemory } from '../../src/gather/vm-stat/vm-stat-gatherer.ts';
import { forAnyOutput } from '../support/arbitrary-output.ts';
import { fixture } from '../support/fixture.ts';
import { macHost } from './machine-for-test.ts';

const expectBelieved = (reading: Reading): void => {
  const payload = { source: 'test', intervalMs: 1_000, value: reading.value };
  const result = v.safeParse(
    EVENT_KINDS[`${reading.kind}.gathered`].schema,
    JSON.parse(JSON.stringify(payload)),
  );
  expect(result.issues?.map(issue => `${v.getDotPath(issue)}: ${issue.message}`)).toBeUndefined();
};

const gaugeOf = (text: string) => ({
  pressure: pressureLevelIn(parseSysctl(text)),
  swap: swapUsageIn(parseSysctl(text)),
});

describe('readings of any output are believed by other nodes', () => {
  it('macmon and sysctl', () => {
    forAnyOutput([fixture('macmon/v0.8.2-m3-ultra.txt'), fixture('sysctl/memory-swapping.txt')], text => {
      const sample = parseMacmonLine(text);
      if (sample.kind === 'unanswered') return;
      expectBelieved(macmonMemory(sample.value, macHost, gaugeOf(text)));
      expectBelieved(macmonSystem(sample.value, macHost, 0.5));
      expectBelieved(macmonGpuLoads(sample.value));
    });
  });

  it('vm_stat and sysctl', () => {
    forAnyOutput(
      [fixture('vm_stat/stream-m3-ultra-512gb.txt'), fixture('sysctl/memory-swapping.txt')],
      text => {
        const reader = new VmStatReader();
        for (const pages of text.split('\n').flatMap(line => reader.read(line) ?? [])) {
          expectBelieved(fallbackMemory(usedBytesOf(pages), macHost, gaugeOf(text)));
        }
      },
    );
  });

  it('ifconfig and networksetup', () => {
    const samples = [
      fixture('ifconfig/m3-ultra-mac-studio.txt'),
      fixture('networksetup/m3-ultra-mac-studio-ports.txt'),
    ];
    forAnyOutput(samples, text => {
      const portName = parseHardwarePorts(text)[0]?.portName ?? 'Thunderbolt 1';
      const interfaces = parseIfconfig(text).map(about => describeInterface(about, portName));
      expectBelieved({ kind: 'network', value: { interfaces } });
    });
  });

  it('system_profiler, networksetup and ibv_devinfo', () => {
    const samples = [
      fixture('system_profiler-thunderbolt/m3-ultra-mac-studio.json'),
      fixture('networksetup/service-order-bridge-disabled.txt'),
      fixture('ibv_devinfo/linux-verbose-two-ports.txt'),
    ];
    const ports = parseHardwarePorts(fixture('networksetup/m3-ultra-mac-studio-ports.txt'));
    const interfaces = parseIfconfig(fixture('ifconfig/m3-ultra-mac-studio.txt'));
    forAnyOutput(samples, text => {
      const hardware = parseThunderbolt(text);
      const buses =
        hardware.kind === 'answered' && hardware.value.kind === 'buses' ? hardware.value.buses : [];
      const bridge = findThunderboltBridge(ports, interfaces, answered(parseServiceOrder(text)));
      const names = { interfaceName: 'en2', rdmaInterfaceName: 'rdma_en2' };
      expectBelieved({
        kind: 'thunderbolt',
        value: { ports: buses.map(bus => ({ ...bus, ...names })), bridge },
      });
      expectBelieved({ kind: 'rdmaDevices', value: { isEnabled: true, devices: parseIbvDevinfo(text) } });
    });
  });

  it('system_profiler, sysctl, sw_vers and scutil', () => {
    const samples = [
      fixture('system_profiler-hardware/m3-ultra-mac-studio.json'),
      fixture('system_profiler-displays/m3-ultra-mac-studio.json'),
      fixture('sysctl/m3-ultra-mac-studio.txt'),
      fixture('sw_vers/macos-26-with-extra.txt'),
    ];
    forAnyOutput(samples, text => {
      const identity = macosIdentity({
        configuredName: undefined,
        computerName: parseComputerName(text),
        hostName: 'studio.local',
        architecture: 'arm64',
        plimsollVersion: '1.2.3',
        hardware: parseHardware(text),
        sysctl: answered(parseSysctl(text)),
        version: answered(parseSwVers(text)),
      });
      expectBelieved({ kind: 'identity', value: identity });
      const gpu = parseDisplays(text);
      if (gpu.kind === 'unanswered') return;
      expectBelieved({
        kind: 'gpus',
        value: { vendor: 'apple', devices: [appleGpu(gpu.value, identity.chip)] },
      });
    });
  });

  it('mount and df', () => {
    forAnyOutput(
      [fixture('df/m3-ultra-mac-studio-local.txt'), fixture('mount/m3-ultra-mac-studio.txt')],
      text => {
        const [mount] = parseMounts(text);
        const volumes = parseDf(text).map(volume => ({
          ...volume,
          device: mount?.device ?? '',
          fileSystem: 'apfs',
        }));
        expectBelieved({ kind: 'disk', value: { volumes } });
      },
    );
  });

  it('a text of megabytes on one line costs no time', () => {
    const flood = `/${' '.repeat(4_000_000)}`;
    for (const parse of [
      parseDf,
      parseMounts,
      parseIfconfig,
      parseHardwarePorts,
      parseServiceOrder,
      parseSwVers,
    ]) {
      expect(JSON.stringify(parse(flood)).length).toBeLessThan(100);
    }
  });
});
