// Any value that a schema of valibot accepts, made from the schema itself: additions to a schema are covered without a change
// here. The limits come out as often as what is between them.

import fc from 'fast-check';
import { nodeId } from '../../src/core/ids.ts';

/** What valibot's schemas are made of, as far as it is looked at here. */
export interface SchemaShape {
  readonly type: string;
  readonly message?: unknown;
  readonly entries?: unknown;
  readonly options?: unknown;
  readonly items?: unknown;
  readonly item?: unknown;
  readonly wrapped?: unknown;
  readonly key?: unknown;
  readonly value?: unknown;
  readonly literal?: unknown;
  readonly pipe?: unknown;
  readonly requirement?: unknown;
}

/** @throws Error for a schema that it cannot make values of. */
export const schemaValues = (schema: SchemaShape): fc.Arbitrary<unknown> => {
  switch (schema.type) {
    case 'object':
      return objectOf(schema);
    case 'variant':
    case 'union':
      return fc.oneof(...shapesIn(schema.options).map(schemaValues));
    case 'picklist':
      return fc.constantFrom(...listOf(schema.options));
    case 'literal':
      return fc.constant(schema.literal);
    case 'boolean':
      return fc.boolean();
    case 'string':
      return textOf(rulesOf(schema));
    case 'number':
      return numberOf(rulesOf(schema));
    case 'array':
      return arrayOf(schema);
    case 'tuple':
      return fc.tuple(...shapesIn(schema.items).map(schemaValues));
    case 'record':
      return mappingOf(schema);
    case 'nullable':
      return fc.option(schemaValues(shapeOf(schema.wrapped)));
    case 'exact_optional':
      return schemaValues(shapeOf(schema.wrapped));
    case 'instance':
      // Bytes are the only instances that travel.
      return fc.uint8Array({ maxLength: SHORT_MAX });
    case 'custom':
      return idOf(schema);
    default:
      throw new Error(`nothing is known of a schema of type ${schema.type}`);
  }
};

const objectOf = ({ entries }: SchemaShape): fc.Arbitrary<unknown> => {
  const fields = Object.entries(Object(entries)).map(([name, entry]) => [name, shapeOf(entry)] as const);
  // A field that may be missing and is then unknown is missing only if another version wrote it.
  const required = fields.filter(([, shape]) => shape.type !== 'exact_optional' || 'default' in shape);
  return fc.record(Object.fromEntries(fields.map(([name, shape]) => [name, schemaValues(shape)])), {
    requiredKeys: required.map(([name]) => name),
  });
};

const arrayOf = (schema: SchemaShape): fc.Arbitrary<unknown> => {
  const item = schemaValues(shapeOf(schema.item));
  const { max_length: max = SHORT_MAX } = rulesOf(schema);
  // A thousand devices with a thousand ports each would take all day.
  const few = fc.array(item, { maxLength: SHORT_MAX });
  return Number(max) > FULL_MAX
    ? few
    : fc.oneof(few, fc.array(item, { minLength: Number(max), maxLength: Number(max) }));
};

const mappingOf = (schema: SchemaShape): fc.Arbitrary<unknown> => {
  const { max_entries: allowed = SHORT_MAX } = rulesOf(schema);
  // Of a list of one name no mapping has two.
  const { options } = shapeOf(schema.key);
  const max = Math.min(Number(allowed), Array.isArray(options) ? options.length : Number(allowed));
  // A reader leaves the names of Object.prototype out of a mapping.
  const key = schemaValues(shapeOf(schema.key))
    .map(String)
    .filter(name => !(name in {}) && name !== 'prototype');
  const value = schemaValues(shapeOf(schema.value));
  const full = { minKeys: max, maxKeys: max };
  return fc.oneof(
    fc.dictionary(key, value, { maxKeys: Math.min(max, SHORT_MAX) }),
    fc.dictionary(key, value, full),
  );
};

const textOf = ({ max_length: max, min_length: min = 0, regex }: Rules): fc.Arbitrary<string> => {
  if (regex instanceof RegExp)
    return fc.stringMatching(regex).filter(text => text.length <= Number(max ?? Number.POSITIVE_INFINITY));
  const longest = fc.constant('x'.repeat(Number(max ?? SHORT_MAX)));
  return fc.oneof(fc.string({ minLength: Number(min), maxLength: 20 }), longest);
};

const numberOf = ({
  min_value: min,
  gt_value: above,
  max_value: max,
  safe_integer: isWhole,
}: Rules): fc.Arbitrary<number> => {
  const smallest = above === undefined ? min : Number(above) + Number.MIN_VALUE;
  const least = Number(smallest ?? (isWhole === undefined ? -1e300 : Number.MIN_SAFE_INTEGER));
  const most = Number(max ?? (isWhole === undefined ? 1e300 : Number.MAX_SAFE_INTEGER));
  const between =
    isWhole === undefined
      ? fc.double({ min: least, max: most, noNaN: true })
      : fc.integer({ min: least, max: most });
  // JSON has no −0: adding 0 makes it 0.
  return fc.oneof(between, fc.constantFrom(least, most)).map(value => value + 0);
};

const idOf = ({ message }: SchemaShape): fc.Arbitrary<string> => {
  if (message === 'not a node id') return fc.constantFrom('a', 'b', 'z').map(sign => nodeId(sign.repeat(26)));
  if (message === 'not a run id') return fc.constantFrom('a', '20260102-030405-ab12');
  if (message === 'not the id of a comparison') return fc.constantFrom('c', '20260102-030405-ef56');
  if (message === 'not the id of a sweep') return fc.constantFrom('b', '20260102-030405-cd34');
  if (message === 'not the id of a document') return fc.constantFrom('d', '20260102-030405-0a1b');
  throw new Error(`nothing is known of a check that says ${String(message)}`);
};

/** What is asked of a value beyond its type, by the name of the rule. */
type Rules = Readonly<Record<string, unknown>>;

/** Of a pipe within a pipe as well. */
export const rulesOf = ({ pipe }: SchemaShape): Rules => {
  const rules: Record<string, unknown> = {};
  for (const step of pipe === undefined ? [] : shapesIn(pipe)) {
    if (step.pipe === undefined) rules[step.type] = step.requirement ?? true;
    else Object.assign(rules, rulesOf(step));
  }
  return rules;
};

export const shapeOf = (value: unknown): SchemaShape => {
  if (typeof value !== 'object' || value === null || !('type' in value) || typeof value.type !== 'string')
    throw new Error('not a schema');
  return { ...value, type: value.type };
};

export const listOf = (value: unknown): readonly unknown[] => {
  if (!Array.isArray(value)) throw new Error('not a list');
  return value;
};

export const shapesIn = (value: unknown): readonly SchemaShape[] => listOf(value).map(shapeOf);

const SHORT_MAX = 3;
const FULL_MAX = 64;
