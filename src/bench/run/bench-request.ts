// What a person requested of a benchmark, checked and free of contradictions: its load, which agents are sent too, and what concerns this
// machine alone. What an option sets as it was given is a field by its row.

import type { DepthPlan } from '../../core/depth/depth-plan.ts';
import type { JsonObject } from '../../core/json.ts';
import type { OptionValues } from '../../core/option/option.ts';
import type { LoadRequest } from '../../core/run/load-request.ts';
import type { Objective } from '../../core/run/objective.ts';
import type { SharedPrefixes } from '../../core/run/run-requests.ts';
import type { RunTags } from '../../core/run/run-shape.ts';
import type { RunScenario } from '../../core/scenario/run-scenario.ts';
import type { LengthChoice } from '../dataset/length-choice.ts';
import type { AgentTraceOptions } from '../dataset/planned-prompts.ts';
import type { Dataset } from '../dataset/prompt.ts';
import type { ImageDatasetOptions } from '../dataset/synthetic-images.ts';
import type { TimedTrace } from '../dataset/trace/survey-trace.ts';
import type { ServerApi } from '../target/api/server-api.ts';
import type { HeaderField } from '../target/load-target.ts';
import type { BenchTarget } from '../target/target-url.ts';
import type { RUN_OPTIONS } from './run-options.ts';

export interface BenchRequest extends LoadRequest, OptionValues<typeof RUN_OPTIONS> {
  readonly target: BenchTarget;
  /** Several, each for a share of the requests or sessions; `target` is the first of them. */
  readonly targets?: readonly WeightedTarget[];
  readonly api: ServerApi;
  readonly name: string | undefined;
  readonly tags: RunTags;
  readonly dataset: DatasetChoice;
  /** Sent before every request: the text, or the content of the file of that name. */
  readonly systemPrompt?: { readonly text: string; readonly path: string };
  readonly requests: RequestSettings;
  readonly warmup: Warmup;
  /** Secrets: never written. */
  readonly headers: readonly HeaderField[];
  readonly objectives: readonly Objective[];
  /** Images in each prompt. */
  readonly images?: ImageDatasetOptions;
  /** Counts answers after the run. */
  readonly tokenizer?: TokenizerChoice;
  /** Determines everything that is sent: `dataset`, `requests` and `samplesMax` agree with it. */
  readonly depth?: DepthPlan;
  /** What the report is judged by. */
  readonly scenario?: RunScenario;
}

export type TokenizerChoice =
  /** Absolute. */
  { readonly kind: 'folder'; readonly path: string } | { readonly kind: 'server' };

export interface WeightedTarget {
  readonly target: BenchTarget;
  /** Above 0, relative to the sum of all. */
  readonly weight: number;
}

export type DatasetChoice =
  | { readonly kind: 'synthetic' }
  /** Surveyed already, and read again while it is replayed. */
  | { readonly kind: 'timed-trace'; readonly trace: TimedTrace }
  | ({ readonly kind: 'agent-trace' } & AgentTraceOptions)
  /** Already read by the coordinator of a run, which sent it here. */
  | { readonly kind: 'received'; readonly dataset: Dataset }
  | {
      readonly kind: 'file';
      /** Absolute. */
      readonly path: string;
      /** As it was given. */
      readonly shownPath: string;
      readonly column: string | undefined;
    };

/** The file as it was given, a trace with what it contains, or "generated prompts". */
export const datasetLabel = (dataset: DatasetChoice): string => {
  if (dataset.kind === 'file') return dataset.shownPath;
  return dataset.kind === 'agent-trace' ? dataset.trace.description : 'generated prompts';
};

export type Warmup =
  /** One request for each load thread, for the just-in-time compiler and the connection. */
  | { readonly kind: 'default' }
  | { readonly kind: 'requests'; readonly count: number }
  /** No request at all before time zero, not even one for the model. */
  | { readonly kind: 'none' };

// Options of each request other than its prompt: lengths, shared prefixes, sampling, and custom fields.
export interface RequestSettings {
  /** undefined: from the data set, else OUTPUT_TOKENS_DEFAULT. */
  readonly outputTokens: LengthChoice | undefined;
  /** Length of generated prompts; undefined: PROMPT_WORDS words. */
  readonly inputTokens: LengthChoice | undefined;
  readonly prefixes: SharedPrefixes | undefined;
  /** For which share of prompt tokens the prefixes were made. */
  readonly hitRate?: number;
  /** Sampling and --body: fields of each body, null for one that is left out. Not secret: stored in config.json. */
  readonly fields: JsonObject;
}
