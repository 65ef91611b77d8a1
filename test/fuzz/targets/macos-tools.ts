// What the tools of macOS print: system_profiler, sysctl, sw_vers, ifconfig, networksetup, netstat, df, mount, vm_stat, macmon and the
// tools of RDMA, and the readings that are made of it.

import { parseDf, parseMounts } from '../../../src/gather/df/parse-df.ts';
import { parseRdmaCtlStatus } from '../../../src/gather/ibverbs/macos-rdma-gatherer.ts';
import { parseIbvDevices, parseIbvDevinfo } from '../../../src/gather/ibverbs/parse-ibv.ts';
import { describeInterface } from '../../../src/gather/ifconfig/macos-network-gatherer.ts';
import { parseIfconfig } from '../../../src/gather/ifconfig/parse-ifconfig.ts';
import { macmonGpuLoads, macmonMemory, macmonSystem } from '../../../src/gather/macmon/macmon-readings.ts';
import { parseMacmonLine } from '../../../src/gather/macmon/parse-macmon.ts';
import { parseNetstat } from '../../../src/gather/netstat/parse-netstat.ts';
import {
  parseHardwarePorts,
  parseServiceOrder,
} from '../../../src/gather/networksetup/parse-networksetup.ts';
import { pressureLevelIn, swapUsageIn } from '../../../src/gather/sysctl/memory-gauge.ts';
import { parseSysctl } from '../../../src/gather/sysctl/parse-sysctl.ts';
import { appleGpu, macosIdentity } from '../../../src/gather/system-profiler/macos-identity-gatherer.ts';
import { findThunderboltBridge } from '../../../src/gather/system-profiler/macos-thunderbolt-gatherer.ts';
import {
  parseComputerName,
  parseDisplays,
  parseHardware,
  parseSwVers,
} from '../../../src/gather/system-profiler/parse-identity.ts';
import { parseThunderbolt } from '../../../src/gather/system-profiler/parse-thunderbolt.ts';
import { answered } from '../../../src/gather/tool-output.ts';
import { usedBytesOf, VmStatReader } from '../../../src/gather/vm-stat/parse-vm-stat.ts';
import { fallbackMemory } from '../../../src/gather/vm-stat/vm-stat-gatherer.ts';
import { macHost } from '../../gather/machine-for-test.ts';
import { fixture } from '../../support/fixture.ts';
import { holdBelieved, holdFinite } from '../believed.ts';
import { type FuzzTarget, firstByteChooses, textOfInput, textSeeds } from '../fuzz-target.ts';

const seedsOf = (...paths: readonly string[]): readonly Uint8Array[] => textSeeds(...paths.map(fixture));
const PORTS = parseHardwarePorts(fixture('networksetup/m3-ultra-mac-studio-ports.txt'));
const INTERFACES = parseIfconfig(fixture('ifconfig/m3-ultra-mac-studio.txt'));
const GAUGE = { pressure: 'normal', swap: swapUsageIn(new Map()) } as const;

export const target: FuzzTarget = {
  name: 'macos-tools',
  covers: [
    'src/gather/df/parse-df.ts',
    'src/gather/ibverbs/parse-ibv.ts',
    'src/gather/ifconfig/parse-ifconfig.ts',
    'src/gather/ifconfig/macos-network-gatherer.ts',
    'src/gather/macmon/parse-macmon.ts',
    'src/gather/macmon/macmon-readings.ts',
    'src/gather/netstat/parse-netstat.ts',
    'src/gather/networksetup',
    'src/gather/sysctl/parse-sysctl.ts',
    'src/gather/system-profiler/parse-identity.ts',
    'src/gather/system-profiler/parse-thunderbolt.ts',
    'src/gather/system-profiler/macos-identity-gatherer.ts',
    'src/gather/vm-stat/parse-vm-stat.ts',
  ],
  ...firstByteChooses([
    {
      seeds: textSeeds(
        fixture('macmon/v0.8.2-m3-ultra.txt').split('\n')[0] ?? '',
        fixture('macmon/v0.5-m4-pro-24gb.txt').split('\n')[0] ?? '',
      ),
      run: input => {
        const sample = parseMacmonLine(textOfInput(input));
        if (sample.kind === 'unanswered') return;
        holdBelieved(macmonMemory(sample.value, macHost, GAUGE));
        holdBelieved(macmonSystem(sample.value, macHost, 0.5));
        holdBelieved(macmonGpuLoads(sample.value));
      },
    },
    {
      seeds: seedsOf('sysctl/m3-ultra-mac-studio.txt', 'sysctl/memory-swapping.txt'),
      run: input => {
        const values = parseSysctl(textOfInput(input));
        return holdFinite([pressureLevelIn(values), swapUsageIn(values)]);
      },
    },
    {
      seeds: seedsOf('vm_stat/stream-m3-ultra-512gb.txt', 'vm_stat/m5-pro-48gb.txt'),
      run: input => {
        const reader = new VmStatReader();
        for (const pages of textOfInput(input)
          .split('\n')
          .flatMap(line => reader.read(line) ?? []))
          holdBelieved(fallbackMemory(usedBytesOf(pages), macHost, GAUGE));
      },
    },
    {
      seeds: seedsOf('ifconfig/m3-ultra-mac-studio.txt'),
      run: input => {
        const interfaces = parseIfconfig(textOfInput(input)).map(about =>
          describeInterface(about, 'Thunderbolt 1'),
        );
        holdBelieved({ kind: 'network', value: { interfaces } });
      },
    },
    {
      seeds: seedsOf(
        'networksetup/m3-ultra-mac-studio-ports.txt',
        'networksetup/m5-max-macbook-pro-docked-ports.txt',
        'networksetup/service-order-bridge-disabled.txt',
      ),
      run: input => {
        const ports = parseHardwarePorts(textOfInput(input));
        const interfaces = INTERFACES.map(about => describeInterface(about, ports[0]?.portName ?? 'Wi-Fi'));
        holdBelieved({ kind: 'network', value: { interfaces } });
        return findThunderboltBridge(PORTS, INTERFACES, answered(parseServiceOrder(textOfInput(input))));
      },
    },
    {
      seeds: seedsOf(
        'system_profiler-thunderbolt/m3-ultra-mac-studio.json',
        'system_profiler-thunderbolt/m4-macbook-air.json',
        'system_profiler-thunderbolt/virtual-machine.json',
      ),
      run: input => {
        const hardware = parseThunderbolt(textOfInput(input));
        const buses =
          hardware.kind === 'answered' && hardware.value.kind === 'buses' ? hardware.value.buses : [];
        const names = { interfaceName: 'en2', rdmaInterfaceName: 'rdma_en2' };
        const bridge = findThunderboltBridge(PORTS, INTERFACES, answered([]));
        holdBelieved({
          kind: 'thunderbolt',
          value: { ports: buses.map(bus => ({ ...bus, ...names })), bridge },
        });
      },
    },
    {
      seeds: seedsOf(
        'ibv_devinfo/m3-ultra-mac-studio.txt',
        'ibv_devinfo/linux-verbose-two-ports.txt',
        'ibv_devices/m3-ultra-mac-studio.txt',
      ),
      run: input => {
        holdBelieved({
          kind: 'rdmaDevices',
          value: {
            isEnabled: parseRdmaCtlStatus(textOfInput(input)),
            devices: parseIbvDevinfo(textOfInput(input)),
          },
        });
        return holdFinite(parseIbvDevices(textOfInput(input)));
      },
    },
    {
      seeds: seedsOf(
        'system_profiler-hardware/m3-ultra-mac-studio.json',
        'system_profiler-hardware/m1-macbook-air-under-rosetta.json',
        'sysctl/m3-ultra-mac-studio.txt',
        'sw_vers/macos-26-with-extra.txt',
      ),
      run: input => {
        const text = textOfInput(input);
        const value = macosIdentity({
          configuredName: undefined,
          computerName: parseComputerName(text),
          hostName: 'studio.local',
          architecture: 'arm64',
          plimsollVersion: '1.2.3',
          hardware: parseHardware(text),
          sysctl: answered(parseSysctl(text)),
          version: answered(parseSwVers(text)),
        });
        holdBelieved({ kind: 'identity', value });
      },
    },
    {
      seeds: seedsOf('system_profiler-displays/m3-ultra-mac-studio.json'),
      run: input => {
        const gpu = parseDisplays(textOfInput(input));
        if (gpu.kind === 'answered')
          holdBelieved({
            kind: 'gpus',
            value: { vendor: 'apple', devices: [appleGpu(gpu.value, 'Apple M3')] },
          });
      },
    },
    {
      seeds: seedsOf('df/m3-ultra-mac-studio-local.txt', 'df/m3-ultra-mac-studio-share.txt'),
      run: input => {
        const volumes = parseDf(textOfInput(input)).map(volume => ({
          ...volume,
          device: '/dev/disk1',
          fileSystem: 'apfs',
        }));
        holdBelieved({ kind: 'disk', value: { volumes } });
      },
    },
    { seeds: seedsOf('mount/m3-ultra-mac-studio.txt'), run: input => parseMounts(textOfInput(input)) },
    { seeds: seedsOf('netstat/macbook.txt'), run: input => holdFinite(parseNetstat(textOfInput(input))) },
  ]),
};
