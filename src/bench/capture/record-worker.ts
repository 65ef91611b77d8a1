// Entry of the thread that records what passed the proxy: reading bodies and writing files takes no time of the
// thread that passes bytes on.

import { parentPort, workerData } from 'node:worker_threads';
import { Recorder } from './recorder.ts';
import { batchBytes, type FromRecorder, type RecorderOptions, type ToRecorder } from './tap-message.ts';

/** Between two writes: far below the second that a capture may lose with its process. */
const FLUSH_MS = 200;
const options: RecorderOptions = workerData;

const report = (message: FromRecorder): void => parentPort?.postMessage(message);

const recorder = new Recorder(options);
report({ kind: 'ready', problem: recorder.problem });

/** Of batches since the last report. */
let read = 0;
const tick = setInterval(() => {
  recorder.flush();
  report({ kind: 'read', bytes: read, figures: recorder.figures });
  read = 0;
}, FLUSH_MS);

parentPort?.on('message', (message: ToRecorder) => {
  if (message.kind === 'batch') {
    const { buffer, byteOffset, byteLength } = message.bytes;
    const bytes = Buffer.from(buffer, byteOffset, byteLength);
    for (const event of message.events) recorder.take(event, bytes);
    read += batchBytes(message.events.length, byteLength);
    return;
  }
  clearInterval(tick);
  recorder[Symbol.dispose]();
  report({ kind: 'stopped', figures: recorder.figures });
  parentPort?.close();
});
