// Jobs: work that was requested of a daemon and that a process of its machine does. Its request has the names of the options of the
// command that does the same.

import * as v from 'valibot';
import { count, type Infer, reported, text } from '../../core/schema.ts';

export const jobSchema = v.object({
  /** The id of its run, sweep, line or comparison, too. */
  jobId: text,
  /** "bench" */
  command: text,
  /** ISO 8601, on the clock of the node that answers. */
  startedAt: text,
  /** 'ended': with a result, also if that misses an objective; 'failed': without one. */
  state: v.picklist(['running', 'ended', 'failed', 'stopped']),
  /** As of the command. */
  exitCode: reported(count),
  /** What it reported for people, one sentence each; the newest. */
  messages: v.array(text),
  /** Where to read what is known of it: "/api/runs/20261120-120501-a1b2"; '' if only here. */
  path: text,
});

export type Job = Infer<typeof jobSchema>;

export const jobsAnswerSchema = v.object({
  /** The newest first. */
  jobs: v.array(jobSchema),
});

export const jobAnswerSchema = v.object({
  job: jobSchema,
  /** What the command prints with --json; null before its end, and without a result. */
  result: v.pipe(v.unknown(), v.description('What the command prints with --json, or null.')),
});

/** More depends on the command. */
export const jobRequestSchema = v.looseObject({ command: v.string() });
