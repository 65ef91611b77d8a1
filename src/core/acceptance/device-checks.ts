// The second stage: every device computes and reads as fast as others of its name, has all its lanes, reports no errors, and is
// neither throttled nor hotter than others under load.

import { counted, ofCount } from '../figure/figure.ts';
import { failedGpuTitle } from '../node/failed-gpu.ts';
import { xidMeaning, xidText } from '../node/gpu-errors.ts';
import { reportsHealth } from '../node/gpu-health.ts';
import { BANDWIDTH, DEVICE_MEASURES, type MeasureRow } from '../node/gpu-profile.ts';
import { knownValue } from '../node/reading-view.ts';
import { usualDeviceFigure, VARIATION_SHARE } from '../probe/unusual-figures.ts';
import { capitalized } from '../text/single-line.ts';
import { isKnown, isUnknown, knownOr, unknown } from '../unknown.ts';
import type { AcceptanceCheck, AcceptanceSources } from './acceptance-check.ts';
import { type AcceptedDevice, acceptedDevices, freshProfile } from './accepted-device.ts';
import { deviceKey, NEVER_BUSY, type WatchedDevice } from './cluster-watch.ts';
import {
  comparableLimit,
  type Judged,
  judgedBy,
  judgedFigure,
  type Limit,
  planLimit,
  undecided,
  unitText,
} from './limit.ts';

/** A figure that a probe measures of every device. */
const measured =
  ({ figure, unit }: MeasureRow): AcceptanceCheck['judge'] =>
  (sources, planned) => {
    const devices = acceptedDevices(sources).map(device => ({
      device,
      profile: freshProfile(device, sources),
    }));
    return devices.flatMap(({ device, profile }): readonly Judged[] => {
      if (isUnknown(profile))
        return figure === BANDWIDTH.figure || planned !== undefined
          ? [undecided(device, profile.reason)]
          : [];
      const value = profile[figure];
      if (isUnknown(value) && planned === undefined) return [];
      const equal = devices.flatMap(other =>
        !isUnknown(other.profile) &&
        other.device.name === device.name &&
        other.profile.engine === profile.engine &&
        isKnown(other.profile[figure])
          ? other.profile[figure]
          : [],
      );
      return [
        judgedFigure({
          ...device,
          value,
          side: 'min',
          limits: [
            ...planLimit(planned),
            ...comparableLimit(equal, { unit, side: 'min', variation: DEVICE_VARIATION, parts: 'devices' }),
            ...usualLimit(sources, device, { figure, unit }),
          ],
          without: `${counted(equal.length, 'device')} of this name ${ofCount(equal.length, 'is', 'are')} too few to compare, and its last week is too short; a plan can set a limit`,
        }),
      ];
    });
  };

const usualLimit = (
  { state }: AcceptanceSources,
  { nodeId, deviceId }: AcceptedDevice,
  { figure, unit }: Pick<MeasureRow, 'figure' | 'unit'>,
): readonly Limit[] => {
  const usual = usualDeviceFigure(state, nodeId, deviceId, figure);
  if (usual === undefined) return [];
  const share = 1 - VARIATION_SHARE;
  return [
    {
      value: usual * share,
      from: 'baseline',
      text: `${Math.round(share * 100)} % of its median of the last week, ${unitText(unit, usual)}`,
    },
  ];
};

const gpusUsable = ({ nodes }: AcceptanceSources): readonly Judged[] =>
  nodes
    .filter(({ presence, gpus }) => presence !== 'offline' && gpus.length > 0)
    .map(({ name, gpus }) => {
      const failed = gpus.flatMap(vendor => vendor.failed);
      const usable = gpus.reduce((sum, { devices }) => sum + devices.length, 0);
      const figures = { value: usable, limit: usable + failed.length };
      return judgedBy({ subject: name, nodes: [name] }, failed.length === 0 ? 'pass' : 'fail', {
        ...figures,
        reason:
          failed.length === 0
            ? `${counted(usable, 'GPU')} can be used`
            : failed.map(gpu => `${failedGpuTitle(gpu)}: ${gpu.reason}`).join('; '),
      });
    });

const fullLanes = (sources: AcceptanceSources): readonly Judged[] =>
  gpusOf(sources).flatMap(({ device, gpu, watched }): readonly Judged[] => {
    const { pcieMax } = gpu.device;
    if (isUnknown(pcieMax)) return [];
    const { lanes, generation, busyCount } = watched;
    const full = `PCIe ${pcieMax.generation} x${pcieMax.width}`;
    if (lanes === 0) return [undecided(device, 'its link to the host is not reported')];
    const narrowest = knownOr(watched.lanesBusyMin, lanes);
    if (narrowest < lanes)
      return [
        judgedBy(device, 'fail', {
          value: narrowest,
          limit: lanes,
          reason: `it went from x${lanes} to x${narrowest} while it was watched: check the slot, the riser and the temperature`,
        }),
      ];
    const figures = { value: lanes, limit: pcieMax.width };
    if (lanes >= pcieMax.width && (generation >= pcieMax.generation || busyCount === 0))
      return [judgedBy(device, 'pass', { ...figures, reason: `PCIe ${generation} x${lanes} of ${full}` })];
    // A link narrows itself while its device is idle.
    if (busyCount === 0)
      return [
        undecided(device, `PCIe ${generation} x${lanes} of ${full} while idle; it was never seen busy`),
      ];
    return [
      judgedBy(device, 'fail', {
        ...figures,
        reason: `PCIe ${generation} x${lanes} instead of ${full}: check the slot, the riser and the firmware setting`,
      }),
    ];
  });

const memoryErrors = (sources: AcceptanceSources): readonly Judged[] =>
  gpusOf(sources).flatMap(({ device, gpu }): readonly Judged[] => {
    const { health, findings } = gpu;
    // Most desktop GPUs have no such counters: there is nothing to judge.
    if (health === undefined || !reportsHealth(health)) return [];
    return [
      judgedBy(device, findings.length === 0 ? 'pass' : 'fail', {
        value: findings.length,
        limit: 0,
        reason:
          findings.length === 0
            ? 'no uncorrected errors, no repair that is pending or failed, all links up'
            : findings.map(({ what }) => what).join('; '),
      }),
    ];
  });

const driverErrors = ({ nodes }: AcceptanceSources): readonly Judged[] =>
  nodes
    .filter(({ presence, gpus }) => presence !== 'offline' && gpus.length > 0)
    .flatMap(({ name, gpuErrors }): readonly Judged[] => {
      const subject = { subject: name, nodes: [name] };
      if (gpuErrors.kind === 'unavailable')
        return [undecided(subject, `the kernel's log: ${gpuErrors.reason}`)];
      const logged = knownValue(gpuErrors);
      if (logged === undefined) return [];
      const faults = logged.errors.filter(error => xidMeaning(error).fault === 'device');
      return [
        judgedBy(subject, faults.length === 0 ? 'pass' : 'fail', {
          value: faults.reduce((sum, { count }) => sum + count, 0),
          limit: 0,
          reason:
            faults.length === 0
              ? 'the kernel has logged no fault of a device since the machine started'
              : faults
                  .slice(0, FAULTS_NAMED)
                  .map(error => `${error.address} ${xidText(error)}`)
                  .join('; '),
        }),
      ];
    });

const notThrottled = (sources: AcceptanceSources): readonly Judged[] =>
  gpusOf(sources).flatMap(({ device, gpu, watched }): readonly Judged[] => {
    if (gpu.load === undefined || isUnknown(gpu.load.throttleReasons)) return [];
    if (watched.throttled.length > 0)
      return [judgedBy(device, 'fail', { reason: `throttled while busy: ${watched.throttled.join(', ')}` })];
    return [
      watched.busyCount === 0
        ? undecided(device, NEVER_BUSY_TEXT)
        : judgedBy(device, 'pass', {
            reason: `not throttled in ${counted(watched.busyCount, 'look')} at it while busy`,
          }),
    ];
  });

const coolUnderLoad: AcceptanceCheck['judge'] = (sources, planned) => {
  const gpus = gpusOf(sources).filter(({ gpu }) => isKnown(gpu.load?.temperatureCelsius ?? NOT_LOADED));
  return gpus.map(({ device, watched }) => {
    if (watched.busyCount === 0 || watched.hottestCelsius === 0) return undecided(device, NEVER_BUSY_TEXT);
    const equal = gpus.flatMap(other =>
      other.device.name === device.name && other.watched.busyCount > 0 ? other.watched.hottestCelsius : [],
    );
    return judgedFigure({
      ...device,
      value: watched.hottestCelsius,
      side: 'max',
      limits: [
        ...planLimit(planned),
        ...comparableLimit(equal, { unit: '°C', side: 'max', variation: HEAT_VARIATION, parts: 'devices' }),
      ],
      without: `${counted(equal.length, 'device')} of this name ${ofCount(equal.length, 'was', 'were')} seen busy, too few to compare; a plan can set a limit`,
    });
  });
};

interface WatchedGpu {
  readonly device: AcceptedDevice;
  readonly gpu: NonNullable<AcceptedDevice['gpu']>;
  readonly watched: WatchedDevice;
}

const gpusOf = (sources: AcceptanceSources): readonly WatchedGpu[] =>
  acceptedDevices(sources).flatMap((device): readonly WatchedGpu[] => {
    const { gpu } = device;
    const watched = sources.watched.devices[deviceKey(device.nodeId, device.deviceId)] ?? NEVER_BUSY;
    return gpu === undefined ? [] : [{ device, gpu, watched }];
  });

const idOf = (title: string): string => title.toLowerCase().replaceAll(' ', '-');

export const DEVICE_CHECKS: readonly AcceptanceCheck[] = [
  {
    id: 'gpus-usable',
    stage: 'devices',
    title: 'GPUs that can be used',
    unit: '',
    threshold: 'No GPU of the node is lost or must be reset.',
    judge: gpusUsable,
  },
  ...DEVICE_MEASURES.flatMap((row): readonly AcceptanceCheck[] =>
    row.title === undefined
      ? []
      : [
          {
            id: idOf(row.title),
            stage: 'devices',
            title: capitalized(row.title),
            unit: row.unit,
            threshold:
              '90 % of the median of devices of its name and engine, less where they differ more, never below 80 %; 75 % of its median of the last week.',
            plan: 'min',
            judge: measured(row),
          },
        ],
  ),
  {
    id: 'pcie-lanes',
    stage: 'devices',
    title: 'PCIe lanes',
    unit: '',
    threshold:
      'As many lanes as device and slot can have, and their generation, while it is busy; never fewer than before.',
    judge: fullLanes,
  },
  {
    id: 'memory-errors',
    stage: 'devices',
    title: 'Errors of the device',
    unit: 'errors',
    threshold:
      'No uncorrected memory error, no repair that is pending or failed, no action that the driver requests, no link to other GPUs down.',
    judge: memoryErrors,
  },
  {
    id: 'driver-errors',
    stage: 'devices',
    title: "Errors in the kernel's log",
    unit: 'errors',
    threshold: 'No Xid, SXid or reset that a device caused since the machine started.',
    judge: driverErrors,
  },
  {
    id: 'throttling',
    stage: 'devices',
    title: 'Throttling',
    unit: '',
    threshold: "Never throttled while busy, except at the manufacturer's own power limit.",
    judge: notThrottled,
  },
  {
    id: 'temperature',
    stage: 'devices',
    title: 'Temperature under load',
    unit: '°C',
    threshold: '130 % of the median of devices of its name, each the highest while it was busy.',
    plan: 'max',
    judge: coolUnderLoad,
  },
];

const NOT_LOADED = unknown('no load is reported');
const NEVER_BUSY_TEXT = 'it was never seen busy; --soak keeps it busy';
const FAULTS_NAMED = 8;
/** Of devices of one name: chips differ in their clocks by a few per cent. */
const DEVICE_VARIATION = 0.1;
const HEAT_VARIATION = 0.3;
