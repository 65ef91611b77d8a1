// A survey as a recording of one moment, with the names of the machines.

import { systemClock } from '../../clock/system-clock.ts';
import { StreamRecorder } from '../../recording/record-stream.ts';
import type { RecordingWriter } from '../../recording/recording-writer.ts';
import type { SnapshotMessage } from '../../wire/stream-message.ts';

export const saveSurvey = async (
  writer: RecordingWriter,
  seen: Pick<SnapshotMessage, 'nodeId' | 'plimsollVersion' | 'state'>,
): Promise<void> => {
  const recorder = new StreamRecorder(writer, undefined);
  const nowMs = systemClock.nowMs();
  await recorder.snapshot({ ...seen, nowMs });
  await recorder.end(nowMs);
};
