// The engine of a simulated machine that serves a model, with facts of a dense model of 30 billion weights in 4 bits, as its
// file would have them.

import type { Fact } from '../core/event-kinds.ts';
import { type CarriedFacts, exactly } from '../core/model/model-facts.ts';
import { simulated } from './durable-readings.ts';

export const SERVED_ORIGIN = 'http://127.0.0.1:8000';

/** @param requestsInFlight undefined: it serves nothing */
export const engineFact = (requestsInFlight: number | undefined): Fact => ({
  kind: 'engines.gathered',
  payload: simulated({
    engines:
      requestsInFlight === undefined
        ? []
        : [
            {
              origin: SERVED_ORIGIN,
              engine: 'vLLM',
              version: '0.33.0',
              models: [{ name: MODEL.name }],
              requestsInFlight,
              facts: MODEL,
              listensOn: '0.0.0.0',
            },
          ],
    others: [],
  }),
});

const LAYERS = 64;
const MODEL: CarriedFacts = {
  name: 'demo-model-30b',
  architecture: 'llama',
  source: { kind: 'safetensors', location: '' },
  layers: LAYERS,
  hiddenSize: 5_120,
  contextMax: 131_072,
  quantisation: 'AWQ, 4.5 bits a weight',
  weights: {
    totalBytes: exactly(18.4e9),
    denseBytes: exactly(17.6e9),
    expertBytes: exactly(0),
    denseParameters: exactly(31.2e9),
    expertParameters: exactly(0),
    headParameters: exactly(0.78e9),
  },
  cache: {
    groups: [{ kind: 'full', layers: LAYERS, elementsPerToken: 2 * 8 * 128 }],
    keyValueHeads: 8,
    attentionWidth: LAYERS * 5_120,
  },
  notes: [],
};
