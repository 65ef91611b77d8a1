// Other activity of this machine while a run measured, from kernel counters before and after: swapping, memory
// pressure, TCP retransmits, packets dropped by its interfaces, throttled processors, their governor, and other
// programs. Each condition that affects figures is one sentence. Other systems than Linux have none of these files,
// which is a sentence, too.

import { counted } from '../../core/figure/figure.ts';
import type { MachineDuringRun } from '../../core/run/report.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import type { ReadText } from './host-watch.ts';
import { pressureNsOf } from './parse-host.ts';

interface ConditionsOptions {
  readonly read: ReadText;
  readonly platform: string;
  readonly cores: number;
  /** Host of the target: "127.0.0.1". */
  readonly host: string;
  readonly nowNs: () => number;
}

export class MachineConditions {
  readonly #options: ConditionsOptions;
  readonly #before: Counters;

  constructor(options: ConditionsOptions) {
    this.#options = options;
    this.#before = this.#counters();
  }

  /** One sentence each. */
  sentences(): readonly string[] {
    const { platform, host, cores } = this.#options;
    const shared = LOOPBACK.test(host)
      ? [`the server is on this machine: client and server share its ${counted(cores, 'processor')}`]
      : [];
    if (platform !== 'linux')
      return [
        ...shared,
        `swapping, retransmits and other load are not known: ${platform} has no files for them`,
      ];
    return [
      ...shared,
      ...changed(this.#before, this.#counters(), cores),
      ...governorSentence(this.#options.read),
    ];
  }

  /** The same as figures. */
  figures(): MachineDuringRun {
    const { read, host } = this.#options;
    const before = this.#before;
    const now = this.#counters();
    const elapsedNs = Math.max(1, now.atNs - before.atNs);
    const rise = (key: Exclude<keyof Counters, 'atNs'>): Reported<number> => {
      const [first, last] = [before[key], now[key]];
      return first === undefined || last === undefined ? unknown(NOT_REPORTED) : Math.max(0, last - first);
    };
    const part = (of: Reported<number>, by: Reported<number>): Reported<number> =>
      isUnknown(of) ? of : isUnknown(by) ? by : of / Math.max(1, by);
    const [busyNs, ownNs] = [rise('busyNs'), rise('ownCpuNs')];
    const governor = read(GOVERNOR)?.trim();
    return {
      otherLoad: isUnknown(busyNs)
        ? busyNs
        : isUnknown(ownNs)
          ? ownNs
          : Math.max(0, busyNs - ownNs) / elapsedNs,
      swappedPages: rise('swapped'),
      memoryWaitShare: part(rise('memoryWaitNs'), elapsedNs),
      retransmittedShare: part(rise('retransmitted'), rise('sentSegments')),
      droppedPackets: rise('droppedPackets'),
      heatThrottles: rise('throttles'),
      governor: governor === undefined ? unknown(NOT_REPORTED) : governor,
      sharesProcessors: LOOPBACK.test(host),
    };
  }

  #counters(): Counters {
    const { read, nowNs } = this.#options;
    const vmstat = read('/proc/vmstat') ?? '';
    const snmp = tcpFigures(read('/proc/net/snmp') ?? '');
    return {
      atNs: nowNs(),
      ownCpuNs: ownCpuNs(read('/proc/self/stat') ?? ''),
      busyNs: busyNsOf(read('/proc/stat') ?? ''),
      swapped: sum(figureOf('pswpin', vmstat), figureOf('pswpout', vmstat)),
      memoryWaitNs: pressureNsOf(read('/proc/pressure/memory') ?? ''),
      retransmitted: snmp.get('RetransSegs'),
      sentSegments: snmp.get('OutSegs'),
      droppedPackets: droppedOf(read('/proc/net/dev') ?? ''),
      throttles: figureOf(
        '',
        read('/sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count') ?? '',
      ),
    };
  }
}

interface Counters {
  readonly atNs: number;
  readonly ownCpuNs: number | undefined;
  readonly busyNs: number | undefined;
  /** In pages. */
  readonly swapped: number | undefined;
  readonly memoryWaitNs: number | undefined;
  readonly retransmitted: number | undefined;
  readonly sentSegments: number | undefined;
  readonly droppedPackets: number | undefined;
  readonly throttles: number | undefined;
}

const changed = (before: Counters, now: Counters, cores: number): readonly string[] => {
  const risen = (key: keyof Counters): number =>
    Math.max(0, (now[key] ?? 0) - (before[key] ?? now[key] ?? 0));
  const elapsedNs = Math.max(1, risen('atNs'));
  const others = (risen('busyNs') - risen('ownCpuNs')) / elapsedNs;
  const retransmitted = risen('retransmitted') / Math.max(1, risen('sentSegments'));
  const waited = risen('memoryWaitNs') / elapsedNs;
  return [
    ...(others > OTHERS_PART_MIN * cores
      ? [
          `other programs of this machine, its servers among them, used ${others.toFixed(1)} of ${counted(cores, 'processor')}`,
        ]
      : []),
    ...(risen('swapped') > 0 ? [`the machine swapped ${counted(risen('swapped'), 'page')}`] : []),
    ...(waited > WAITED_PART_MIN
      ? [`tasks waited for memory for ${(100 * waited).toFixed(0)} % of the time`]
      : []),
    ...(retransmitted > RETRANSMITTED_PART_MIN
      ? [`${(100 * retransmitted).toFixed(2)} % of its TCP segments were sent again`]
      : []),
    ...(risen('droppedPackets') > 0
      ? [`its network interfaces dropped ${counted(risen('droppedPackets'), 'packet')}`]
      : []),
    ...(risen('throttles') > 0
      ? [`its processors were throttled by heat ${counted(risen('throttles'), 'time')}`]
      : []),
  ];
};

const governorSentence = (read: ReadText): readonly string[] => {
  const governor = read(GOVERNOR)?.trim();
  return governor === undefined || governor === 'performance'
    ? []
    : [`the frequency governor is ${governor}: processors may be slow to wake (performance keeps them up)`];
};

/** Sum over all processors, in ticks of 10 ms: user, nice, system, irq, softirq; guests are in user. */
const busyNsOf = (stat: string): number | undefined => {
  const [, line] = /^cpu +(\d[\d ]*)$/m.exec(stat) ?? [];
  if (line === undefined) return undefined;
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = line.trim().split(/ +/).map(Number);
  return (user + nice + system + irq + softirq) * TICK_NS;
};

/** CPU time of this process: user and system, after a name that may contain any character. */
const ownCpuNs = (stat: string): number | undefined => {
  const figures = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [user, system] = [figures[OWN_USER], figures[OWN_USER + 1]];
  return user === undefined || system === undefined ? undefined : (user + system) * TICK_NS;
};

/** Two lines, names and figures. */
const tcpFigures = (snmp: string): ReadonlyMap<string, number> => {
  const [names = [], figures = []] = snmp
    .split('\n')
    .filter(line => line.startsWith('Tcp:'))
    .map(line => line.split(' ').slice(1));
  return new Map(names.map((name, at) => [name, Number(figures[at] ?? Number.NaN)]));
};

/** Received and dropped, of all but loopback. */
const droppedOf = (dev: string): number | undefined => {
  const rows = dev.split('\n').flatMap(line => {
    const [, name = 'lo', figures = ''] = /^ *([^:\s]+): *(.*)$/.exec(line) ?? [];
    return name === 'lo' ? [] : [Number(figures.split(/ +/)[RX_DROPPED] ?? 0)];
  });
  return rows.length === 0 ? undefined : rows.reduce((total, one) => total + one, 0);
};

const figureOf = (name: string, text: string): number | undefined => {
  const [, digits] = new RegExp(`^${name} ?(\\d{1,18})$`, 'm').exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
};

const sum = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a + b;

const GOVERNOR = '/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor';
const NOT_REPORTED = 'not reported by the system';
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/;
const RX_DROPPED = 3;
/** utime, the 14th field, counted from the third. */
const OWN_USER = 11;
/** USER_HZ is 100 on every Linux that Node runs on. */
const TICK_NS = 10_000_000;
/** Below these values nobody would look for the cause there. */
const OTHERS_PART_MIN = 0.25;
const WAITED_PART_MIN = 0.01;
const RETRANSMITTED_PART_MIN = 0.001;
