// The format of `plimsoll headroom --json` and of the response of POST /api/headroom. Foreign programs read
// it, so each field has a description.

import * as v from 'valibot';
import { CACHE_TYPES } from '../core/model/cache-bytes.ts';
import { ENGINES } from '../core/model/engine-constants.ts';
import { HEADROOM_SCHEMA } from '../core/model/headroom-document.ts';
import { count, figure, list, nodeIdSchema, openObject, reported, text } from '../core/schema.ts';
import { estimateSchema } from '../core/sweep/stage.ts';
import { sentModelSchema } from './api/headroom-request.ts';

const described = (schema: v.GenericSchema, description: string): v.GenericSchema =>
  v.pipe(schema, v.description(description));

const interval = openObject({ low: figure, high: figure });

const need = openObject({
  weightBytes: interval,
  cacheBytes: interval,
  reserveBytes: described(interval, 'Buffers of computation, and what engines leave free.'),
  totalBytes: interval,
});

export const headroomFitSchema: v.GenericSchema = v.variant('kind', [
  openObject({ kind: v.literal('fits'), freeBytes: figure }),
  openObject({
    kind: v.literal('tight'),
    missingBytes: described(figure, 'At most: it fits if everything that is not known exactly is small.'),
  }),
  openObject({ kind: v.literal('does-not-fit'), missingBytes: figure }),
]);

export const headroomDeviceSchema: v.GenericSchema = openObject({
  name: text,
  nodeId: v.exactOptional(nodeIdSchema),
  deviceId: described(text, 'As in the inventory of its node; "cpu" for a processor.'),
  deviceName: text,
  deviceClass: v.picklist(['apple', 'gb10', 'geforce', 'datacentre', 'amd', 'other']),
  ceiling: reported(
    openObject({
      bytesPerSecond: figure,
      operationsPerSecond: v.exactOptional(described(figure, '16-bit products with 32-bit sums.')),
      int8PerSecond: v.exactOptional(figure),
      fp8PerSecond: v.exactOptional(figure),
      isMeasured: described(v.boolean(), 'false: bytesPerSecond comes from a data sheet.'),
    }),
  ),
  memoryBytes: reported(figure),
  memoryFreeBytes: reported(described(figure, 'The part of it that no program uses now.')),
});

const link = openObject({
  source: nodeIdSchema,
  sink: nodeIdSchema,
  name: text,
  typeName: text,
  roundTripSeconds: figure,
  exchangeSeconds: v.exactOptional(figure),
  bytesPerSecond: figure,
  negotiatedBytesPerSecond: reported(figure),
  isStale: v.boolean(),
});

const exchange = openObject({
  count,
  each: openObject({
    latencySeconds: estimateSchema,
    transferSeconds: figure,
    boundSeconds: figure,
    way: v.exactOptional(described(link, 'Missing between devices of one machine.')),
  }),
});

const TERM_SECONDS = {
  weights: figure,
  experts: figure,
  cache: figure,
  compute: figure,
  overhead: figure,
  linkLatency: figure,
  linkBandwidth: figure,
};

const LIMITS = [
  'weights',
  'experts',
  'cache',
  'compute',
  'overhead',
  'linkLatency',
  'linkBandwidth',
  'capacity',
] as const;

const CHANGES = [
  'link-rate',
  'cache-type',
  'bandwidth',
  'latency',
  'overhead',
  'context',
  'batch',
  'weights',
] as const;

const decode = openObject({
  boundTokensPerSecond: described(figure, 'For all sequences together, from measured ceilings only.'),
  expectedTokensPerSecond: estimateSchema,
  stepSeconds: described(estimateSchema, 'For the step in which each sequence gets a token.'),
  terms: described(openObject(TERM_SECONDS), 'Seconds of one step, by purpose.'),
  limit: v.picklist(LIMITS),
  exchanges: list(exchange),
  constants: described(text, 'Label of the constants behind the expectation.'),
  errorShare: reported(
    described(figure, 'Mean error of the constants on the figures that they were fitted to, as a share.'),
  ),
});

const prefill = openObject({
  boundSeconds: figure,
  ceiling: openObject({
    operationsPerSecond: figure,
    of: v.picklist(['16-bit', 'INT8', 'FP8']),
    doubt: described(text, 'Why an engine may exceed it; empty if none can.'),
  }),
  expectedSeconds: estimateSchema,
  limit: v.picklist(['compute', 'weights', 'links']),
});

const serving = openObject({
  timePerOutputTokenSeconds: estimateSchema,
  timeToFirstTokenSeconds: estimateSchema,
  requestsPerSecond: estimateSchema,
});

export const headroomPlacementSchema: v.GenericSchema = openObject({
  key: described(v.string(), 'Stays the same while the same devices have the same layers.'),
  name: v.string(),
  placement: openObject({
    kind: v.picklist(['one', 'tensor', 'pipeline']),
    stages: list(openObject({ layers: count, devices: list(headroomDeviceSchema) })),
  }),
  parts: described(
    list(
      openObject({
        device: headroomDeviceSchema,
        need: reported(need),
        fit: reported(headroomFitSchema),
        fitNow: reported(headroomFitSchema),
      }),
    ),
    'Each device, in stage order.',
  ),
  fit: described(reported(headroomFitSchema), 'In total memory, for the device with the least room.'),
  fitNow: described(reported(headroomFitSchema), 'The same for the memory that no program uses now.'),
  contextThatFits: reported(described(count, 'Tokens per sequence.')),
  decode: reported(decode),
  prefill: described(reported(prefill), 'For a prompt as long as the context.'),
  serving: described(reported(serving), 'For requests that follow each other, as many at once as the batch.'),
  behind: described(v.string(), 'Why it ranks below the first one; empty for the first.'),
});

export const headroomDocumentSchema: v.GenericSchema = openObject({
  schema: v.literal(HEADROOM_SCHEMA),
  model: sentModelSchema,
  question: openObject({
    engine: v.picklist(ENGINES),
    contextTokens: count,
    outputTokens: count,
    batch: count,
    cacheType: v.picklist(Object.keys(CACHE_TYPES)),
  }),
  need: described(reported(need), 'For the model as a whole.'),
  placements: described(list(headroomPlacementSchema), 'The fastest that fits first.'),
  placementsLeftOut: count,
  notes: described(list(v.string()), 'What was not tried.'),
  changes: described(
    list(
      openObject({
        kind: v.picklist(CHANGES),
        text: v.string(),
        beforeTokensPerSecond: figure,
        afterTokensPerSecond: figure,
        makesItFit: v.boolean(),
      }),
    ),
    'What would make it faster or let it fit, greatest gain first.',
  ),
});
