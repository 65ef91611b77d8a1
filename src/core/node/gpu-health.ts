// Errors that GPUs report: of their memory, of the link to the host, of the links between them. Read every
// half minute, and most of it is 0 for years; one entry per vendor, as for loads. Devices are joined by
// `deviceId`.

import * as v from 'valibot';
import { maximumOf } from '../extremes.ts';
import { counted } from '../figure/figure.ts';
import { count, figure, type Infer, list, openObject, reported, reportedBySome, text } from '../schema.ts';
import { isKnown, isUnknown, knownOr } from '../unknown.ts';
import { type Gathered, gathered } from './gathered.ts';
import { gpuVendorSchema } from './gpu.ts';

const eccCountsSchema = openObject({ corrected: reported(count), uncorrected: reported(count) });

export type EccCounts = Infer<typeof eccCountsSchema>;

const memoryRepairSchema = openObject({
  rowsAfterCorrected: reported(count),
  rowsAfterUncorrected: reported(count),
  retiredPages: reported(count),
  /** A repair is pending until the device is reset. */
  isPending: reported(v.boolean()),
  /** There was no spare memory for the repair. */
  hasFailed: reported(v.boolean()),
});

/** Defects of its memory that were replaced by spare memory: rows on newer devices, pages on older ones. */
export type MemoryRepair = Infer<typeof memoryRepairSchema>;

const gpuLinkSchema = openObject({
  number: count,
  isUp: v.boolean(),
  /** One direction, as negotiated by both ends. */
  bytesPerSecond: reported(figure),
  /** Since the counters started; data only, without the link's own overhead. */
  sentBytes: reported(count),
  receivedBytes: reported(count),
  replays: reported(count),
  recoveries: reported(count),
  crcErrors: reported(count),
});

export type GpuLink = Infer<typeof gpuLinkSchema>;

export const gpuHealthSchema = openObject({
  deviceId: text,
  /** Memory errors (ECC) since the driver was loaded or the device was reset. */
  eccVolatile: eccCountsSchema,
  /** Memory errors since the device was made. */
  eccAggregate: eccCountsSchema,
  repair: memoryRepairSchema,
  /** Packets that were resent on the link to the host, since the driver was loaded. */
  pcieReplays: reported(count),
  /** The action that the driver requests, in its own terms: "Reset". '' if none. */
  recoveryAction: reported(text),
  /**
   * What is wrong with its connection to the NVLink fabric, as text: "bandwidth degraded"; empty if nothing
   * is. Not every source reports it.
   */
  fabric: reportedBySome(list(text)),
  /** NVLink or similar, to other GPUs or a switch. */
  links: reported(list(gpuLinkSchema)),
});

export type GpuHealth = Infer<typeof gpuHealthSchema>;

const gpuHealthsSchema = openObject({ vendor: gpuVendorSchema, devices: list(gpuHealthSchema) });

export type NodeGpuHealths = Infer<typeof gpuHealthsSchema>;

export const HEALTH_CODES = ['uncorrected', 'unrepaired', 'pending', 'recovery', 'fabric', 'links'] as const;

/** A condition that needs a person's attention. */
export interface HealthFinding {
  readonly code: (typeof HEALTH_CODES)[number];
  readonly level: 'danger' | 'caution';
  /** Text after the name of a device: "GPU 3: 2 uncorrected memory errors". */
  readonly what: string;
  readonly why: string;
}

/**
 * @param all GPUs of the same vendor in this machine: a link counts as down if comparable GPUs have theirs
 * up.
 */
export const healthFindings = (health: GpuHealth, all: readonly GpuHealth[]): readonly HealthFinding[] => {
  const { eccVolatile, repair, recoveryAction } = health;
  const uncorrected = knownOr(eccVolatile.uncorrected, 0);
  const action = knownOr(recoveryAction, '');
  return [
    ...(uncorrected > 0
      ? [
          {
            code: 'uncorrected',
            level: 'danger',
            what: `${uncorrected} uncorrected memory ${uncorrected === 1 ? 'error' : 'errors'}`,
            why: 'Since its driver was loaded or it was reset. Its computations were wrong or were aborted. If more errors follow after a reset, replace it.',
          } as const,
        ]
      : []),
    ...(repair.hasFailed === true
      ? [
          {
            code: 'unrepaired',
            level: 'danger',
            what: 'bad memory could not be replaced by spare memory',
            why: 'It has no spare rows left. Replace the device.',
          } as const,
        ]
      : []),
    ...(repair.isPending === true
      ? [
          {
            code: 'pending',
            level: 'caution',
            what: 'a repair of its memory needs a reset',
            why: 'Bad memory is replaced by spare memory when the device is reset or the machine restarts.',
          } as const,
        ]
      : []),
    ...(action === ''
      ? []
      : [
          {
            code: 'recovery',
            level: 'danger',
            what: `its driver requests: ${action}`,
            why: 'The driver cannot use it until that is done.',
          } as const,
        ]),
    ...fabricFindings(health),
    ...linkFindings(health, all),
  ];
};

const fabricFindings = ({ fabric }: GpuHealth): readonly HealthFinding[] => {
  const faults = fabric === undefined ? [] : knownOr(fabric, []);
  return faults.length === 0
    ? []
    : [
        {
          code: 'fabric',
          level: 'danger',
          what: `its NVLink fabric is degraded: ${faults.join(', ')}`,
          why: 'What is computed over several GPUs is slow or fails. Check the fabric manager, the switches and their log (SXid).',
        },
      ];
};

/** A card may have links that are not plugged in: a link that no comparable GPU has up is not a fault. */
const linkFindings = (health: GpuHealth, all: readonly GpuHealth[]): readonly HealthFinding[] => {
  // A driver lists no links for a GPU with none up: it is compared with every GPU that has some.
  if (isUnknown(health.links) && health.links.code === LINKS_INACTIVE) {
    const linked = all.filter(other => linksUp(other) > 0).length;
    return linked < EQUAL_MIN - 1
      ? []
      : [{ code: 'links', level: 'danger', what: 'all its links to other GPUs are down', why: LINKS_WHY }];
  }
  const count = knownOr(health.links, []).length;
  const equal = all.filter(({ links }) => knownOr(links, []).length === count);
  const most = maximumOf([0, ...equal.map(linksUp)]);
  const missing = most - linksUp(health);
  // If only one of two comparable GPUs has bridges up, they may lead to other GPUs: this one need not have lost any.
  if (missing <= 0 || (linksUp(health) === 0 && equal.length < EQUAL_MIN)) return [];
  return [
    {
      code: 'links',
      level: 'danger',
      what: `${missing} of ${counted(most, 'link')} to other GPUs ${missing === 1 ? 'is' : 'are'} down`,
      why: LINKS_WHY,
    },
  ];
};

export const linksUp = ({ links }: GpuHealth): number => knownOr(links, []).filter(({ isUp }) => isUp).length;

/** Whether any of it is reported: most desktop GPUs report none of it. */
export const reportsHealth = (health: GpuHealth): boolean =>
  [
    health.eccVolatile.corrected,
    health.eccVolatile.uncorrected,
    health.eccAggregate.corrected,
    health.eccAggregate.uncorrected,
    health.pcieReplays,
    health.links,
    ...(health.fabric === undefined ? [] : [health.fabric]),
    ...Object.values(health.repair),
  ].some(isKnown);

const EQUAL_MIN = 4;
/** The code for links that are unknown because none of them is up. */
export const LINKS_INACTIVE = 'links-inactive';
const LINKS_WHY =
  'Comparable GPUs in this machine have theirs up. Computations over several GPUs wait for this one.';

/** Its row of the table of kinds. */
export const GPU_HEALTH_KINDS = {
  'gpuHealths.gathered': {
    class: 'live',
    field: 'nodeGpuHealths',
    shape: 'keyed',
    entriesMax: 8,
    schema: gathered(gpuHealthsSchema),
    key: ({ value }: Gathered<NodeGpuHealths>): string => value.vendor,
    title: 'GPU health',
    isSteady: true,
    isSignOfLife: true,
    isKeyPlain: true,
    texts: { source: 'plain', vendor: 'plain', deviceId: 'free', recoveryAction: 'plain', fabric: 'plain' },
  },
} as const;
