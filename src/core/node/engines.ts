// Servers of models that a node has found on itself: which engine, its version, the models in memory, its requests. An
// engine that has gone is missing in the next reading.

import { counted, formatCount } from '../figure/figure.ts';
import { carriedFactsSchema } from '../model/model-facts.ts';
import { count, type Infer, list, openObject, reported, text } from '../schema.ts';
import { isKnown, isUnknown, knownOr, type Reported } from '../unknown.ts';
import { gathered } from './gathered.ts';

const servedModelSchema = openObject({
  /** As requests name it. */
  name: text,
});

const engineSchema = openObject({
  /** Where its own machine reaches it, without a path: "http://127.0.0.1:8000". */
  origin: text,
  /** "vLLM"; a name of `core/engine`. */
  engine: reported(text),
  version: reported(text),
  /** Those in memory, if it reports them; else all that it lists. */
  models: reported(list(servedModelSchema)),
  requestsInFlight: reported(count),
  /** Of the model in memory, if it has one; read from its file if that is on this machine. */
  facts: reported(carriedFactsSchema),
  /** "0.0.0.0": the address that it listens on; unknown if the system does not show it. */
  listensOn: reported(text),
});

export type NodeEngine = Infer<typeof engineSchema>;

const otherListenerSchema = openObject({
  origin: text,
  /** Why it is not a server of a model, as far as its replies show. */
  reason: text,
});

/** Something else at a port that engines use. */
export type OtherListener = Infer<typeof otherListenerSchema>;

const enginesSchema = openObject({ engines: list(engineSchema), others: list(otherListenerSchema) });

export type NodeEngines = Infer<typeof enginesSchema>;

/** Its row of the table of kinds. */
export const ENGINES_KINDS = {
  'engines.gathered': {
    class: 'live',
    field: 'nodeEngines',
    shape: 'node',
    entriesMax: 1,
    schema: gathered(enginesSchema),
    title: 'Engines',
    isSteady: true,
    isSignOfLife: true,
    texts: {
      source: 'plain',
      origin: 'free',
      engine: 'plain',
      version: 'plain',
      name: 'modelName',
      listensOn: 'address',
      reason: 'free',
      architecture: 'plain',
      kind: 'plain',
      location: 'directory',
      quantisation: 'plain',
      notes: 'free',
    },
  },
} as const;

/** "vLLM 0.33.0", "a server of models". */
export const engineName = ({ engine, version }: Pick<NodeEngine, 'engine' | 'version'>): string =>
  [knownOr(engine, 'a server of models'), ...(isKnown(version) ? [version] : [])].join(' ');

/** "Qwen3-32B", "Qwen3-32B and 2 more", "no model in memory". */
export const modelsText = ({ models }: Pick<NodeEngine, 'models'>): Reported<string> => {
  if (isUnknown(models)) return models;
  const [first, ...others] = models;
  if (first === undefined) return 'no model in memory';
  return others.length === 0 ? first.name : `${first.name} and ${others.length} more`;
};

/** "Q4_K_M, context up to 40,960", of the model in memory; '' if neither is known. */
export const modelFactsText = ({ facts }: Pick<NodeEngine, 'facts'>): string =>
  isUnknown(facts)
    ? ''
    : [
        knownOr(facts.quantisation, ''),
        isUnknown(facts.contextMax) ? '' : `context up to ${formatCount(facts.contextMax)}`,
      ]
        .filter(part => part !== '')
        .join(', ');

/** "3 requests in flight", "idle". */
export const inFlightText = ({ requestsInFlight }: Pick<NodeEngine, 'requestsInFlight'>): Reported<string> =>
  isUnknown(requestsInFlight)
    ? requestsInFlight
    : requestsInFlight === 0
      ? 'idle'
      : `${counted(requestsInFlight, 'request')} in flight`;
