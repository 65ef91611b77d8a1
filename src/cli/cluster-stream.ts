// The cluster as a running daemon streams it, as server-sent events (WHATWG HTML, section 9.2): a snapshot, folded on with
// the same `apply` as everywhere.

import type { Clock } from '../clock/clock.ts';
import { applyAll } from '../core/apply.ts';
import type { State } from '../core/state.ts';
import { knownOr } from '../core/unknown.ts';
import { TextLines } from '../process/text-lines.ts';
import {
  decodeBatch,
  decodeSnapshot,
  type SnapshotMessage,
  StreamMessageError,
} from '../wire/stream-message.ts';
import { CommandError } from './command-error.ts';
import { type DaemonClient, noAnswer, requestFailure } from './daemon-client.ts';

export interface ClusterMoment {
  readonly snapshot: SnapshotMessage;
  /** With receipts on this process's clock. */
  readonly state: State;
}

/**
 * The state after each message, until the signal aborts.
 * @throws CommandError `noDaemon` when the stream ends or is of another version.
 */
export async function* clusterStream(
  client: DaemonClient,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<ClusterMoment, void, void> {
  const body = await client.stream('/api/stream', signal);
  let moment: ClusterMoment | undefined;
  try {
    for await (const { name, data } of serverEvents(body)) {
      if (name === 'snapshot') {
        const snapshot = decodeSnapshot(data, clock.nowMs());
        moment = { snapshot, state: snapshot.state };
      } else if (name === 'batch' && moment !== undefined) {
        const { events } = decodeBatch(data, clock.nowMs());
        moment = { ...moment, state: applyAll(moment.state, events) };
      } else continue;
      if (moment !== undefined) yield moment;
    }
  } catch (error) {
    if (error instanceof StreamMessageError && error.code === 'version') {
      throw new CommandError(
        'noDaemon',
        `the daemon is Plimsoll ${knownOr(client.file.version, '(not reported)')}, which this version cannot talk to`,
        'Restart it with this version: plimsoll up',
        { cause: error },
      );
    }
    throw requestFailure(client.file, signal, error);
  }
  throw noAnswer(client.file, 'it closed the connection', undefined);
}

/** The state now, from the first message. */
export const clusterNow = async (
  client: DaemonClient,
  clock: Clock,
  signal: AbortSignal,
): Promise<ClusterMoment> => {
  for await (const moment of clusterStream(client, clock, signal)) return moment;
  throw noAnswer(client.file, 'it closed the connection', undefined);
};

interface ServerEvent {
  readonly name: string;
  readonly data: string;
}

/** @throws RangeError when an event grows past its bound. */
export async function* serverEvents(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerEvent, void, void> {
  const lines = new TextLines(EVENT_LENGTH_MAX);
  let name = '';
  let data: string[] = [];
  for await (const chunk of body) {
    const whole = lines.add(Buffer.from(chunk));
    if (lines.leftOut > 0) throw new RangeError('the daemon sent an event that is too large');
    for (const line of whole) {
      if (line === '') {
        if (data.length > 0) yield { name, data: data.join('\n') };
        name = '';
        data = [];
      } else if (line.startsWith('event: ')) name = line.slice('event: '.length);
      else if (line.startsWith('data: ')) data.push(line.slice('data: '.length));
    }
  }
}

/** A snapshot of a large cluster is some tens of MB. */
const EVENT_LENGTH_MAX = 256 * 1024 * 1024;
