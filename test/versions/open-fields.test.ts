// The rule of docs/decisions/0016, held for every kind of event: a field that a version does not report is unknown, and
// one that it adds is kept. The payloads are those of version 1 of the formats.

import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { apply } from '../../src/core/apply.ts';
import type { Event } from '../../src/core/event.ts';
import { EVENT_KINDS, KINDS } from '../../src/core/event-kinds.ts';
import { nodeId } from '../../src/core/ids.ts';
import { isJsonObject } from '../../src/core/json.ts';
import {
  NOT_REPORTED,
  UNREAD_DEPTH_MAX,
  UNREAD_FIELDS_MAX,
  UNREAD_VALUES_MAX,
} from '../../src/core/schema.ts';
import { EMPTY_STATE } from '../../src/core/state.ts';
import { eventOf, eventsOf, recordedEvent } from '../../src/recording/recording-line.ts';
import { type DecodedRecord, decodeRecordBody } from '../../src/wire/durable-record.ts';
import { knownPayload } from '../../src/wire/event-schema.ts';
import { decodeSnapshot, encodeSnapshot } from '../../src/wire/stream-message.ts';
import { longCount } from '../support/counts.ts';
import { type PinnedFact, pinnedFacts, withUnreported } from '../support/pinned-version.ts';
import { schemaValues } from '../support/schema-values.ts';

type Path = readonly (string | number)[];

const facts = pinnedFacts();
const anyFact = fc.constantFrom(...facts);
const receipt = { ageMs: 0, receivedAtMs: 0 };
const position = { origin: nodeId('a'.repeat(26)), epoch: 1, seq: 1 };

const decoded = ({ kind, key }: PinnedFact, payload: unknown): DecodedRecord =>
  decodeRecordBody(
    new TextEncoder().encode(JSON.stringify({ version: 1, ...position, kind, key, payload })),
    receipt,
  );

/** @throws where it is not read as its kind. */
const payloadRead = (fact: PinnedFact, payload: unknown): unknown => {
  const result = decoded(fact, payload);
  if (result.kind !== 'event' || result.event.kind === 'unknown')
    throw new Error(`${fact.kind}: ${JSON.stringify(result)}`);
  return result.event.payload;
};

describe('a payload', () => {
  it.each(facts.map(fact => [`${fact.kind} ${fact.key}`, fact] as const))(
    'of %s is read as it was written',
    (_name, fact) => {
      const read = payloadRead(fact, fact.payload);
      expect(read).toEqual(withUnreported(fact.payload, read));
    },
  );

  it('without a field that may be unknown is read, and the field is unknown because its version did not report it', () => {
    const paths = facts.flatMap(fact => reportedPaths(fact).map(path => ({ fact, path })));
    expect(paths.length).toBeGreaterThan(100);
    for (const { fact, path } of paths) {
      const read = payloadRead(fact, without(fact.payload, path));
      const expected = put(fact.payload, path, NOT_REPORTED);
      expect(read, `${fact.kind} ${path.join('.')}`).toEqual(withUnreported(expected, read));
    }
  });

  it('without any of such fields at once is read, and the rest of it is as it was', () => {
    const lacking = anyFact.chain(fact =>
      fc.subarray([...reportedPaths(fact)]).map(paths => ({ fact, paths })),
    );
    fc.assert(
      fc.property(lacking, ({ fact, paths }) => {
        const sent = paths.reduce(without, fact.payload);
        const expected = paths.reduce((value, path) => put(value, path, NOT_REPORTED), fact.payload);
        const read = payloadRead(fact, sent);
        expect(read).toEqual(withUnreported(expected, read));
      }),
      { numRuns: longCount(200, 5_000) },
    );
  });

  it('with an unknown field is read, and keeps it, at any depth', () => {
    const extended = fc
      .tuple(anyFact, fc.nat(), newName, fc.jsonValue({ maxDepth: UNREAD_DEPTH_MAX - 2 }))
      .map(([fact, index, name, value]) => {
        const paths = objectPaths(fact);
        const path = paths[index % paths.length] ?? [];
        return { fact, payload: put(fact.payload, [...path, name], value) };
      });
    fc.assert(
      fc.property(extended, ({ fact, payload }) => {
        fc.pre(!JSON.stringify(payload).includes('"__proto__"'));
        // JSON has no −0.
        const read = payloadRead(fact, payload);
        expect(read).toEqual(withUnreported(JSON.parse(JSON.stringify(payload)), read));
      }),
      { numRuns: longCount(500, 20_000) },
    );
  });
});

describe('the schema of a payload', () => {
  it.each(KINDS.map(kind => [kind]))('is open at every depth: %s', kind => {
    const objects = [...objectsIn(EVENT_KINDS[kind].schema)];
    expect(objects.length).toBeGreaterThan(0);
    for (const object of objects) {
      fc.assert(
        fc.property(schemaValues(object), value => {
          const more = { ...Object(value), 'new field': [{ height: 3 }] };
          expect(v.parse(object, more), Object.keys(object).join(' ')).toEqual(more);
        }),
        { numRuns: 1 },
      );
    }
  });

  it('keeps every known field of a payload, and removes those that a future version has added', () => {
    for (const { kind, payload } of facts)
      for (const known of KINDS.filter(one => one === kind)) {
        expect(knownPayload(known, payload)).toEqual(payload);
        for (const path of objectPaths({ kind, payload }))
          expect(knownPayload(known, put(payload, [...path, 'new field'], { juno: 3 }))).toEqual(payload);
      }
  });
});

describe('what State holds of a payload', () => {
  const stored = facts.filter(({ kind }) => kind !== 'connection.closed');

  it.each(stored.map(fact => [`${fact.kind} ${fact.key}`, fact] as const))(
    'of %s goes whole into the stream and into a recording, with unknown fields',
    (_name, fact) => {
      for (const path of objectPaths(fact)) {
        const payload = put(fact.payload, [...path, 'new field'], { heights: [1, null, 'low'] });
        const read = decoded(fact, payload);
        if (read.kind !== 'event') throw new Error(read.reason);
        const event: Event = { ...read.event, class: fact.class };
        const text = encodeSnapshot({
          daemonStart: 'x',
          nodeId: position.origin,
          plimsollVersion: '9',
          nowMs: 0,
          state: apply(EMPTY_STATE, event),
        }).text;
        const [back] = eventsOf(decodeSnapshot(text, 0).state, position.origin);
        if (back === undefined || back.kind === 'unknown') throw new Error('it is gone');
        expect(back.payload, path.join('.')).toEqual(withUnreported(payload, back.payload));
        const line = JSON.stringify(recordedEvent(back, 0));
        expect(eventOf(JSON.parse(line), 0), path.join('.')).toEqual({ ...event, kind: back.kind });
      }
    },
  );

  it('is empty for what an older daemon does not know', () => {
    const { nodeMemories: _memories, ...older } = EMPTY_STATE;
    const message = { daemonStart: 'x', nodeId: position.origin, plimsollVersion: '0', nowMs: 0 };
    const text = JSON.stringify({ version: 1, ...message, state: older });
    expect(decodeSnapshot(text, 0).state).toEqual(EMPTY_STATE);
  });
});

describe('an unknown field', () => {
  const [memory] = facts.filter(({ kind }) => kind === 'memory.gathered');
  if (memory === undefined) throw new Error('nothing of memory is pinned');
  // With the fields that have been added since.
  const whole = payloadRead(memory, memory.payload);
  const readWith = (fields: object): unknown => payloadRead(memory, { ...Object(whole), ...fields });
  const nested = (depth: number): unknown => (depth === 1 ? 0 : [nested(depth - 1)]);

  it.each([
    ['as deep as the bound', nested(UNREAD_DEPTH_MAX)],
    ['of as many values as the bound', Array(UNREAD_VALUES_MAX - 1).fill(0)],
    ['with names that mean something', { constructor: 1, toString: 2 }],
  ])('%s is kept', (_what, value) => {
    expect(readWith({ tide: value })).toEqual({ ...Object(whole), tide: value });
  });

  it.each([
    ['deeper than the bound', nested(UNREAD_DEPTH_MAX + 1)],
    ['of more values than the bound', Array(UNREAD_VALUES_MAX).fill(0)],
    ['with a text longer than the bound', 'x'.repeat(1_025)],
    ['with a name longer than the bound', { ['x'.repeat(65)]: 0 }],
    ['that would be a prototype', JSON.parse('[{"__proto__": {"isAdmin": true}}]')],
  ])('%s is left out, and the event is read', (_what, value) => {
    expect(readWith({ tide: value })).toEqual(whole);
  });

  it.each(['__proto__', 'constructor', 'toString', 'x'.repeat(65)])('called %s is left out', name => {
    const read = payloadRead(memory, put(whole, [name], { isAdmin: true }));
    expect(read).toEqual(whole);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });

  it('is one of so many that are kept', () => {
    const many = Object.fromEntries(Array.from({ length: UNREAD_FIELDS_MAX + 5 }, (_, i) => [`tide${i}`, i]));
    const read = Object.keys(Object(readWith(many)));
    expect(read.filter(name => name.startsWith('tide'))).toHaveLength(UNREAD_FIELDS_MAX);
  });

  it('nested a hundred thousand deep makes its record unreadable, and costs nobody the stack', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const body = JSON.stringify({
      version: 1,
      ...position,
      kind: memory.kind,
      key: '',
      payload: memory.payload,
    });
    const sent = new TextEncoder().encode(body.replace(/\}\}$/, `,"tide":${deep}}}`));
    const read = decodeRecordBody(sent, receipt);
    expect(read).toMatchObject({ kind: 'refused' });
    const unknownKind = body
      .replace('memory.gathered', 'tide.turned')
      .replace(/"payload":.*$/, `"payload":${deep}}`);
    const passed = decodeRecordBody(new TextEncoder().encode(unknownKind), receipt);
    expect(passed).toMatchObject({ kind: 'refused' });
    expect(() => JSON.stringify([read, passed])).not.toThrow();
  });
});

/** Every object in a schema: in its fields, variants, lists and mappings. */
function* objectsIn(schema: v.GenericSchema): Generator<v.GenericSchema> {
  if (schema.type === 'object') yield schema;
  const {
    entries = {},
    options = [],
    item,
    wrapped,
    value,
  }: Partial<Record<string, unknown>> = { ...schema };
  for (const inner of [
    ...Object.values(Object(entries)),
    ...Object.values(Object(options)),
    item,
    wrapped,
    value,
  ])
    if (isSchema(inner)) yield* objectsIn(inner);
}

const isSchema = (value: unknown): value is v.GenericSchema =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'schema';

/** Mappings whose names are values themselves: percentiles, series, figures of a baseline. */
const MAPPINGS = new Set(['percentiles', 'series', 'medians']);
/** Here unknown means that the probe failed, with the reason: every version reports it. */
const ALWAYS_REPORTED = new Set(['failure']);

/** Of no field that there is. */
const newName = fc.string({ maxLength: 60 }).map(name => `new ${name}`);

/** Everything in a payload with its path. */
function* valuesIn(
  value: unknown,
  path: Path = [],
): Generator<{ readonly value: unknown; readonly path: Path }> {
  yield { value, path };
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value))
    yield* valuesIn(inner, [...path, Array.isArray(value) ? Number(name) : name]);
}

const isInMapping = (path: Path): boolean => path.some(name => MAPPINGS.has(String(name)));

/** Where an unknown is read as such. */
const reportedPaths = (fact: PinnedFact): readonly Path[] =>
  [...valuesIn(fact.payload)]
    .map(({ path }) => path)
    .filter(path => {
      const last = path.at(-1);
      if (typeof last !== 'string' || ALWAYS_REPORTED.has(last)) return false;
      const unknown = { kind: 'unknown', reason: 'x' };
      const read = decoded(fact, put(fact.payload, path, unknown));
      // An object of nothing but such fields takes it as well, for one with a field that it does not know.
      if (read.kind !== 'event' || !('payload' in read.event)) return false;
      return isDeepStrictEqual(valueAt(read.event.payload, path), unknown);
    })
    // An unknown inside of one that may be unknown as a whole has no path of its own once that is gone.
    .filter((path, _index, all) => !all.some(other => other.length < path.length && isPrefix(other, path)));

const valueAt = (value: unknown, [name, ...rest]: Path): unknown =>
  name === undefined ? value : valueAt(Object(value)[name], rest);

const isPrefix = (prefix: Path, path: Path): boolean => prefix.every((name, index) => path[index] === name);

const objectPaths = (fact: Pick<PinnedFact, 'kind' | 'payload'>): readonly Path[] =>
  [...valuesIn(fact.payload)]
    .filter(({ value, path }) => isJsonObject(value) && !isInMapping(path))
    .map(({ path }) => path);

const put = (value: unknown, [name, ...rest]: Path, inner: unknown): unknown => {
  if (name === undefined) return inner;
  if (Array.isArray(value)) return value.map((one, index) => (index === name ? put(one, rest, inner) : one));
  const object = isJsonObject(value) ? value : {};
  const own = Object.hasOwn(object, name) ? object[name] : undefined;
  // By definition, not assignment: the name may be "__proto__".
  return Object.fromEntries([
    ...Object.entries(object).filter(([key]) => key !== name),
    [name, put(own, rest, inner)],
  ]);
};

const without = (value: unknown, path: Path): unknown => {
  const [name, ...rest] = path;
  if (Array.isArray(value)) return value.map((one, index) => (index === name ? without(one, rest) : one));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      if (key !== name) return [[key, inner]];
      return rest.length === 0 ? [] : [[key, without(inner, rest)]];
    }),
  );
};
