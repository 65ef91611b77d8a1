// What `plimsoll wire` prints: the links that an engine should use, what is wrong with them, the commands that come
// first, and the files with its settings.

import * as v from 'valibot';
import {
  count,
  figure,
  type Infer,
  list,
  longText,
  nodeIdSchema,
  openObject,
  reported,
  text,
} from '../schema.ts';

export const WIRING_SCHEMA = 'plimsoll.wire/1';

/** In the order of help; engine-rows.ts has what each needs. */
export const WIRING_ENGINES = [
  'nccl',
  'rccl',
  'mlx',
  'llama.cpp',
  'vllm',
  'sglang',
  'exo',
  'ray',
  'ollama',
] as const;
export type WiringEngine = (typeof WIRING_ENGINES)[number];

const described = <T>(schema: v.GenericSchema<unknown, T>, meaning: string): v.GenericSchema<unknown, T> =>
  v.pipe(schema, v.description(meaning));

const stepSchema = openObject({
  on: described(text, 'The name of the node to run it on.'),
  command: text,
});

/** A command and the node to run it on. */
export type WiringStep = Infer<typeof stepSchema>;

const wiringLinkSchema = openObject({
  nodes: described(v.tuple([text, text]), 'Their names.'),
  type: described(text, 'The type of the path that the engine should take: "Thunderbolt 5 (RDMA)".'),
  interfaces: described(v.tuple([text, text]), 'Of each node, in the same order.'),
  bitsPerSecond: described(reported(figure), 'As measured, of the slower direction.'),
  roundTripNs: described(reported(figure), 'Median.'),
});

export type WiringLink = Infer<typeof wiringLinkSchema>;

const wiringFindingSchema = openObject({
  kind: v.picklist([
    'slower-by-default',
    'bridge',
    'missing-cable',
    'crossed-ports',
    'mtu-mismatch',
    'small-mtu',
    'rdma-unmeasured',
    'unmeasured',
    'unreachable',
    'rdma',
  ]),
  level: v.picklist(['danger', 'caution', 'note']),
  isRemark: described(v.boolean(), 'It concerns two nodes that the settings do not connect.'),
  nodes: described(list(text), 'Names of the nodes concerned.'),
  title: text,
  why: text,
  usedBitsPerSecond: described(reported(figure), 'What the engine would get without a change.'),
  possibleBitsPerSecond: described(reported(figure), 'What it could get.'),
  steps: described(list(stepSchema), 'What fixes it, or what measures it.'),
});

export type WiringFinding = Infer<typeof wiringFindingSchema>;

const wiringFileSchema = openObject({
  name: described(text, 'What --out calls it.'),
  nodes: described(list(text), 'Names of the nodes that need it.'),
  text: longText,
});

export type WiringFile = Infer<typeof wiringFileSchema>;

/** Of the plan; the document of the command has more. */
export const WIRING_ENTRIES = {
  engine: v.picklist(WIRING_ENGINES),
  documented: described(text, 'The version whose documentation and source the settings follow.'),
  nodes: described(
    list(openObject({ nodeId: nodeIdSchema, name: text, rank: count })),
    'Those that run the engine, in the order of the settings.',
  ),
  leftOut: described(
    list(openObject({ name: text, reason: text })),
    'Nodes on which the engine does not run.',
  ),
  links: described(list(wiringLinkSchema), 'The path that the engine should take between each two nodes.'),
  findings: described(list(wiringFindingSchema), 'What is wrong, the greatest gain first, remarks last.'),
  setup: described(list(stepSchema), 'Commands that the settings rely on, to run first.'),
  files: list(wiringFileSchema),
  start: described(
    list(stepSchema),
    'Commands that start the engine with its files, in their folder; of several any one. Other engines are started by their files.',
  ),
  notes: list(text),
} as const;

const wiringPlanSchema = openObject(WIRING_ENTRIES);

export type WiringPlan = Infer<typeof wiringPlanSchema>;
