// The memory probe as its callers see it: a child process measures, its deadline ends it, its result is checked.

import * as v from 'valibot';
import type { Env } from '../../process/child.ts';
import { entryUrl } from '../../process/entry.ts';
import { runProbeChild } from '../probe-child.ts';
import { type MemoryBandwidth, memoryBandwidthSchema } from './memory-bandwidth.ts';
import { MEMORY_REQUEST, type MemoryRequest } from './memory-request.ts';

interface ProbeMemoryOptions {
  readonly env: Env;
  /** process.execPath */
  readonly nodePath: string;
  readonly signal: AbortSignal;
  readonly request?: MemoryRequest;
}

type MemoryOutcome =
  | { readonly kind: 'measured'; readonly bandwidth: MemoryBandwidth }
  | { readonly kind: 'failed'; readonly reason: string };

/** @throws only the signal's reason, when it aborts. */
export const probeMemory = async (options: ProbeMemoryOptions): Promise<MemoryOutcome> => {
  const answer = await runProbeChild({
    entry: entryUrl(import.meta.url, './memory-process.ts'),
    request: options.request ?? MEMORY_REQUEST,
    nodePath: options.nodePath,
    env: options.env,
    deadlineMs: MEMORY_DEADLINE_MS,
    signal: options.signal,
  });
  if (answer.kind === 'failed') return answer;
  const checked = v.safeParse(memoryBandwidthSchema, answer.answer);
  if (checked.success) return { kind: 'measured', bandwidth: checked.output };
  return { kind: 'failed', reason: 'the memory probe printed something unreadable' };
};

/** Measuring takes 8 s; touching many gigabytes first takes a virtual machine far longer. */
const MEMORY_DEADLINE_MS = 60_000;
