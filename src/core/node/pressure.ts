// Pressure: the share of time in which tasks waited for the processor, for memory or for I/O. Usage says how full a
// machine is, pressure whether tasks have to wait because of it. As Linux measures it (PSI,
// Documentation/accounting/psi.rst).

import { isUnknown, type Reported, unknown } from '../unknown.ts';

export interface NodePressure {
  /** Over all tasks of the host. */
  readonly host: ResourcePressures;
  /** Over those of the control group that this process is in, a container's or a service's. */
  readonly controlGroup: { readonly kind: 'none' } | (ResourcePressures & { readonly kind: 'group' });
}

export interface ResourcePressures {
  readonly cpu: Reported<Pressure>;
  readonly memory: Reported<Pressure>;
  readonly io: Reported<Pressure>;
}

export type PressuredResource = keyof ResourcePressures;

/** Type aliases, so that they are assignable to `Reported`'s index signature. */
export type Pressure = {
  /** At least one task waited. */
  readonly some: StalledTime;
  /** All tasks that had work waited: nothing was done. Of the processor only within a control group. */
  readonly full: Reported<StalledTime>;
};

export type StalledTime = {
  /** Of the last 10, 60 and 300 s, 0..1; decaying means. */
  readonly share10s: number;
  readonly share60s: number;
  readonly share300s: number;
  /** Since the machine started, or the group was made. */
  readonly totalMicroseconds: number;
};

/**
 * `host`, whose line "full" of the processor the kernel writes for older readers, and always as 0 (psi.rst): with more tasks than
 * processors some task always runs.
 */
export const withoutFullProcessor = (host: ResourcePressures): ResourcePressures =>
  isUnknown(host.cpu) ? host : { ...host, cpu: { ...host.cpu, full: unknown(NOT_OF_A_HOST) } };

/** In the order of a table, as people call them. */
export const PRESSURED_RESOURCES: readonly {
  readonly resource: PressuredResource;
  readonly label: string;
}[] = [
  { resource: 'cpu', label: 'CPU' },
  { resource: 'memory', label: 'Memory' },
  { resource: 'io', label: 'I/O' },
];

const NOT_OF_A_HOST = 'not measured for the processor of a whole machine';
