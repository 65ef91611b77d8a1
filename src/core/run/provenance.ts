// Where a report comes from: what is needed to repeat its run, and to see later what was different. What
// others report of themselves, above all a server's settings, is stored as foreign text.

import * as v from 'valibot';
import { BANDWIDTH, FP16_RATE } from '../node/gpu-profile.ts';
import { bytes, count, figure, type Infer, longText, openObject, reported, text } from '../schema.ts';
import type { Reported } from '../unknown.ts';

export type PromptsProvenance = {
  /** SHA-256 of the planned prompts with the lengths of their answers; hex. */
  readonly sha256: string;
  readonly count: number;
  /**
   * Digest of the bytes of --dataset FILE; for a folder, of its names and texts. Unknown: prompts were
   * generated.
   */
  readonly file: Reported<FileDigest>;
};

export type FileDigest = {
  /** Hex. */
  readonly sha256: string;
  readonly bytes: number;
};

export type MachineProvenance = {
  /** With its build: "Linux 6.8.0-45-generic #45-Ubuntu SMP …". */
  readonly kernel: string;
  readonly governor: Reported<string>;
  readonly memoryBytes: number;
  /** Processors that control groups allow. Unknown: no limit, or the system has no control groups. */
  readonly cpuLimit: Reported<number>;
  /** Memory that control groups allow, bytes. Unknown as above. */
  readonly memoryLimitBytes: Reported<number>;
};

export type ServerReported = {
  /** "GET /version" */
  readonly from: string;
  readonly facts: readonly ServerFact[];
};

/** Both as the server wrote them, on one line and shortened to the limit. */
export type ServerFact = {
  /** A path in its JSON: "default_generation_settings.n_ctx". */
  readonly name: string;
  readonly value: string;
};

export type NodeProvenance = {
  readonly id: string;
  readonly name: string;
  readonly ceilings: readonly MeasuredCeiling[];
};

export type MeasuredCeiling = Infer<typeof ceilingSchema>;

export type GitProvenance = {
  /** Hex. */
  readonly commit: string;
  /** Files differ from it, or are not in it. */
  readonly isDirty: boolean;
};

/** The command line, without secrets and without what applied to that call only. */
export type KeptCall = {
  readonly command: 'bench';
  /** Its URL first, without credentials. */
  readonly args: readonly string[];
  /** Base of relative paths. */
  readonly cwd: string;
  /** Options that must be given again, by name: "--api-key-file". */
  readonly secrets: readonly string[];
  /** The file of options that it came from, as it was, with its comments; missing if it is longer than 16,384 characters. */
  readonly file?: CallFile;
};

export type CallFile = Infer<typeof callFileSchema>;

/** Limit per server, over all its pages. */
export const SERVER_FACTS_MAX = 64;
/** Characters. */
export const SERVER_FACT_NAME_MAX = 80;
export const SERVER_FACT_VALUE_MAX = 160;
/** Limit of devices per node. */
export const CEILINGS_MAX = 16;

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
  /** "NVIDIA H200, cuda" */
  device: text,
  isLowerBound: v.boolean(),
  [FP16_RATE.figure]: reported(figure),
  [BANDWIDTH.figure]: reported(figure),
  /** Age of the figures when the run started, ms. */
  ageMs: figure,
});

export const CALL_LENGTH_MAX = 16_384;

/** Limits of a stored call: words, and characters of all of them. */
export const CALL_ARGUMENTS_MAX = 256;

const callFileSchema = openObject({ name: text, text: longText });

const callSchema = openObject({
  command: v.literal('bench'),
  args: v.pipe(
    v.array(v.pipe(v.string(), v.maxLength(CALL_LENGTH_MAX))),
    v.minLength(1),
    v.maxLength(CALL_ARGUMENTS_MAX),
  ),
  cwd: text,
  secrets: v.pipe(v.array(text), v.maxLength(CALL_ARGUMENTS_MAX)),
  file: v.exactOptional(callFileSchema),
});

export const provenanceSchema = openObject({
  prompts: openObject({ sha256, count, file: reported(openObject({ sha256, bytes })) }),
  machine: openObject({
    kernel: text,
    governor: reported(text),
    memoryBytes: bytes,
    cpuLimit: reported(figure),
    memoryLimitBytes: reported(bytes),
  }),
  /** What the server reported of itself, in request order, without secrets. */
  server: reported(serverReportedSchema),
  /** The node of the cluster that made the load, if a daemon runs there. */
  node: reported(
    openObject({
      id: text,
      name: text,
      ceilings: v.pipe(v.array(ceilingSchema), v.maxLength(CEILINGS_MAX)),
    }),
  ),
  /** State of the folder that was named with --note-git. */
  git: reported(
    openObject({ commit: v.pipe(v.string(), v.regex(/^[0-9a-f]{7,64}$/)), isDirty: v.boolean() }),
  ),
  call: reported(callSchema),
});

export type RunProvenance = Infer<typeof provenanceSchema>;
