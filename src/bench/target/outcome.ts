// How a sample ends (METRICS §2), from how its transport ended and the content of its reply. Pure; the one place that
// decides.

import type { SampleFailure } from '../../core/run/ended-sample.ts';
import type { FailureKind, Outcome } from '../../core/run/outcome.ts';
import { type EndKind, isCancelled, timeoutPhaseOf } from '../arena/load-record.ts';
import type { ReplyDefect } from './api/server-api.ts';

interface ReplyAccount {
  readonly endKind: EndKind;
  readonly endDetail: string;
  /** 0: no head arrived. */
  readonly status: number;
  /** The error text of a reply with a status other than 2xx. */
  readonly statusDetail: string;
  readonly hasContent: boolean;
  /** [DONE] or a finish reason on each choice; for a plain reply, that its whole body is valid. */
  readonly hasEnded: boolean;
  readonly isDone: boolean;
  /** A finish reason came on each part that was opened. */
  readonly hasFinished: boolean;
  /** The token limit ended it after at least one token: without content these are bytes that are not yet text. */
  readonly isOutOfTokens: boolean;
  /** Part of an event follows the last empty line. */
  readonly hasOpenEvent: boolean;
  /** What is missing if neither is the case. */
  readonly withoutEnd: string;
  readonly defect: ReplyDefect | undefined;
}

export interface SampleOutcome {
  readonly outcome: Outcome;
  readonly failure: SampleFailure | undefined;
  /**
   * Whether the sample ended with the transport. False if the stream had ended by itself before the transport failed:
   * then its last byte is its end.
   */
  readonly endsWithTransport: boolean;
}

export const decideOutcome = (reply: ReplyAccount): SampleOutcome => {
  const { endKind, endDetail, status, defect } = reply;
  if (isCancelled(endKind)) return { outcome: 'cancelled', failure: undefined, endsWithTransport: true };
  if (endKind === 'client') return failed('client', endDetail, status);
  if (status !== 0 && (status < 200 || status > 299)) {
    return failed('http-status', reply.statusDetail, status);
  }
  if (defect !== undefined) return failed(defect.kind, defect.detail, status);
  // Once a stream has ended by its own signals, later events of the connection do not change that. An end marker
  // alone is weaker: servers that drop an answer in favour of another send it, and disconnect.
  const isDone = reply.isDone && (reply.hasFinished || endKind === 'whole' || !reply.hasContent);
  const isOver = isDone || (reply.hasEnded && !reply.isDone && !reply.hasOpenEvent);
  if (isOver && endKind !== 'malformed') {
    if (!reply.hasContent && !reply.isOutOfTokens) return failed('empty', 'the reply has no content', status);
    return { outcome: 'completed', failure: undefined, endsWithTransport: endKind === 'whole' };
  }
  return failedTransport(reply);
};

const failedTransport = (reply: ReplyAccount): SampleOutcome => {
  const { endKind, endDetail, status } = reply;
  switch (endKind) {
    case 'whole':
      if (!reply.hasContent && !reply.hasOpenEvent)
        return failed('empty', 'the reply has no content', status);
      return failed('truncated', truncation(reply), status);
    case 'connect':
    case 'tls':
    case 'reset':
    case 'truncated':
    case 'malformed':
    case 'client':
      return failed(endKind, endDetail, status);
    default: {
      const phase = timeoutPhaseOf(endKind);
      return failed('timeout', phase === undefined ? endDetail : `${phase}: ${endDetail}`, status);
    }
  }
};

const truncation = ({ hasOpenEvent, withoutEnd }: ReplyAccount): string =>
  hasOpenEvent ? 'the last event is cut' : withoutEnd;

const failed = (kind: FailureKind, detail: string, statusCode: number): SampleOutcome => ({
  outcome: 'failed',
  failure: { kind, statusCode, detail },
  endsWithTransport: true,
});
