// The stored documents of runs as text and back: strict JSON, checked against the core's schema when it is read. Fields that a newer
// version adds are kept; a baseline may come from another machine.

import * as v from 'valibot';
import { type BaselineDocument, baselineSchema } from '../core/comparison/baseline.ts';
import { type ComparisonDocument, comparisonSchema } from '../core/comparison/comparison-document.ts';
import { type Report, type RunConfig, reportSchema, runConfigSchema } from '../core/run/report.ts';
import type { Schema } from '../core/schema.ts';
import {
  type LineDocument,
  lineDocumentSchema,
  type SweepDocument,
  sweepDocumentSchema,
} from '../core/sweep/sweep-document.ts';
import { DecodeError } from './decode-error.ts';
import { isNestedTooDeep } from './shallow-json.ts';

const toJson = (document: object): string => `${JSON.stringify(document, undefined, 2)}\n`;

export const reportToJson: (report: Report) => string = toJson;
export const runConfigToJson: (config: RunConfig) => string = toJson;
export const sweepDocumentToJson: (document: SweepDocument | LineDocument) => string = toJson;
export const comparisonToJson: (document: ComparisonDocument) => string = toJson;
export const baselineToJson: (baseline: BaselineDocument) => string = toJson;

/** Limit for one document: a sweep of STAGES_MAX stages with complete timelines fits. */
export const DOCUMENT_BYTES_MAX: number = 16 * 1024 * 1024;
export const BASELINE_BYTES_MAX: number = 4 * 1024 * 1024;

/** @throws DecodeError if it is not one of this version. */
type FromJson<T> = (json: string) => T;

// @__NO_SIDE_EFFECTS__
const fromJson =
  <T>(schema: Schema<T>, what: string, bytesMax: number = DOCUMENT_BYTES_MAX): FromJson<T> =>
  json => {
    if (json.length > bytesMax) throw new DecodeError(`${what} is too large: ${json.length} characters`);
    const result = v.safeParse(schema, parseJson(json, what));
    if (result.success) return result.output;
    const [issue] = result.issues;
    throw new DecodeError(`${what} is wrong at ${v.getDotPath(issue) ?? 'its root'}: ${issue.message}`);
  };

export const reportFromJson: FromJson<Report> = fromJson(reportSchema, 'report.json');
export const runConfigFromJson: FromJson<RunConfig> = fromJson(runConfigSchema, 'config.json');
export const sweepDocumentFromJson: FromJson<SweepDocument> = fromJson(sweepDocumentSchema, 'sweep.json');
export const lineDocumentFromJson: FromJson<LineDocument> = fromJson(lineDocumentSchema, 'line.json');
export const comparisonFromJson: FromJson<ComparisonDocument> = fromJson(comparisonSchema, 'comparison.json');
export const baselineFromJson: FromJson<BaselineDocument> = fromJson(
  baselineSchema,
  'the baseline',
  BASELINE_BYTES_MAX,
);

/** @throws DecodeError if it is not JSON, or nested deeper than NESTING_MAX. */
export const parseJson = (json: string, what: string): unknown => {
  if (isNestedTooDeep(json)) throw new DecodeError(`${what} is nested too deep`);
  try {
    const value: unknown = JSON.parse(json);
    return value;
  } catch (error) {
    throw new DecodeError(`${what} is not JSON`, { cause: error });
  }
};
