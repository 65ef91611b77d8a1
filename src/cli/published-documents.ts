// The documents that programs read: what commands print with --json, and what files contain. A document is one row; `plimsoll schema`,
// its completion, the table in docs/documents.md and the checks of every command derive from it. Its schema is declared next to
// what writes it, and its type is inferred from that.

import type { JsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import type { Infer } from '../core/schema.ts';

interface DocumentRow {
  /** Changes when a field is removed or changes its meaning. */
  readonly version: number;
  readonly meaning: string;
  /** Files that contain it. */
  readonly file?: string;
  /** The option, without dashes, or the section of config.toml, that sends it somewhere. */
  readonly sentBy?: string;
  /** When it is needed: a command that prints one document does not load the others. */
  readonly load: () => Promise<v.GenericSchema>;
}

export type DocumentName = keyof typeof ROWS;

export interface PublishedDocument extends DocumentRow {
  readonly name: string;
  /** "plimsoll.doctor/1": the value of its key `schema`. */
  readonly id: string;
}

/** With everything it refers to, and nothing else. */
export const publishedSchema = async ({
  name,
  version,
  id,
  meaning,
  load,
}: PublishedDocument): Promise<JsonSchema> => {
  const [{ jsonSchemaOf }, { API_COMPONENTS }, schema] = await Promise.all([
    import('../daemon/http/json-schema.ts'),
    import('../wire/api/components.ts'),
    load(),
  ]);
  const named = Object.entries(API_COMPONENTS).filter(([, component]) => component !== schema);
  const {
    $schema,
    $defs = {},
    ...rest
  } = jsonSchemaOf(schema, {
    typeMode: 'output',
    definitions: Object.fromEntries(named),
  });
  const used = usedDefinitions(rest, $defs);
  return {
    ...($schema === undefined ? {} : { $schema }),
    $id: `urn:plimsoll:${name}:${version}`,
    title: id,
    description: meaning,
    ...rest,
    ...(used.size === 0 ? {} : { $defs: Object.fromEntries(used) }),
  };
};

type Definitions = NonNullable<JsonSchema['$defs']>;

/** The named schemas that a schema refers to, also through one another. */
const usedDefinitions = (
  schema: object,
  definitions: Definitions,
): ReadonlyMap<string, Definitions[string]> => {
  const used = new Map<string, Definitions[string]>();
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    for (const [keyword, inner] of Object.entries(part)) {
      visit(inner);
      if (keyword !== '$ref' || typeof inner !== 'string') continue;
      const name = inner.slice(REFERENCE.length);
      const definition = definitions[name];
      if (definition === undefined || used.has(name)) continue;
      used.set(name, definition);
      visit(definition);
    }
  };
  visit(schema);
  return used;
};

const schemasSchema = v.object({
  schema: v.literal('plimsoll.schemas/1'),
  documents: v.array(
    v.object({
      name: v.string(),
      id: v.pipe(v.string(), v.description('The value of the key schema of such a document.')),
      meaning: v.string(),
      file: v.exactOptional(v.pipe(v.string(), v.description('The file that contains it, if one does.'))),
    }),
  ),
});

export type SchemasDocument = Infer<typeof schemasSchema>;

const REFERENCE = '#/$defs/';

const ROWS = {
  status: {
    version: 1,
    meaning:
      'The cluster that a daemon sees: nodes, links, groups, totals, warnings and the state behind them.',
    load: async () => (await import('../wire/api/status-document.ts')).statusDocumentSchema,
  },
  report: {
    version: 1,
    meaning: 'The final figures of a run.',
    file: 'report.json',
    load: async () => (await import('../core/run/report.ts')).reportSchema,
  },
  webhook: {
    version: 1,
    meaning: 'What --webhook sends when a run has ended.',
    sentBy: 'webhook',
    load: async () => (await import('../core/run/run-webhook.ts')).runWebhookSchema,
  },
  warnings: {
    version: 1,
    meaning: 'What a webhook of config.toml receives when warnings are raised or cleared.',
    sentBy: 'webhooks',
    load: async () => (await import('../wire/warnings-message.ts')).warningsMessageSchema,
  },
  run: {
    version: 1,
    meaning: 'What was known of a run before its first request.',
    file: 'config.json',
    load: async () => (await import('../core/run/report.ts')).runConfigSchema,
  },
  repeat: {
    version: 1,
    meaning: 'The figures of several runs of one command, and how much they differ.',
    file: 'repeat.json',
    load: async () => (await import('../core/comparison/repeat-document.ts')).repeatSchema,
  },
  sweep: {
    version: 1,
    meaning: 'A sweep: one run for each load.',
    file: 'sweep.json',
    load: async () => (await import('../core/sweep/sweep-document.ts')).sweepDocumentSchema,
  },
  line: {
    version: 1,
    meaning: 'A load line: the highest load that meets the objectives, and the runs that found it.',
    file: 'line.json',
    load: async () => (await import('../core/sweep/sweep-document.ts')).lineDocumentSchema,
  },
  comparison: {
    version: 1,
    meaning: 'Whether one server is faster than another, with each pair of segments.',
    file: 'comparison.json',
    load: async () => (await import('../core/comparison/comparison-document.ts')).comparisonSchema,
  },
  why: {
    version: 1,
    meaning: 'Why two results of one server differ, figure by figure and cause by cause.',
    load: async () => (await import('../core/explanation/explanation-document.ts')).explanationSchema,
  },
  campaign: {
    version: 1,
    meaning: 'What every node of a cluster measured once, each figure next to the one that it replaced.',
    file: 'campaign.json',
    load: async () => (await import('../render/campaign/probe-campaign.ts')).CAMPAIGN.schema,
  },
  acceptance: {
    version: 1,
    meaning: 'Whether a cluster is fit for use: each check with its result, figure, limit and reason.',
    file: 'acceptance.json',
    load: async () => (await import('../core/acceptance/acceptance-document.ts')).acceptanceSchema,
  },
  baseline: {
    version: 1,
    meaning: 'The figures of several runs of a known good state, stored by name.',
    file: 'baselines/NAME.json',
    load: async () => (await import('../core/comparison/baseline.ts')).baselineSchema,
  },
  baselines: {
    version: 1,
    meaning: 'The baselines of a home.',
    load: async () => (await import('../core/comparison/baseline.ts')).baselinesSchema,
  },
  runs: {
    version: 1,
    meaning: 'The stored runs and other documents of a home, the newest first.',
    load: async () => (await import('./runs/found-run-table.ts')).runsSchema,
  },
  'removed-runs': {
    version: 1,
    meaning: 'What was deleted from disk, and what was not.',
    load: async () => (await import('./runs/found-run-table.ts')).removedRunsSchema,
  },
  imported: {
    version: 1,
    meaning: 'The runs that were imported from a file of another tool.',
    load: async () => (await import('./keep-imported.ts')).importedSchema,
  },
  calibration: {
    version: 1,
    meaning: 'What the client on a machine can resolve.',
    file: 'calibration.json',
    load: async () => (await import('../core/run/calibration.ts')).calibrationSchema,
  },
  headroom: {
    version: 1,
    meaning: 'Whether a model fits, what it should do on the measured machines, and what limits it.',
    load: async () => (await import('../wire/headroom-schema.ts')).headroomDocumentSchema,
  },
  survey: {
    version: 1,
    meaning: 'Machines that were read once over SSH, the links between them, and the cluster that they are.',
    load: async () => (await import('./survey/survey-document.ts')).surveyDocumentSchema,
  },
  wire: {
    version: 1,
    meaning:
      'Settings with which an engine uses the fast links of a cluster, and what is wrong with those links.',
    load: async () => (await import('../wire/wiring-schema.ts')).wiringDocumentSchema,
  },
  dataset: {
    version: 1,
    meaning: 'What is in a data set: counts, lengths, shared prefixes.',
    load: async () => (await import('../bench/dataset/dataset-facts.ts')).datasetSchema,
  },
  trace: {
    version: 1,
    meaning: 'What is in a trace: requests, lengths, times, conversations.',
    load: async () => (await import('../bench/dataset/trace/trace-facts.ts')).traceDocumentSchema,
  },
  'made-dataset': {
    version: 1,
    meaning: 'A data set that was generated.',
    load: async () => (await import('../bench/dataset/write-rows.ts')).madeDatasetSchema,
  },
  'gpu-probe': {
    version: 1,
    meaning: 'The measured devices of this machine.',
    load: async () => (await import('./probe/probe-documents.ts')).gpuProbeSchema,
  },
  'memory-probe': {
    version: 1,
    meaning: 'The measured memory bandwidth of this machine.',
    load: async () => (await import('./probe/probe-documents.ts')).memoryProbeSchema,
  },
  'link-probe': {
    version: 1,
    meaning: 'One measured connection, to the address of a machine.',
    load: async () => (await import('./probe/probe-documents.ts')).linkProbeSchema,
  },
  'node-probe': {
    version: 1,
    meaning: 'The measured connections to a node of the cluster.',
    load: async () => (await import('./probe/probe-documents.ts')).nodeProbeSchema,
  },
  doctor: {
    version: 1,
    meaning: 'Everything that was checked on this machine, each with what to do.',
    load: async () => (await import('./doctor/check.ts')).doctorSchema,
  },
  config: {
    version: 1,
    meaning: 'The settings in effect and the source of each.',
    load: async () => (await import('../config/config-document.ts')).configSchema,
  },
  'config-check': {
    version: 1,
    meaning: 'What is wrong with config.toml.',
    load: async () => (await import('../config/config-document.ts')).configCheckSchema,
  },
  'config-path': {
    version: 1,
    meaning: 'Where config.toml is.',
    load: async () => (await import('../config/config-document.ts')).configPathSchema,
  },
  fleet: {
    version: 1,
    meaning: 'Whether the server of the fleet works for this machine.',
    load: async () => (await import('../mesh/nats/examine-fleet.ts')).fleetSchema,
  },
  service: {
    version: 1,
    meaning: 'Whether the service of the daemon is running.',
    load: async () => (await import('./service/service-plan.ts')).serviceSchema,
  },
  schemas: {
    version: 1,
    meaning: 'These documents.',
    load: async () => schemasSchema,
  },
} as const satisfies Readonly<Record<string, DocumentRow>>;

export const PUBLISHED_DOCUMENTS: readonly PublishedDocument[] = Object.entries<DocumentRow>(ROWS).map(
  ([name, row]) => ({ ...row, name, id: `plimsoll.${name}/${row.version}` }),
);
