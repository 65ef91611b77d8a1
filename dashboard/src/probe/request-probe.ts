// Requests a probe from the daemon, and shows the reply in words. Its progress is shown from state like for any probe.

import {
  type ProbesAnswer,
  type ProbeTarget,
  probesAnswerSchema,
} from '../../../src/wire/api/probe-answers.ts';
import { type DaemonReply, fetchDaemon, jsonBody, NOT_SIGNED_IN } from '../shell/fetch-daemon.ts';

interface ProbeRequestResult {
  readonly text: string;
  /** Refused because this browser may only read. */
  readonly needsSignIn: boolean;
}

export const requestProbe = async (targets: readonly ProbeTarget[]): Promise<ProbeRequestResult> => {
  const answers = await Promise.all(
    targets.map(subject => fetchDaemon('/api/probes', probesAnswerSchema, jsonBody({ subject }))),
  );
  const needsSignIn = answers.some(answer => answer.kind === 'refused' && answer.code === NOT_SIGNED_IN);
  return { text: summaryOf(answers), needsSignIn };
};

/** "2 started", "1 waits: a runner is active on juno"; each kind shows only its first reason. */
export const summaryOf = (answers: readonly DaemonReply<ProbesAnswer>[]): string => {
  const refused = answers.find(answer => answer.kind === 'refused');
  const requested = answers.flatMap(answer => (answer.kind === 'here' ? [answer.value] : []));
  const probes = requested.flatMap(answer => answer.probes);
  if (probes.length === 0 && refused?.kind === 'refused') return refused.reason;
  const parts = RESULTS.flatMap(({ result, text }) => {
    const these = probes.filter(probe => probe.result === result);
    const [first] = these;
    if (first === undefined) return [];
    return `${these.length} ${text}${result === 'started' || first.reason === '' ? '' : `: ${first.reason}`}`;
  });
  const unreached = requested.flatMap(answer => answer.unreached);
  if (unreached[0] !== undefined) parts.push(`${unreached.length} not reached: ${unreached[0].reason}`);
  return parts.length === 0 ? 'nothing to measure' : parts.join(' · ');
};

const RESULTS = [
  { result: 'started', text: 'started' },
  { result: 'queued', text: 'waiting' },
  { result: 'refused', text: 'refused' },
] as const;
