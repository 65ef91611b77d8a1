// The last stage: what grew or changed while the cluster was watched. A fault that was seen counts at once; that none was seen
// counts only after long enough.

import { formatUptime } from '../figure/duration.ts';
import { counted } from '../figure/figure.ts';
import { type GpuHealth, reportsHealth } from '../node/gpu-health.ts';
import { DEVICE_MEASURES } from '../node/gpu-profile.ts';
import { countsLosses, lossesBy, PORT_COUNTERS } from '../node/port-health.ts';
import { knownValue } from '../node/reading-view.ts';
import { isUnknown, type Reported } from '../unknown.ts';
import type { AcceptanceCheck, AcceptanceSources } from './acceptance-check.ts';
import { type AcceptedDevice, acceptedDevices } from './accepted-device.ts';
import { acceptedPaths } from './accepted-path.ts';
import { type CounterKind, counterKey, deviceKey } from './cluster-watch.ts';
import {
  type Judged,
  judgedBy,
  judgedFigure,
  planLimit,
  type Subject,
  undecided,
  unitText,
} from './limit.ts';
import { LOAD_CHECKS } from './load-checks.ts';
import { countedParts, uncounted } from './port-checks.ts';

interface Growth extends Subject {
  readonly grown: number;
  readonly allowed: number;
  /** What a growth means. */
  readonly what: string;
}

/** @param planned replaces what is allowed */
const judgedGrowth = (
  { watched: { watchedMs }, watchedMsMin }: AcceptanceSources,
  { grown, allowed, what, ...subject }: Growth,
  planned?: number,
): Judged => {
  const time = formatUptime(watchedMs / 1_000);
  const limit = planned ?? allowed;
  if (grown <= limit && watchedMs < watchedMsMin)
    return undecided(
      { ...subject, value: grown },
      `watched for ${time} only, of ${formatUptime(watchedMsMin / 1_000)}`,
    );
  if (planned !== undefined)
    return judgedFigure({ ...subject, value: grown, side: 'max', limits: planLimit(planned), without: '' });
  return judgedBy(subject, grown <= limit ? 'pass' : 'fail', {
    value: grown,
    limit,
    reason: `${grown <= limit ? 'in' : `${what}, in`} ${time}`,
  });
};

/** Undecided where a device counts errors, but not these. */
const ofDevices =
  (
    kind: CounterKind,
    { what, read }: { readonly what: string; readonly read: (health: GpuHealth) => Reported<number> },
  ): AcceptanceCheck['judge'] =>
  (sources, planned) =>
    acceptedDevices(sources).flatMap((device: AcceptedDevice): readonly Judged[] => {
      const counter = sources.watched.counters[counterKey(kind, device.nodeId, device.deviceId)];
      const health = device.gpu?.health;
      const now = health === undefined || !reportsHealth(health) ? undefined : read(health);
      if (counter === undefined)
        return now !== undefined && isUnknown(now) ? [undecided(device, now.reason)] : [];
      return [judgedGrowth(sources, { ...device, grown: counter.grown, allowed: 0, what }, planned)];
    });

const loggedErrors: AcceptanceCheck['judge'] = (sources, planned) =>
  sources.nodes.flatMap(({ nodeId, name, gpuErrors }): readonly Judged[] => {
    const counter = sources.watched.counters[counterKey('driver-errors', nodeId, '')];
    const subject = { subject: name, nodes: [name] };
    if (counter === undefined)
      return gpuErrors.kind === 'unavailable'
        ? [undecided(subject, `the kernel's log: ${gpuErrors.reason}`)]
        : [];
    return [
      judgedGrowth(
        sources,
        { ...subject, grown: counter.grown, allowed: 0, what: 'its devices had new errors' },
        planned,
      ),
    ];
  });

/** Of the ports at both ends of the judged paths, each way; a share of the packets is allowed. */
const ofPorts =
  (kind: 'port-errors' | 'port-drops', { share, least }: Readonly<Record<'share' | 'least', number>>) =>
  (sources: AcceptanceSources): readonly Judged[] => {
    const { counters } = sources.watched;
    return portsOf(sources).flatMap(({ part, subject, nodes, nodeId }) =>
      (['received', 'sent'] as const).flatMap((way): readonly Judged[] => {
        const counter = counters[counterKey(kind, nodeId, `${part} ${way}`)];
        if (counter === undefined) return [];
        const packets = counters[counterKey('port-packets', nodeId, `${part} ${way}`)]?.grown ?? 0;
        return [
          judgedGrowth(sources, {
            subject: `${subject}, ${way}`,
            nodes,
            grown: counter.grown,
            allowed: Math.max(least, Math.floor(packets * share)),
            what: `of ${counted(packets, 'packet')}`,
          }),
        ];
      }),
    );
  };

interface Port extends Subject {
  readonly nodeId: string;
  /** "interface en0" */
  readonly part: string;
}

/** Each once; a path of RDMA is counted by its own port. */
const portsOf = (sources: AcceptanceSources): readonly Port[] => {
  const ports = new Map<string, Port>();
  for (const { of, ends } of acceptedPaths(sources))
    for (const { view, interfaceName } of ends) {
      if (isUnknown(interfaceName)) continue;
      const part = `${of.connection.kind === 'rdma' ? 'rdma' : 'interface'} ${interfaceName}`;
      ports.set(`${view.nodeId} ${part}`, {
        subject: `${view.name} ${interfaceName}`,
        nodes: [view.name],
        nodeId: view.nodeId,
        part,
      });
    }
  return [...ports.values()];
};

/** By the counters of ports, which miss nothing; of interfaces without one by readings that show them down. */
const flaps: AcceptanceCheck['judge'] = (sources, planned) => {
  const { counters } = sources.watched;
  const parts = countedParts(sources).filter(({ counter }) => countsLosses(counter));
  const counted = new Set(parts.map(({ nodeId, name }) => counterKey('port-flaps', nodeId, name)));
  const flapsOf = (subject: Subject, grown: number): Judged =>
    judgedGrowth(
      sources,
      {
        ...subject,
        grown,
        allowed: 0,
        what: `it went down ${grown === 1 ? 'once' : `${grown} times`}: ${PORT_COUNTERS.carrierChanges.cause}`,
      },
      planned,
    );
  return [
    ...parts.map(part =>
      ofCounter(sources, part, grown => {
        const seen = counters[counterKey('port-flaps', part.nodeId, part.name)]?.grown ?? 0;
        return flapsOf(part, Math.max(seen, lossesBy(part.counter, grown) ?? 0));
      }),
    ),
    ...sources.nodes.flatMap(({ nodeId, name, network }) =>
      (knownValue(network)?.interfaces ?? []).flatMap((port): readonly Judged[] => {
        const at = counterKey('port-flaps', nodeId, port.name);
        const seen = counters[at];
        // Never up, and never seen to go down: nothing is plugged in.
        if (seen === undefined || counted.has(at) || (seen.last === 0 && seen.grown === 0)) return [];
        return [flapsOf({ subject: `${name} ${port.name}`, nodes: [name] }, seen.grown)];
      }),
    ),
  ];
};

/** As many as a sound one may have in an hour, and in proportion in a longer time. */
const cableErrors = (sources: AcceptanceSources): readonly Judged[] => {
  const hours = Math.max(1, sources.watched.watchedMs / HOUR_MS);
  return [
    ...countedParts(sources)
      .filter(({ counter }) => !countsLosses(counter))
      .map(part =>
        ofCounter(sources, part, grown =>
          judgedGrowth(sources, {
            ...part,
            grown,
            allowed: Math.floor((PORT_COUNTERS[part.counter].warnFrom - 1) * hours),
            what: PORT_COUNTERS[part.counter].cause,
          }),
        ),
      ),
    ...uncounted(sources),
  ];
};

/** Undecided if it cannot be read, or has stopped at its maximum. */
const ofCounter = (
  { watched }: AcceptanceSources,
  { nodeId, name, counter, total, ...part }: ReturnType<typeof countedParts>[number],
  judge: (grown: number) => Judged,
): Judged => {
  const judged = judge(watched.counters[counterKey(counter, nodeId, name)]?.grown ?? 0);
  if (judged.result === 'fail') return judged;
  if (isUnknown(total)) return undecided(part, total.reason);
  return total === PORT_COUNTERS[counter].max
    ? undecided(part, `the counter stopped at its maximum of ${total}`)
    : judged;
};

const lostPaths = (sources: AcceptanceSources): readonly Judged[] =>
  acceptedPaths(sources).flatMap((path): readonly Judged[] => {
    const counter = sources.watched.counters[counterKey('path-losses', path.link.key, path.of.path)];
    return counter === undefined
      ? []
      : [
          judgedGrowth(sources, {
            ...path,
            grown: counter.grown,
            allowed: 0,
            what: 'it was lost and came back',
          }),
        ];
  });

/** The lowest of repeated measurements against the highest. */
const steady = (sources: AcceptanceSources): readonly Judged[] =>
  acceptedDevices(sources).flatMap(device =>
    DEVICE_MEASURES.flatMap(({ figure, title, unit }): readonly Judged[] => {
      const all = sources.watched.measured[`${figure} ${deviceKey(device.nodeId, device.deviceId)}`];
      if (title === undefined || all === undefined || all.count < 2 || all.high <= 0) return [];
      return [
        judgedFigure({
          subject: `${device.subject}: ${title}`,
          nodes: device.nodes,
          value: all.low / all.high,
          side: 'min',
          limits: [
            {
              value: STEADY_SHARE,
              from: 'rule',
              text: `the lowest of ${counted(all.count, 'measurement')} against the highest, ${unitText(unit, all.high)}`,
            },
          ],
          without: '',
        }),
      ];
    }),
  );

const NONE = 'Not one while the cluster is watched.';

export const SOAK_CHECKS: readonly AcceptanceCheck[] = [
  {
    id: 'ecc-corrected-growth',
    stage: 'soak',
    title: 'New corrected memory errors',
    unit: 'errors',
    threshold: `${NONE} A healthy device may correct one in weeks; a plan can allow more.`,
    plan: 'max',
    judge: ofDevices('ecc-corrected', {
      what: 'its memory had errors, which it corrected',
      read: ({ eccVolatile }) => eccVolatile.corrected,
    }),
  },
  {
    id: 'ecc-uncorrected-growth',
    stage: 'soak',
    title: 'New uncorrected memory errors',
    unit: 'errors',
    threshold: NONE,
    judge: ofDevices('ecc-uncorrected', {
      what: 'its memory had errors that it could not correct',
      read: ({ eccVolatile }) => eccVolatile.uncorrected,
    }),
  },
  {
    id: 'pcie-replays-growth',
    stage: 'soak',
    title: 'New PCIe replays',
    unit: 'packets',
    threshold: `${NONE} A plan can allow more.`,
    plan: 'max',
    judge: ofDevices('pcie-replays', {
      what: 'its link to the host resent packets',
      read: ({ pcieReplays }) => pcieReplays,
    }),
  },
  {
    id: 'driver-errors-growth',
    stage: 'soak',
    title: "New errors in the kernel's log",
    unit: 'errors',
    threshold: 'No new Xid, SXid or reset that a device caused.',
    plan: 'max',
    judge: loggedErrors,
  },
  {
    id: 'port-flaps',
    stage: 'soak',
    title: 'Ports that went down',
    unit: '',
    threshold: `${NONE} Of every interface that is up, by its carrier changes where they are counted, and of RDMA ports.`,
    plan: 'max',
    judge: flaps,
  },
  {
    id: 'cable-errors',
    stage: 'soak',
    title: 'New errors of cables and slots',
    unit: 'errors',
    threshold:
      'Of RDMA ports and PCIe slots: below the limits of `port-faults`, and in proportion if it is watched for longer than an hour.',
    judge: cableErrors,
  },
  {
    id: 'path-losses',
    stage: 'soak',
    title: 'Paths that were lost',
    unit: '',
    threshold: NONE,
    judge: lostPaths,
  },
  {
    id: 'port-errors',
    stage: 'soak',
    title: 'Errors of ports',
    unit: 'packets',
    threshold: 'At most one in a million packets, at both ends of every path; one in any case.',
    judge: ofPorts('port-errors', { share: 1e-6, least: 1 }),
  },
  {
    id: 'port-drops',
    stage: 'soak',
    title: 'Dropped packets',
    unit: 'packets',
    threshold:
      'At most one in ten thousand packets, at both ends of every path; a hundred in any case, because interfaces count frames of protocols that nothing here uses.',
    judge: ofPorts('port-drops', { share: 1e-4, least: 100 }),
  },
  {
    id: 'steady',
    stage: 'soak',
    title: 'Repeated measurements',
    unit: 'share',
    threshold: 'The lowest is at least 90 % of the highest.',
    judge: steady,
  },
  ...LOAD_CHECKS,
];

const STEADY_SHARE = 0.9;
const HOUR_MS = 3_600_000;
