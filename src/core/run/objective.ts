// What a run was asked to reach: `--slo ttft=500ms`. A sample meets an objective when its own figure is at most the limit;
// goodput counts the samples that meet all of them (METRICS §4).

export const OBJECTIVE_NAMES = [
  'ttft',
  'ttft-from-intended',
  'tpot',
  'latency',
  'latency-from-intended',
] as const;

export type ObjectiveName = (typeof OBJECTIVE_NAMES)[number];

export interface Objective {
  readonly name: ObjectiveName;
  readonly limitNs: number;
}

export const isObjectiveName = (text: string): text is ObjectiveName =>
  OBJECTIVE_NAMES.some(name => name === text);
