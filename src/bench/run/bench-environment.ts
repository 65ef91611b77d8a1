// What a process that runs benchmarks reports about its machine, and the environment of its children.

import { availableParallelism, cpus, release } from 'node:os';
import type { ReportEnvironment } from '../../core/run/report.ts';
import type { Env } from '../../process/child.ts';

export const benchEnvironment = ({
  nodeVersion,
  platform,
}: {
  /** "24.21.0" */
  readonly nodeVersion: string;
  readonly platform: string;
}): ReportEnvironment => ({
  node: nodeVersion,
  os: `${platform} ${release()}`,
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
});

/** Children communicate with this process only. */
export const withoutSecrets = (env: Env): Env =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !SECRET_VARIABLE.test(name)));

const SECRET_VARIABLE = /KEY|TOKEN|SECRET|PASSW|_PROXY$/i;
