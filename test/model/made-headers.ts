// Headers of twelve models that differ in structure: made (test/fixtures/models/make.py), with the sizes of published ones.

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import * as v from 'valibot';
import type { ModelFacts } from '../../src/core/model/model-facts.ts';
import { ggufFacts } from '../../src/model/gguf/gguf-facts.ts';
import { type GgufHeader, readGguf } from '../../src/model/gguf/read-gguf.ts';
import { memorySource } from '../support/memory-source.ts';

export const headerBytes = (name: string): Uint8Array =>
  gunzipSync(readFileSync(new URL(`../fixtures/models/${name}.gguf.gz`, import.meta.url)));

export const madeHeader = (name: string): Promise<GgufHeader> =>
  readGguf(memorySource(headerBytes(name), `${name}.gguf`));

export const madeFacts = async (name: string): Promise<ModelFacts> =>
  ggufFacts([await madeHeader(name)], `${name}.gguf`);

/** What the format's own library reads from each. */
export const libraryReports: () => v.InferOutput<typeof EXPECTED> = () =>
  v.parse(
    EXPECTED,
    JSON.parse(readFileSync(new URL('../fixtures/models/expected.json', import.meta.url), 'utf8')),
  );

const EXPECTED = v.record(
  v.string(),
  v.object({
    library: v.string(),
    dataOffset: v.number(),
    types: v.record(v.string(), v.object({ weights: v.number(), bytes: v.number(), tensors: v.number() })),
  }),
);
