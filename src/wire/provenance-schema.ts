// Where a report comes from, in config.json and report.json. Directories of runs are passed around: every
// text has its limit here.

import * as v from 'valibot';
import {
  CALL_ARGUMENTS_MAX,
  CALL_LENGTH_MAX,
  CEILINGS_MAX,
  type RunProvenance,
  SERVER_FACT_NAME_MAX,
  SERVER_FACT_VALUE_MAX,
  SERVER_FACTS_MAX,
  type ServerReported,
} from '../core/run/provenance.ts';
import { bytes, count, figure, openObject, reported, text } from './schema.ts';

const sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));

const reportedSchema = openObject({
  from: text,
  facts: v.pipe(
    v.array(
      openObject({
        name: v.pipe(v.string(), v.maxLength(SERVER_FACT_NAME_MAX)),
        value: v.pipe(v.string(), v.maxLength(SERVER_FACT_VALUE_MAX)),
      }),
    ),
    v.maxLength(SERVER_FACTS_MAX),
  ),
});

export const serverReportedSchema: v.GenericSchema<unknown, ServerReported[]> = v.pipe(
  v.array(reportedSchema),
  v.maxLength(SERVER_FACTS_MAX),
);

const ceilingSchema = openObject({
  device: text,
  isLowerBound: v.boolean(),
  fp16FlopsPerSecond: reported(figure),
  memoryReadBytesPerSecond: reported(figure),
  ageMs: figure,
});

const callSchema = openObject({
  command: v.literal('bench'),
  args: v.pipe(
    v.array(v.pipe(v.string(), v.maxLength(CALL_LENGTH_MAX))),
    v.minLength(1),
    v.maxLength(CALL_ARGUMENTS_MAX),
  ),
  cwd: text,
  secrets: v.pipe(v.array(text), v.maxLength(CALL_ARGUMENTS_MAX)),
});

export const provenanceSchema: v.GenericSchema<unknown, RunProvenance> = openObject({
  prompts: openObject({ sha256, count, file: reported(openObject({ sha256, bytes })) }),
  machine: openObject({
    kernel: text,
    governor: reported(text),
    memoryBytes: bytes,
    cpuLimit: reported(figure),
    memoryLimitBytes: reported(bytes),
  }),
  server: reported(serverReportedSchema),
  node: reported(
    openObject({
      id: text,
      name: text,
      ceilings: v.pipe(v.array(ceilingSchema), v.maxLength(CEILINGS_MAX)),
    }),
  ),
  git: reported(
    openObject({ commit: v.pipe(v.string(), v.regex(/^[0-9a-f]{7,64}$/)), isDirty: v.boolean() }),
  ),
  call: reported(callSchema),
});
