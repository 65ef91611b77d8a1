// Follows the stream of the local daemon and writes it down, until somebody or the time ends it.

import { systemClock } from '../clock/system-clock.ts';
import { errorMessage } from '../core/problem.ts';
import { Anonymiser } from '../recording/anonymiser.ts';
import { StreamRecorder } from '../recording/record-stream.ts';
import { RecordingWriter } from '../recording/recording-writer.ts';
import { decodeBatch, decodeSnapshot } from '../wire/stream-message.ts';
import { serverEvents } from './cluster-stream.ts';
import { CommandError } from './command-error.ts';
import { type DaemonClient, findDaemon, noAnswer, requestFailure } from './daemon-client.ts';
import type { ProcessState } from './process-state.ts';

interface RecordCommandOptions {
  readonly home: string;
  readonly path: string;
  readonly durationMs: number | undefined;
  readonly keepsNames: boolean;
  readonly onStarted: () => Promise<void>;
}

interface RecordEnd {
  readonly bytes: number;
  readonly isFull: boolean;
}

/**
 * What was recorded stays in the file, however this ends.
 * @throws CommandError when there is no daemon, it goes away, or the file cannot be written.
 */
export const recordCluster = async (
  state: ProcessState,
  options: RecordCommandOptions,
): Promise<RecordEnd> => {
  const client = await findDaemon(options.home, state);
  const time = options.durationMs === undefined ? [] : [AbortSignal.timeout(options.durationMs)];
  const until = AbortSignal.any([state.stop, ...time]);
  await using writer = await createRecording(options.path);
  const recorder = new StreamRecorder(writer, options.keepsNames ? undefined : new Anonymiser());
  try {
    await follow(client, { recorder, writer, onStarted: options.onStarted }, until);
  } catch (error) {
    if (!until.aborted) {
      await finish(recorder);
      throw error;
    }
  }
  await finish(recorder);
  return { bytes: writer.bytes, isFull: writer.isFull };
};

const finish = async (recorder: StreamRecorder): Promise<void> => {
  try {
    await recorder.end(systemClock.nowMs());
  } catch (error) {
    throw isDiskError(error) ? cannotWrite(error) : error;
  }
};

interface Following {
  readonly recorder: StreamRecorder;
  readonly writer: RecordingWriter;
  readonly onStarted: () => Promise<void>;
}

/** Ends when the file is full. @throws the signal's reason when it aborts. */
const follow = async (
  client: DaemonClient,
  { recorder, writer, onStarted }: Following,
  until: AbortSignal,
): Promise<void> => {
  let hasStarted = false;
  try {
    for await (const { name, data } of serverEvents(await client.stream('/api/stream', until))) {
      const nowMs = systemClock.nowMs();
      if (name === 'snapshot') await recorder.snapshot(decodeSnapshot(data, nowMs));
      else if (name === 'batch') await recorder.batch(decodeBatch(data, nowMs));
      if (name === 'snapshot' && !hasStarted) await onStarted();
      hasStarted ||= name === 'snapshot';
      if (writer.isFull) return;
    }
  } catch (error) {
    if (isDiskError(error)) throw cannotWrite(error);
    throw requestFailure(client.file, until, error);
  }
  throw noAnswer(client.file, 'it closed the connection', undefined);
};

/** @throws CommandError if it exists or cannot be written. */
export const createRecording = async (path: string): Promise<RecordingWriter> => {
  try {
    return await RecordingWriter.create(path);
  } catch (error) {
    throw cannotWrite(error);
  }
};

const cannotWrite = (error: unknown): CommandError => {
  const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
  const reason = errorMessage(error);
  return isThere
    ? new CommandError(
        'recording',
        'the file already exists',
        'Choose another file: recordings are not overwritten.',
        {
          cause: error,
        },
      )
    : new CommandError(
        'recording',
        `the recording cannot be written: ${reason}`,
        'Choose a file in a folder that exists and may be written, on a disk with free space.',
        {
          cause: error,
        },
      );
};

const isDiskError = (error: unknown): boolean =>
  error instanceof Error &&
  'syscall' in error &&
  error.syscall === 'write' &&
  'code' in error &&
  error.code !== 'EPIPE';
