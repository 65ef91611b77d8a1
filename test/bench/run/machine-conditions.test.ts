import { expect, test } from 'vitest';
import { MachineConditions } from '../../../src/bench/run/machine-conditions.ts';

const QUIET: Readonly<Record<string, string>> = {
  '/proc/stat': 'cpu  100 0 100 10000 0 0 0 0 0 0\ncpu0 1\n',
  '/proc/self/stat': '77 (a ) b) S 1 1 1 0 -1 0 0 0 0 0 100 100 0 0 20 0',
  '/proc/vmstat': 'pswpin 5\npswpout 7\n',
  '/proc/pressure/memory': 'some avg10=0.00 avg60=0.00 avg300=0.00 total=1000\n',
  '/proc/net/snmp': 'Ip: A B\nIp: 1 2\nTcp: InSegs OutSegs RetransSegs\nTcp: 10 1000 3\n',
  '/proc/net/dev':
    'Inter-| Receive\n face |bytes packets errs drop\n    lo: 1 1 0 900 0\n  eth0: 5 5 0 2 0 0 0 0 9 9 0 0\n',
  '/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor': 'performance\n',
};

const watched = (
  after: Readonly<Record<string, string>>,
  host = '10.0.0.7',
  platform = 'linux',
): MachineConditions => {
  let files = QUIET;
  let nowNs = 0;
  const conditions = new MachineConditions({
    read: path => files[path],
    platform,
    cores: 2,
    host,
    nowNs: () => nowNs,
  });
  files = { ...QUIET, ...after };
  nowNs = 10e9;
  return conditions;
};

const reported = (...of: Parameters<typeof watched>): readonly string[] => watched(...of).sentences();

test('of a machine that did nothing else nothing is reported', () => {
  expect(reported({})).toEqual([]);
});

test('each thing that bends figures is a sentence with its amount', () => {
  expect(
    reported({
      '/proc/stat': 'cpu  1100 0 600 10000 0 0 0 0 0 0\n',
      '/proc/self/stat': '77 (a ) b) S 1 1 1 0 -1 0 0 0 0 0 400 300 0 0 20 0',
      '/proc/vmstat': 'pswpin 5\npswpout 27\n',
      '/proc/pressure/memory': 'some avg10=0.00 avg60=0.00 avg300=0.00 total=1001000\n',
      '/proc/net/snmp': 'Tcp: InSegs OutSegs RetransSegs\nTcp: 10 2000 13\n',
      '/proc/net/dev': '  eth0: 5 5 0 6 0 0 0 0 9 9 0 0\n',
      '/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor': 'powersave\n',
    }),
  ).toEqual([
    'other programs of this machine, its servers among them, used 1.0 of 2 processors',
    'the machine swapped 20 pages',
    'tasks waited for memory for 10 % of the time',
    '1.00 % of its TCP segments were sent again',
    'its network interfaces dropped 4 packets',
    'the frequency governor is powersave: processors may be slow to wake (performance keeps them up)',
  ]);
});

test('a server on the same machine shares its processors, and a system without such files is noted as such', () => {
  expect(reported({}, '127.0.0.1')).toEqual([
    'the server is on this machine: client and server share its 2 processors',
  ]);
  expect(reported({}, '[::1]', 'darwin')).toHaveLength(2);
  expect(reported({ '/proc/stat': '', '/proc/vmstat': 'x' })).toEqual([]);
});

test('the same is available as figures, unknown if the system reports nothing', () => {
  const figures = watched({
    '/proc/stat': 'cpu  1100 0 600 10000 0 0 0 0 0 0\n',
    '/proc/self/stat': '77 (a ) b) S 1 1 1 0 -1 0 0 0 0 0 400 300 0 0 20 0',
    '/proc/vmstat': 'pswpin 5\npswpout 27\n',
    '/proc/pressure/memory': '',
    '/proc/net/snmp': 'Tcp: InSegs OutSegs RetransSegs\nTcp: 10 2000 13\n',
  }).figures();
  expect(figures).toMatchObject({
    otherLoad: 1,
    swappedPages: 20,
    memoryWaitShare: { kind: 'unknown' },
    retransmittedShare: 0.01,
    droppedPackets: 0,
    heatThrottles: { kind: 'unknown' },
    governor: 'performance',
    sharesProcessors: false,
  });
});
