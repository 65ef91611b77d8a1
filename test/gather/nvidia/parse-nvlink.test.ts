import { expect, it } from 'vitest';
import { type GpuHealth, type GpuLink, healthFindings } from '../../../src/core/node/gpu-health.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { parseHealth } from '../../../src/gather/nvidia/parse-health.ts';
import { parseNvlink } from '../../../src/gather/nvidia/parse-nvlink.ts';
import { fixtureText } from '../gpu/fixture-tree.ts';

const HEAD = 'GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-aaaaaaaa-0000-4000-8000-000000000001)';
const STATE = `${HEAD}
\t Link 0: 26.562 GB/s
\t Link 1: <inactive>
GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-aaaaaaaa-0000-4000-8000-000000000002)
\t Link 0: 26.562 GB/s
`;
const ERRORS = `${HEAD}
\t Link 0: Replay Errors: 2
\t Link 0: Recovery Errors: 0
\t Link 0: CRC Errors: 65535
`;
const BYTES = `${HEAD}
\t Link 0: Data Tx: 8299479 KiB
\t Link 0: Data Rx: 7492431 KiB
`;

it('gives for each link whether it is up, its speed, bytes and errors', () => {
  const links = parseNvlink({ state: STATE, errors: ERRORS, bytes: BYTES });
  expect(links.get('GPU-aaaaaaaa-0000-4000-8000-000000000001')).toEqual([
    {
      number: 0,
      isUp: true,
      bytesPerSecond: 26_562_000_000,
      sentBytes: 8_299_479 * 1_024,
      receivedBytes: 7_492_431 * 1_024,
      replays: 2,
      recoveries: 0,
      crcErrors: 65_535,
    },
    expect.objectContaining({ number: 1, isUp: false, bytesPerSecond: unknown('the link is down') }),
  ]);
  expect(links.get('GPU-aaaaaaaa-0000-4000-8000-000000000002')).toEqual([
    expect.objectContaining({ isUp: true, sentBytes: unknown('not reported by this driver') }),
  ]);
});

it('makes nothing of what is no list of links', () => {
  expect(parseNvlink({ state: 'NVML: no such thing\n Link 0: 1 GB/s', errors: '', bytes: '' }).size).toBe(0);
});

it.each([
  [fixtureText('nvidia-smi/nvlink-status-h100-mig.txt'), unknown('not reported while MIG is on')],
  [fixtureText('nvidia-smi/nvlink-status-rtx-4080-super.txt'), unknown('no NVLink', 'not-offered')],
  [
    `${HEAD}\nNVML: Unable to retrieve NVLink information as all links are inActive\n`,
    unknown('all its links are inactive', 'links-inactive'),
  ],
  [`${HEAD}\n\t Unknown Error\n`, unknown('the driver reports: Unknown Error')],
  [`${HEAD}\n`, unknown('no NVLink', 'not-offered')],
])('reports why a device lists no link, and calls only one "no NVLink": %#', (state, why) => {
  expect([...parseNvlink({ state, errors: '', bytes: '' }).values()]).toEqual([why]);
});

it('reads links next to a message on a lost GPU', () => {
  const state = `Unable to determine the device handle for GPU1: 0000:34:00.0: Unknown Error\n${STATE}`;
  expect(parseNvlink({ state, errors: '', bytes: '' }).size).toBe(2);
});

it('calls all links of a GPU down if the driver lists none of them and three others have theirs', () => {
  const [well] = parseHealth(fixtureText('nvidia-smi/health-h100-pair.xml'));
  if (well === undefined) throw new Error('the fixture has a card');
  const links = [...parseNvlink({ state: STATE, errors: '', bytes: '' }).values()][1] ?? [];
  const linked = ['a', 'b', 'c'].map(deviceId => ({ ...well, deviceId, links }));
  const dark = { ...well, deviceId: 'd', links: unknown('all its links are inactive', 'links-inactive') };
  expect(healthFindings(dark, [...linked, dark]).map(({ what }) => what)).toEqual([
    'all its links to other GPUs are down',
  ]);
  expect(healthFindings(dark, [...linked.slice(1), dark])).toEqual([]);
});

it('calls a link down where others like the card have theirs up, and not where none has', () => {
  const [well] = parseHealth(fixtureText('nvidia-smi/health-h100-pair.xml'));
  if (well === undefined) throw new Error('the fixture has a card');
  const link = (number: number, isUp: boolean): GpuLink => ({
    number,
    isUp,
    bytesPerSecond: 1,
    sentBytes: 0,
    receivedBytes: 0,
    replays: 0,
    recoveries: 0,
    crcErrors: 0,
  });
  const card = (deviceId: string, ...up: readonly boolean[]): GpuHealth => ({
    ...well,
    deviceId,
    links: up.map((isUp, number) => link(number, isUp)),
  });
  const all = [card('a', true, true, false), card('b', true, false, false), card('c', false, false, false)];
  const reported = all.map(each => healthFindings(each, all).map(({ what }) => what));
  expect(reported).toEqual([[], ['1 of 2 links to other GPUs is down'], []]);
  const eight = [...Array(3)].map((_, at) => card(`${at}`, true, true));
  const dead = card('dead', false, false);
  expect(healthFindings(dead, [...eight, dead]).map(({ what }) => what)).toEqual([
    '2 of 2 links to other GPUs are down',
  ]);
});
