// Asks the daemon to measure now, and says in words what came of it. How it goes on is told by the state like any probe.

import { refusalText } from '../shell/ask-daemon.ts';

export type ProbeSubjectRequest =
  | 'all'
  | { readonly kind: 'gpu'; readonly nodeId: string; readonly deviceId?: string }
  | {
      readonly kind: 'link';
      readonly source: string;
      readonly sink: string;
      readonly connectionKey?: string;
    };

export const askProbe = async (requests: readonly ProbeSubjectRequest[]): Promise<string> => {
  const answers = await Promise.all(requests.map(askOne));
  return wordsOf(answers);
};

export type ProbeReply =
  | {
      readonly kind: 'asked';
      readonly probes: readonly ProbeReplyRow[];
      readonly unreached: readonly string[];
    }
  | { readonly kind: 'refused'; readonly reason: string };

export interface ProbeReplyRow {
  readonly result: string;
  readonly reason: string;
}

/** "2 started", "1 waits: a runner is active on juno"; the first reason of each sort speaks for all. */
export const wordsOf = (answers: readonly ProbeReply[]): string => {
  const refused = answers.find(answer => answer.kind === 'refused');
  const asked = answers.flatMap(answer => (answer.kind === 'asked' ? [answer] : []));
  const probes = asked.flatMap(answer => answer.probes);
  if (probes.length === 0 && refused?.kind === 'refused') return refused.reason;
  const parts = RESULTS.flatMap(({ result, words }) => {
    const these = probes.filter(probe => probe.result === result);
    const [first] = these;
    if (first === undefined) return [];
    return `${these.length} ${words}${result === 'started' || first.reason === '' ? '' : `: ${first.reason}`}`;
  });
  const unreached = asked.flatMap(answer => answer.unreached);
  if (unreached.length > 0) parts.push(`${unreached.length} not reached: ${unreached[0]}`);
  return parts.length === 0 ? 'nothing to measure' : parts.join(' · ');
};

const askOne = async (subject: ProbeSubjectRequest): Promise<ProbeReply> => {
  const answer = await fetch('/api/probes', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ subject }),
  }).catch(() => undefined);
  if (answer === undefined) return { kind: 'refused', reason: 'the daemon does not answer' };
  const body: unknown = await answer.json().catch(() => undefined);
  if (!answer.ok) return { kind: 'refused', reason: refusalText(answer.status, body) };
  return {
    kind: 'asked',
    probes: listAt(body, 'probes').map(probe => ({
      result: textAt(probe, 'result'),
      reason: textAt(probe, 'reason'),
    })),
    unreached: listAt(body, 'unreached').map(node => textAt(node, 'reason')),
  };
};

const at = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).find(([name]) => name === key)?.[1]
    : undefined;

const textAt = (value: unknown, key: string): string => {
  const text = at(value, key);
  return typeof text === 'string' ? text : '';
};

const listAt = (value: unknown, key: string): readonly unknown[] => {
  const list = at(value, key);
  return Array.isArray(list) ? list : [];
};

const RESULTS = [
  { result: 'started', words: 'started' },
  { result: 'queued', words: 'waiting' },
  { result: 'refused', words: 'refused' },
] as const;
