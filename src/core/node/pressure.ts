// Pressure: the share of time in which tasks waited for the processor, for memory or for I/O. Usage is how
// full a machine is, pressure whether tasks have to wait because of it. As Linux measures it (PSI,
// Documentation/accounting/psi.rst).

import * as v from 'valibot';
import { count, type Infer, openObject, reported, share } from '../schema.ts';
import { isUnknown, unknown } from '../unknown.ts';

const stalledTimeSchema = openObject({
  /** Over the last 10, 60 and 300 s, 0..1; decaying means. */
  share10s: share,
  share60s: share,
  share300s: share,
  /** Since the machine started, or the group was created. */
  totalMicroseconds: count,
});

export type StalledTime = Infer<typeof stalledTimeSchema>;

const onePressureSchema = openObject({
  /** At least one task waited. */
  some: stalledTimeSchema,
  /** All tasks that had work waited: nothing was done. For the processor only within a control group. */
  full: reported(stalledTimeSchema),
});

export type Pressure = Infer<typeof onePressureSchema>;

const ofResource = reported(onePressureSchema);

const resources = { cpu: ofResource, memory: ofResource, io: ofResource } as const;

const resourcePressuresSchema = openObject(resources);

export type ResourcePressures = Infer<typeof resourcePressuresSchema>;

export type PressuredResource = keyof typeof resources;

export const pressureSchema = openObject({
  /** Over all tasks of the host. */
  host: resourcePressuresSchema,
  /** Over the tasks of this process's control group, that of a container or a service. */
  controlGroup: v.variant('kind', [
    openObject({ kind: v.literal('none') }),
    openObject({ kind: v.literal('group'), ...resources }),
  ]),
});

export type NodePressure = Infer<typeof pressureSchema>;

/**
 * `host` without "full" for the processor, which the kernel writes as 0 for older readers (psi.rst): with
 * more tasks than processors some task always runs.
 */
export const withoutFullProcessor = (host: ResourcePressures): ResourcePressures =>
  isUnknown(host.cpu) ? host : { ...host, cpu: { ...host.cpu, full: unknown(NOT_OF_A_HOST) } };

/** In table order, with their names for people. */
export const PRESSURED_RESOURCES: readonly {
  readonly resource: PressuredResource;
  readonly label: string;
}[] = [
  { resource: 'cpu', label: 'CPU' },
  { resource: 'memory', label: 'Memory' },
  { resource: 'io', label: 'I/O' },
];

const NOT_OF_A_HOST = 'not measured for the processor of a whole machine';
