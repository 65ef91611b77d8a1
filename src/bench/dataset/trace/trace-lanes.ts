// The sessions of a trace of agents as lanes, by the rules of AgentX: those that run at first begin in the middle of their
// conversation, after requests that prime the server's cache with what came before; each later one begins with its first
// request, in the order of the file.

import { maximumOf, minimumOf } from '../../../core/extremes.ts';
import { randomFor } from '../length-choice.ts';
import type { Trace, TracePart, TraceSession } from './read-trace.ts';
import type { TraceRequest } from './trace.ts';

/** A request that is sent before time zero, in the name of a session. */
export interface Prime {
  /** Index among the sessions. */
  readonly session: number;
  readonly request: TraceRequest;
}

export interface TraceLanes {
  /** The lanes, then all conversations from the one after the last lane on. */
  readonly sessions: readonly TraceSession[];
  readonly primes: readonly Prime[];
}

export const traceLanes = (
  { sessions }: Pick<Trace, 'sessions'>,
  {
    lanes,
    startAt = { from: 0, to: 0 },
    seed,
  }: { readonly lanes: number; readonly startAt: TracePart['startAt']; readonly seed: number },
): TraceLanes => {
  const random = randomFor(seed, 'starts');
  const begun = Array.from({ length: lanes }, (_, lane) =>
    begunAt(
      sessions[lane % sessions.length]?.requests ?? [],
      startAt.from + random.next() * (startAt.to - startAt.from),
    ),
  );
  // The first of all lanes begins at once, and the others keep their distance to it.
  const soonestMs = minimumOf(
    begun.flatMap(({ requests }) =>
      requests.flatMap(({ after, delayMs }) => (after.length === 0 ? [delayMs] : [])),
    ),
  );
  const next = lanes % sessions.length;
  return {
    sessions: [
      ...begun.map(({ requests }, lane): TraceSession => {
        const id = sessions[lane % sessions.length]?.id ?? '';
        return {
          id: `${id}, lane ${lane + 1}`,
          startMs: undefined,
          requests: requests.map(request =>
            request.after.length === 0 ? { ...request, delayMs: request.delayMs - soonestMs } : request,
          ),
        };
      }),
      ...sessions.slice(next),
      ...sessions.slice(0, next),
    ],
    primes: begun.flatMap(({ primes }, session) => primes.map(request => ({ session, request }))),
  };
};

interface BegunSession {
  readonly requests: readonly TraceRequest[];
  readonly primes: readonly TraceRequest[];
}

/**
 * A conversation from a moment of its recorded time on; one request at least. What waited only for requests before that
 * moment waits from then on.
 */
const begunAt = (all: readonly TraceRequest[], share: number): BegunSession => {
  const lastMs = maximumOf(all.map(({ atMs }) => atMs));
  const fromMs = share * lastMs;
  const isLate = ({ atMs }: TraceRequest): boolean =>
    share === 0 || atMs > fromMs || (fromMs >= lastMs && atMs === lastMs);
  const indexes = new Map<number, number>();
  for (const [index, request] of all.entries()) if (isLate(request)) indexes.set(index, indexes.size);
  const requests = all.flatMap((request, index) => {
    if (!indexes.has(index)) return [];
    const after = request.after.flatMap(earlier => indexes.get(earlier) ?? []);
    const atMs = Math.max(0, request.atMs - fromMs);
    return [{ ...request, atMs, after, delayMs: after.length === 0 ? atMs : request.delayMs }];
  });
  const agents = new Set(requests.map(({ agent }) => agent));
  const latest = new Map<number, TraceRequest>();
  for (const [index, request] of all.entries()) {
    if (indexes.has(index) || !agents.has(request.agent)) continue;
    if (request.atMs >= (latest.get(request.agent)?.atMs ?? 0)) latest.set(request.agent, request);
  }
  return { requests, primes: [...latest.values()] };
};
