// Where a report comes from: what somebody needs to repeat its run, and to see later what was different. What others tell of
// themselves, a server's settings above all, is kept as foreign text.

import type { Reported } from '../unknown.ts';

export type RunProvenance = {
  readonly prompts: PromptsProvenance;
  readonly machine: MachineProvenance;
  /** What the server told of itself, in the order in which it was asked. Secrets that it tells are left out. */
  readonly server: Reported<readonly ServerTold[]>;
  /** The node of the cluster that made the load, where a daemon runs. */
  readonly node: Reported<NodeProvenance>;
  /** Of the folder that was named with --note-git. */
  readonly git: Reported<GitProvenance>;
  readonly call: Reported<KeptCall>;
};

export type PromptsProvenance = {
  /** SHA-256 of the prompts as they were planned, with the lengths of their answers; hex. */
  readonly sha256: string;
  readonly count: number;
  /** Of the bytes of --dataset FILE, of a folder its names and texts. Unknown: prompts were generated. */
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
  /** Processors that control groups allow. Unknown: none, or the system has none. */
  readonly cpuLimit: Reported<number>;
  /** Likewise. */
  readonly memoryLimitBytes: Reported<number>;
};

export type ServerTold = {
  /** "GET /version" */
  readonly from: string;
  readonly facts: readonly ServerFact[];
};

/** Both as the server wrote them, each on one line and cut to its length. */
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

export type MeasuredCeiling = {
  /** "NVIDIA H200, cuda" */
  readonly device: string;
  readonly isLowerBound: boolean;
  readonly fp16FlopsPerSecond: Reported<number>;
  readonly memoryReadBytesPerSecond: Reported<number>;
  /** How old the figures were when the run began, ms. */
  readonly ageMs: number;
};

export type GitProvenance = {
  /** Hex. */
  readonly commit: string;
  /** Files differ from it, or are not in it. */
  readonly isDirty: boolean;
};

/** The command line, without what is secret and without what belonged to that one call. */
export type KeptCall = {
  readonly command: 'bench';
  /** Its URL first, without credentials. */
  readonly args: readonly string[];
  /** Where relative paths begin. */
  readonly cwd: string;
  /** What has to be given again, by name: "--api-key-file". */
  readonly secrets: readonly string[];
};

/** Of one server, over all its pages. */
export const SERVER_FACTS_MAX = 64;
/** Characters. */
export const SERVER_FACT_NAME_MAX = 80;
export const SERVER_FACT_VALUE_MAX = 160;
/** Devices of one node. */
export const CEILINGS_MAX = 16;
/** Words of a kept call, and characters of all of them. */
export const CALL_WORDS_MAX = 256;
export const CALL_LENGTH_MAX = 16_384;
