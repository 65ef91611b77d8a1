import { describe, expect, it } from 'vitest';
import { parseRdmaCtlStatus } from '../../../src/gather/ibverbs/macos-rdma-gatherer.ts';
import { parseIbvDevices, parseIbvDevinfo } from '../../../src/gather/ibverbs/parse-ibv.ts';
import { forAnyOutput } from '../../support/arbitrary-output.ts';
import { figuresIn } from '../../support/figures-in.ts';
import { fixture } from '../../support/fixture.ts';

describe('ibv_devices', () => {
  it('lists devices by name and GUID, split by tabs or spaces', () => {
    const text = fixture('ibv_devices/m3-ultra-mac-studio.txt');
    const first = { name: 'rdma_en2', nodeGuid: 'e000570100015705' };
    expect(parseIbvDevices(text)[0]).toEqual(first);
    expect(parseIbvDevices(text.replaceAll('\t', '  '))[0]).toEqual(first);
  });

  it('lists nothing from the header alone, nor from a message', () => {
    expect(parseIbvDevices(fixture('ibv_devices/mac-rdma-off.txt'))).toEqual([]);
    expect(parseIbvDevices('Failed to get IB devices list: Function not implemented')).toEqual([]);
  });
});

describe('ibv_devinfo', () => {
  it('gives the state of each Thunderbolt port', () => {
    const devices = parseIbvDevinfo(fixture('ibv_devinfo/m3-ultra-mac-studio.txt'));
    expect(devices.map(device => [device.name, device.ports[0]?.state, device.ports[0]?.linkLayer])).toEqual([
      ['rdma_en2', 'down', 'thunderbolt'],
      ['rdma_en3', 'active', 'thunderbolt'],
      ['rdma_en4', 'down', 'thunderbolt'],
    ]);
    expect(devices[0]).toMatchObject({ nodeGuid: 'e000570100015705', ports: [{ activeMtuBytes: 4096 }] });
  });

  it('gives rate, subnet and firmware of a verbose Linux listing', () => {
    const [device] = parseIbvDevinfo(fixture('ibv_devinfo/linux-verbose-two-ports.txt'));
    expect(device).toMatchObject({
      firmware: '28.39.2048',
      ports: [
        {
          number: 1,
          state: 'active',
          physicalState: 'LINK_UP',
          linkLayer: 'infiniband',
          rateBitsPerSecond: 400e9,
          subnetPrefix: 'fe80:0000:0000:0000',
        },
        {
          number: 2,
          state: 'initializing',
          linkLayer: 'ethernet',
          rateBitsPerSecond: 25e9,
          activeMtuBytes: 1024,
          subnetPrefix: { kind: 'unknown' },
        },
      ],
    });
  });

  it('does not guess a state it does not know', () => {
    const [device] = parseIbvDevinfo('hca_id:\tx\n\t\tport:\t1\n\t\t\tstate:\t\tPORT_NOP (0)\n');
    expect(device?.ports[0]?.state).toEqual({ kind: 'unknown', reason: 'state "PORT_NOP (0)"' });
  });

  it('never throws and never gives a figure that is not finite', () => {
    const samples = [
      fixture('ibv_devinfo/linux-verbose-two-ports.txt'),
      fixture('ibv_devices/m3-ultra-mac-studio.txt'),
    ];
    forAnyOutput(samples, text => {
      expect(figuresIn([parseIbvDevinfo(text), parseIbvDevices(text)]).every(Number.isFinite)).toBe(true);
    });
  });
});

describe('rdma_ctl status', () => {
  it('is believed only when it reports exactly enabled or disabled', () => {
    expect(parseRdmaCtlStatus('enabled\n')).toBe(true);
    expect(parseRdmaCtlStatus('disabled\n')).toBe(false);
    expect(parseRdmaCtlStatus('partially enabled\n')).toEqual({
      kind: 'unknown',
      reason: 'rdma_ctl prints "partially enabled"',
    });
    expect(parseRdmaCtlStatus('')).toEqual({ kind: 'unknown', reason: 'rdma_ctl prints ""' });
  });
});
