// What a run directory's config.json says: everything about a run that was known before its first request, so that a
// report can be rebuilt from the directory alone. Secrets are not in it.

import type { ObjectiveFields } from './objective.ts';
import type { ReportEnvironment, ReportRun } from './report.ts';

export const RUN_CONFIG_SCHEMA = 'plimsoll.run/1';

export interface RunConfig extends ObjectiveFields {
  readonly schema: typeof RUN_CONFIG_SCHEMA;
  readonly plimsoll: { readonly version: string };
  readonly run: ReportRun;
  readonly environment: ReportEnvironment;
}
