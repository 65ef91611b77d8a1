// The bytes of a mesh link: frames cut at any byte, before authentication (hellos, farewells) and after it (messages of replication,
// requests and their answers).

import fc from 'fast-check';
import { FrameDecoder, frameHead } from '../../../src/channel/frame-decoder.ts';
import { nodeId } from '../../../src/core/ids.ts';
import { decodeBye, encodeBye } from '../../../src/mesh/link/peer-link.ts';
import { readLive } from '../../../src/mesh/replication/live-read.ts';
import { decodeHello, encodeHello } from '../../../src/mesh/tls/authentication.ts';
import { encodeRecordBody } from '../../../src/wire/durable-record.ts';
import { decodeJoinAnswer, encodeJoinAnswer } from '../../../src/wire/join-answer.ts';
import { decodeMeshMessage, encodeMeshMessage } from '../../../src/wire/mesh-message.ts';
import { decodeRequest, encodeRequest, isRequestFrame } from '../../../src/wire/request-message.ts';
import { arbitraryFact } from '../../core/arbitrary-event.ts';
import { type FuzzTarget, firstByteChooses, holdEqual, textOfInput, textSeeds } from '../fuzz-target.ts';

const A = nodeId('a'.repeat(26));
const PAYLOAD_BYTES_MOST = 4_096;
const PROOF = new Uint8Array(96).fill(1);
const BODIES = fc
  .sample(arbitraryFact, { seed: 1, numRuns: 6 })
  .map((fact, index) => encodeRecordBody({ origin: A, epoch: 1, seq: index + 1 }, fact));
const ENTRY = { origin: A, epoch: 1, through: 9 };
const RECORDS = BODIES.slice(0, 2).map(body => ({ ageMs: 5, proof: PROOF, body }));

const MESSAGES = [
  encodeMeshMessage({
    kind: 'hello',
    plimsollVersion: '0.1.0',
    vectors: [ENTRY],
    live: [],
    neighboursVersion: 1,
    neighbours: [A],
  }),
  encodeMeshMessage({ kind: 'want', wants: [ENTRY] }),
  encodeMeshMessage({ kind: 'records', origin: A, epoch: 1, after: 0, through: 2, records: RECORDS }),
  encodeMeshMessage({ kind: 'fork', origin: A, epoch: 1, records: RECORDS }),
  encodeMeshMessage({
    kind: 'live',
    entries: BODIES.map((body, index) => ({ ageMs: 1, body, ...(index % 2 === 0 ? {} : { proof: PROOF }) })),
  }),
  encodeMeshMessage({ kind: 'digest', vectors: [ENTRY], live: [ENTRY], neighboursVersion: 3 }),
  encodeMeshMessage({ kind: 'neighbours', version: 2, base: 1, added: [A], removed: [] }),
  encodeMeshMessage({ kind: 'ask-neighbours' }),
];

const REQUESTS = [
  encodeRequest({ kind: 'ask', id: 1, topic: 'lease', timeoutMs: 1_000, body: { options: [1, 'x', null] } }),
  encodeRequest({ kind: 'answer', id: 1, body: true }),
  encodeRequest({ kind: 'refusal', id: 1, reason: 'busy' }),
].filter(frame => frame !== undefined);

/** The first byte selects how the rest is cut into chunks. */
const readFrames = (input: Uint8Array): unknown => {
  const step = (input[0] ?? 0) % 64;
  const decoder = new FrameDecoder(PAYLOAD_BYTES_MOST);
  const stream = input.subarray(1);
  const whole: Uint8Array[] = [];
  for (let at = 0; at < stream.length; at += step + 1) {
    decoder.push(stream.slice(at, at + step + 1));
    if (decoder.bufferedBytes > PAYLOAD_BYTES_MOST + 1 + 16_384)
      throw new Error(`it holds ${decoder.bufferedBytes} bytes`);
    for (let frame = decoder.next(); frame !== undefined; frame = decoder.next()) {
      if (frame.kind === 'malformed') return checkWhole(whole, stream);
      whole.push(Buffer.concat([frameHead(frame.type, frame.payload.length), frame.payload]));
    }
  }
  return checkWhole(whole, stream);
};

const checkWhole = (frames: readonly Uint8Array[], stream: Uint8Array): void => {
  const all = Buffer.concat(frames);
  if (all.compare(stream, 0, all.length) !== 0) throw new Error('frames are not the bytes that came');
};

const readMessage = (input: Uint8Array): unknown => {
  if (isRequestFrame(input)) {
    const decoded = decodeRequest(input);
    if (decoded.kind === 'message') {
      const again = encodeRequest(decoded.message);
      // A number may be written longer than it came (1e21), so a frame at the bound may not fit again.
      if (again !== undefined) holdEqual('a request', decodeRequest(again), decoded);
    }
    return decoded;
  }
  const decoded = decodeMeshMessage(input);
  if (decoded.kind !== 'message') return decoded;
  holdEqual('a message', decodeMeshMessage(encodeMeshMessage(decoded.message)), decoded);
  return decoded.message.kind === 'live'
    ? decoded.message.entries.map(entry => readLive(entry, 1_000))
    : decoded.message;
};

export const target: FuzzTarget = {
  name: 'mesh-frames',
  covers: [
    'src/channel/frame-decoder.ts',
    'src/wire/mesh-message.ts',
    'src/wire/request-message.ts',
    'src/wire/version-vector.ts',
    'src/wire/join-answer.ts',
    'src/wire/shallow-json.ts',
    'src/mesh/link/peer-link.ts',
    'src/mesh/replication/live-read.ts',
  ],
  ...firstByteChooses([
    {
      seeds: [0, 3, 63].map(step =>
        Buffer.concat([Buffer.of(step), frameHead(1, 3), Buffer.from('abc'), frameHead(2, 0)]),
      ),
      run: readFrames,
    },
    { seeds: [...MESSAGES, ...REQUESTS], run: readMessage },
    {
      seeds: [
        encodeHello({
          identity: { nodeId: A, publicKey: new Uint8Array(32).fill(4), sign: () => new Uint8Array(64) },
          start: 1,
          instance: new Uint8Array(16),
        }),
      ],
      run: decodeHello,
    },
    { seeds: [encodeBye('stopped', 'good night')], run: decodeBye },
    {
      seeds: textSeeds(encodeJoinAnswer({ kind: 'refused', reason: 'expired' })),
      run: input => decodeJoinAnswer(textOfInput(input)),
    },
  ]),
};
