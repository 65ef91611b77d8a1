import { describe, expect, it } from 'vitest';
import { isUnknown } from '../../../src/core/unknown.ts';
import {
  parseThunderbolt,
  type ThunderboltBus,
} from '../../../src/gather/system-profiler/parse-thunderbolt.ts';
import { forAnyOutput } from '../../support/arbitrary-output.ts';
import { figuresIn } from '../../support/figures-in.ts';
import { fixture } from '../../support/fixture.ts';

const busesOf = (path: string): readonly ThunderboltBus[] => {
  const hardware = parseThunderbolt(fixture(path));
  if (hardware.kind !== 'answered' || hardware.value.kind !== 'buses') throw new Error('no buses');
  return hardware.value.buses;
};

const portWith = (speed: string, status: string): ThunderboltBus => {
  const receptacle = { current_speed_key: speed, receptacle_id_key: '1', receptacle_status_key: status };
  const text = JSON.stringify({ SPThunderboltDataType: [{ _name: 'bus', receptacle_1_tag: receptacle }] });
  const hardware = parseThunderbolt(text);
  if (hardware.kind !== 'answered' || hardware.value.kind !== 'buses') throw new Error('no buses');
  const [port] = hardware.value.buses;
  if (port === undefined) throw new Error('no port');
  return port;
};

describe('system_profiler SPThunderboltDataType', () => {
  const [dock, hub, peer, empty] = busesOf('system_profiler-thunderbolt/m3-ultra-mac-studio.json');

  it('distinguishes a capability from a negotiated rate', () => {
    expect(empty).toMatchObject({
      receptacle: '1',
      status: 'empty',
      capabilityBitsPerSecond: 120e9,
      negotiatedBitsPerSecond: { kind: 'unknown', reason: 'nothing is connected' },
    });
    expect(peer).toMatchObject({ receptacle: '2', status: 'connected', negotiatedBitsPerSecond: 80e9 });
    expect(isUnknown(peer?.capabilityBitsPerSecond)).toBe(true);
  });

  it('finds a peer on the cable and one behind a hub, with upper-case UUIDs', () => {
    expect(peer?.peers).toEqual([
      {
        domainUuid: '5AF20000-0000-4000-8000-000000000001',
        name: 'MacBook Pro',
        isBehindHub: false,
        offersRdma: true,
      },
    ]);
    expect(hub?.peers).toEqual([
      {
        domainUuid: '5AF20000-0000-4000-8000-000000000002',
        name: 'MacBook Pro',
        isBehindHub: true,
        offersRdma: true,
      },
    ]);
    expect(hub?.devices).toEqual(['Example Dock']);
  });

  it('takes a dock at full rate for a device and not for a peer', () => {
    expect(dock).toMatchObject({ peers: [], devices: ['Example Dock'], negotiatedBitsPerSecond: 80e9 });
  });

  it('reads both receptacles of a bus of an Intel Mac, with what is plugged into each', () => {
    const ports = busesOf('system_profiler-thunderbolt/made-up-intel-macbook-pro.json');
    expect(ports.map(({ busName, receptacle, status }) => [busName, receptacle, status])).toEqual([
      ['thunderbolt_bus_1', '3', 'empty'],
      ['thunderbolt_bus_1', '4', 'empty'],
      ['thunderbolt_bus_0', '1', 'connected'],
      ['thunderbolt_bus_0', '2', 'connected'],
    ]);
    expect(ports.map(({ capabilityBitsPerSecond }) => capabilityBitsPerSecond)).toEqual([
      40e9, 40e9, 40e9, 40e9,
    ]);
    expect(ports.map(({ devices, peers }) => [devices, peers.map(({ domainUuid }) => domainUuid)])).toEqual([
      [[], []],
      [[], []],
      [['Example Disk'], []],
      [[], ['5AF70000-0000-4000-8000-000000000000']],
    ]);
  });

  it('gives what is plugged in to the receptacle in use, if it is the only one', () => {
    const text = fixture('system_profiler-thunderbolt/made-up-intel-macbook-pro.json');
    const one = text.replace('receptacle_connected', 'receptacle_no_devices_connected');
    const hardware = parseThunderbolt(one);
    if (hardware.kind !== 'answered' || hardware.value.kind !== 'buses') throw new Error('no buses');
    const [, , first, second] = hardware.value.buses;
    expect(first).toMatchObject({ status: 'empty', devices: [], peers: [] });
    expect(second?.devices).toEqual(['Example Disk']);
  });

  it.each([
    ['Up to 40 Gb/s', 40e9],
    ['Bis zu 40 Gbit/s', 40e9],
    ['Jusqu’à 40 Gb/s', 40e9],
    ['Hasta 80 Gb/s', 80e9],
    ['最大40 Gb/s', 40e9],
    ['最高 120 Gb/s', 120e9],
    ['До 40 Гбит/с', 40e9],
    ['40 Gb/sn’ye kadar', 40e9],
    ['Jopa 40\u00a0Gb/s', 40e9],
    ['40 Gb/s', 40e9],
  ])('takes %j of an empty port for what it can do', (speed, bitsPerSecond) => {
    expect(portWith(speed, 'receptacle_no_devices_connected')).toMatchObject({
      capabilityBitsPerSecond: bitsPerSecond,
      negotiatedBitsPerSecond: { reason: 'nothing is connected' },
    });
  });

  it.each([
    ['80 Gb/s', 80e9, 'negotiatedBitsPerSecond'],
    ['80 Gbit/s', 80e9, 'negotiatedBitsPerSecond'],
    ['80 Гбит/с', 80e9, 'negotiatedBitsPerSecond'],
    ['20 Gb/s x2', 20e9, 'negotiatedBitsPerSecond'],
    ['Bis zu 40 Gbit/s', 40e9, 'capabilityBitsPerSecond'],
    ['最大40 Gb/s', 40e9, 'capabilityBitsPerSecond'],
    ['Up to 40 Gb/s x1', 40e9, 'capabilityBitsPerSecond'],
  ])('takes %j of a port in use for %d of %s', (speed, bitsPerSecond, figure) => {
    const port = portWith(speed, 'receptacle_connected');
    const { capabilityBitsPerSecond, negotiatedBitsPerSecond } = port;
    const figures: Readonly<Record<string, unknown>> = { capabilityBitsPerSecond, negotiatedBitsPerSecond };
    expect(figures[figure]).toBe(bitsPerSecond);
    expect(Object.values(figures).filter(isUnknown)).toHaveLength(1);
  });

  it('loses only the fields of a receptacle that a bus does not name', () => {
    const [, bare] = busesOf('system_profiler-thunderbolt/m4-macbook-air.json');
    expect(bare?.domainUuid).toBe('57020000-0000-4000-8000-000000000000');
    expect(isUnknown(bare?.receptacle)).toBe(true);
    expect(isUnknown(bare?.status)).toBe(true);
  });

  it('recognizes a machine without Thunderbolt', () => {
    expect(parseThunderbolt(fixture('system_profiler-thunderbolt/virtual-machine.json'))).toEqual({
      kind: 'answered',
      value: { kind: 'none' },
    });
  });

  it('reports of other text what is wrong', () => {
    expect(parseThunderbolt('Thunderbolt/USB4:\n').kind).toBe('unanswered');
    expect(parseThunderbolt('{"SPThunderboltDataType":7}').kind).toBe('unanswered');
  });

  it('bounds a tree without end', () => {
    let items: unknown[] = [];
    for (let depth = 0; depth < 2_000; depth++) items = [{ _name: 'hub', _items: items }];
    const text = JSON.stringify({ SPThunderboltDataType: [{ domain_uuid_key: 'x', _items: items }] });
    const hardware = parseThunderbolt(text);
    expect(hardware).toMatchObject({ kind: 'answered', value: { kind: 'buses' } });
    if (hardware.kind === 'answered' && hardware.value.kind === 'buses') {
      expect(hardware.value.buses[0]?.devices).toHaveLength(256);
    }
  });

  it('never throws and never gives a figure that is not finite', () => {
    forAnyOutput([fixture('system_profiler-thunderbolt/m3-ultra-mac-studio.json')], text => {
      expect(figuresIn(parseThunderbolt(text)).every(Number.isFinite)).toBe(true);
    });
  });
});
