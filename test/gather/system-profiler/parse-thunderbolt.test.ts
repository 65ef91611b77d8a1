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

describe('system_profiler SPThunderboltDataType', () => {
  const [dock, hub, peer, empty] = busesOf('system_profiler-thunderbolt/m3-ultra-mac-studio.json');

  it('tells a capability from a negotiated rate', () => {
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

  it('loses only the fields of a receptacle that a bus does not name', () => {
    const [, bare] = busesOf('system_profiler-thunderbolt/m4-macbook-air.json');
    expect(bare?.domainUuid).toBe('57020000-0000-4000-8000-000000000000');
    expect(isUnknown(bare?.receptacle)).toBe(true);
    expect(isUnknown(bare?.status)).toBe(true);
  });

  it('knows a machine without Thunderbolt', () => {
    expect(parseThunderbolt(fixture('system_profiler-thunderbolt/virtual-machine.json'))).toEqual({
      kind: 'answered',
      value: { kind: 'none' },
    });
  });

  it('says of other text what is wrong', () => {
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
