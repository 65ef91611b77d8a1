// What nodes send to each other in version 1 of the formats: before a link, over it, and outside of it. And the same with fields
// that no version has, or without those that are not needed.

import { describe, expect, it, test } from 'vitest';
import { eventClass, isEventKind } from '../../src/core/event-kinds.ts';
import { nodeId } from '../../src/core/ids.ts';
import { NOT_REPORTED } from '../../src/core/schema.ts';
import { checkBeacon } from '../../src/mesh/discovery/beacon-channel.ts';
import { decodeBye } from '../../src/mesh/link/peer-link.ts';
import {
  answeredNonce,
  checkKey,
  encodeAnswer,
  isAnswerOf,
  readQuestion,
} from '../../src/mesh/reachability/check-message.ts';
import { decodeHello } from '../../src/mesh/tls/authentication.ts';
import { decodeAnswer, decodeLeaseRequest, decodeReturn } from '../../src/probe/lease/lease-message.ts';
import { decodeRecordBody } from '../../src/wire/durable-record.ts';
import { decodeMeshMessage } from '../../src/wire/mesh-message.ts';
import { decodeRequest, isRequestFrame } from '../../src/wire/request-message.ts';
import { holds, pinnedFacts, pinnedText, withUnreported } from '../support/pinned-version.ts';

interface Pinned {
  readonly message: { readonly kind: string; readonly [name: string]: unknown };
  readonly frame: string;
}

const { messages, requests }: { readonly messages: readonly Pinned[]; readonly requests: readonly Pinned[] } =
  JSON.parse(pinnedText('mesh-frames.json'));
const receipt = { ageMs: 20, receivedAtMs: 0 };

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(Buffer.from(base64, 'base64'));

/** Bytes as base64, as the fixture has them. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_name, inner: unknown) =>
      inner instanceof Uint8Array ? Buffer.from(inner).toString('base64') : inner,
    ),
  );

const named = (all: readonly Pinned[]) =>
  all.map((pinned, index) => [`${pinned.message.kind} ${index}`, pinned] as const);

/** The JSON of a frame changed, and its head kept. */
const changed = (
  frame: Uint8Array,
  change: (fields: Readonly<Record<string, unknown>>) => object,
): Uint8Array => {
  const fields: Readonly<Record<string, unknown>> = JSON.parse(new TextDecoder().decode(frame.subarray(2)));
  return Uint8Array.from([...frame.subarray(0, 2), ...Buffer.from(JSON.stringify(change(fields)))]);
};

describe('a frame of the mesh', () => {
  it.each(named(messages))('reports what it reported: %s', (_name, { message, frame }) => {
    expect(plain(decodeMeshMessage(bytesOf(frame)))).toEqual({ kind: 'message', message });
  });

  const inJson = messages.filter(({ message }) => !['records', 'fork', 'live'].includes(message.kind));

  it.each(named(inJson))('reports it with an additional, unknown field: %s', (_name, { message, frame }) => {
    const more = changed(bytesOf(frame), fields => ({ ...fields, tide: { metres: [3, null] } }));
    expect(decodeMeshMessage(more)).toEqual({ kind: 'message', message });
  });

  it('of hello is one without the version of its program too', () => {
    const [hello] = messages.filter(({ message }) => message.kind === 'hello');
    if (hello === undefined) throw new Error('no hello is pinned');
    const silent = changed(bytesOf(hello.frame), ({ plimsollVersion: _version, ...fields }) => fields);
    expect(decodeMeshMessage(silent)).toEqual({
      kind: 'message',
      message: { ...hello.message, plimsollVersion: NOT_REPORTED },
    });
  });
});

test('every fact is read from the records and live events of the frames', () => {
  const bodies = messages.flatMap(
    ({ message: { kind, records, entries } }): readonly { readonly body: string }[] =>
      kind === 'fork' ? [] : JSON.parse(JSON.stringify(records ?? entries ?? [])),
  );
  const read = bodies.map(({ body }) => {
    const decoded = decodeRecordBody(bytesOf(body), receipt);
    if (decoded.kind !== 'event' || decoded.event.kind === 'unknown')
      throw new Error(JSON.stringify(decoded));
    const { kind, key, payload } = decoded.event;
    return { kind, class: eventClass(kind), key, payload };
  });
  // Compaction left the newest of each key.
  for (const fact of pinnedFacts())
    if (isEventKind(fact.kind) && fact.class === 'live') expect(holds(read, fact), fact.kind).toBe(true);
  for (const fact of read)
    expect(pinnedFacts().map(written => withUnreported(written, fact))).toContainEqual(fact);
  expect(read.length).toBeGreaterThan(30);
});

describe('a question between nodes', () => {
  it.each(named(requests))('and its answer report what they reported: %s', (_name, { message, frame }) => {
    expect(isRequestFrame(bytesOf(frame))).toBe(true);
    expect(decodeRequest(bytesOf(frame))).toEqual({ kind: 'message', message });
    const more = changed(bytesOf(frame), fields => ({ ...fields, tide: 3 }));
    expect(decodeRequest(more)).toEqual({ kind: 'message', message });
  });

  it.each(named(requests.filter(({ message }) => message['body'] !== undefined && message['body'] !== null)))(
    'about a lease is understood, with an unknown field as well: %s',
    (_name, { message: { kind, topic, body } }) => {
      const decode =
        kind === 'answer' ? decodeAnswer : topic === 'probe.lease' ? decodeLeaseRequest : decodeReturn;
      const reported = JSON.parse(JSON.stringify(body));
      expect(decode(reported)).toEqual(reported);
      expect(decode({ ...reported, tide: { metres: 3 } })).toEqual(reported);
    },
  );
});

test('the first words of a link, its last ones, and what is reported outside of links are understood', () => {
  const meeting = JSON.parse(pinnedText('mesh-meeting.json'));
  const node = nodeId(meeting.nodeId);
  expect(decodeHello(bytesOf(meeting.hello.bytes))).toEqual({
    kind: 'hello',
    hello: {
      nodeId: node,
      publicKey: bytesOf(meeting.publicKey),
      start: meeting.hello.start,
      instance: meeting.hello.instance,
    },
  });
  expect(decodeBye(bytesOf(meeting.bye.bytes))).toEqual({
    reason: meeting.bye.reason,
    detail: meeting.bye.detail,
  });
  const secret = bytesOf(meeting.secret);
  expect(checkBeacon(bytesOf(meeting.beacon.bytes), [secret])).toMatchObject({
    kind: 'beacon',
    beacon: { version: meeting.beacon.version, port: meeting.beacon.port },
  });
  const question = readQuestion(bytesOf(meeting.question), [checkKey(secret)]);
  if (question === undefined) throw new Error('the question is not understood');
  const answer = bytesOf(meeting.answer);
  expect(answeredNonce(answer)).toEqual(question.nonce);
  expect(isAnswerOf(answer, question, node)).toBe(true);
  expect(Buffer.from(encodeAnswer(question, node)).toString('base64')).toBe(meeting.answer);
});
