// The content of a run directory's config.json: everything about a run that was known before its first
// request, so that a report can be rebuilt from the directory alone. It contains no secrets.

import type { DepthPlan } from '../depth/depth-plan.ts';
import type { Reported } from '../unknown.ts';
import type { ObjectiveFields } from './objective.ts';
import type { RunProvenance } from './provenance.ts';
import type { ReportEnvironment, ReportRun } from './report.ts';
import type { RequestLengths } from './run-requests.ts';

export const RUN_CONFIG_SCHEMA = 'plimsoll.run/1';

export interface RunConfig extends ObjectiveFields {
  readonly schema: typeof RUN_CONFIG_SCHEMA;
  readonly plimsoll: { readonly version: string };
  readonly run: ReportRun;
  /** Unknown: none were drawn. */
  readonly requestLengths: Reported<RequestLengths>;
  /** For a depth profile. */
  readonly depth?: DepthPlan;
  readonly environment: ReportEnvironment;
  readonly provenance: Reported<RunProvenance>;
}
