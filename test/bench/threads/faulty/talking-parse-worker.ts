// A parse thread that sends its last batch again after its end, as a beat that fires at that moment would.

import { parentPort } from 'node:worker_threads';
import type { FromParseWorker } from '../../../../src/bench/parse/parse-message.ts';

const port = parentPort;
if (port === null) throw new Error('not a thread');
const post = port.postMessage.bind(port);
let last = new Uint8Array();
port.postMessage = (message: FromParseWorker): void => {
  if (message.kind === 'batch') last = message.bytes.slice();
  post(message);
  if (message.kind === 'ended') post({ kind: 'batch', bytes: last });
};

await import('../../../../src/bench/parse/parse-worker.ts');
