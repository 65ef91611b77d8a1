// Whether a value matches a JSON schema, by the keywords that tools and structured outputs use (JSON Schema
// 2020-12, without formats and conditions). A schema with another keyword is not checked partially:
// `unjudged` names the keyword.

import { isJsonObject, type JsonObject } from './json.ts';

/** The first keyword of a schema, or of a nested one, that is not supported; undefined: all are. */
export const unjudged = (schema: unknown, depth = 0): string | undefined => {
  if (typeof schema === 'boolean') return undefined;
  if (!isJsonObject(schema) || depth > SCHEMA_DEPTH_MAX) return 'an invalid schema, or one nested too deep';
  for (const [name, value] of Object.entries(schema)) {
    if (!JUDGED.has(name) && !REMARKS.has(name)) return name;
    for (const inner of innerSchemas(name, value)) {
      const found = unjudged(inner, depth + 1);
      if (found !== undefined) return found;
    }
  }
  return undefined;
};

const innerSchemas = (name: string, value: unknown): readonly unknown[] => {
  if (name === 'properties' || name === '$defs' || name === 'definitions')
    return isJsonObject(value) ? Object.values(value) : [];
  if (name === 'anyOf' || name === 'oneOf' || name === 'allOf') return Array.isArray(value) ? value : [];
  return name === 'items' || name === 'additionalProperties' || name === 'not' ? [value] : [];
};

/** @param schema one for which `unjudged` returns undefined */
export const fitsSchema = (value: unknown, schema: unknown): boolean =>
  fits(value, schema, { root: schema, depth: 0 });

interface SchemaContext {
  readonly root: unknown;
  readonly depth: number;
}

const fits = (value: unknown, schema: unknown, { root, depth }: SchemaContext): boolean => {
  if (typeof schema === 'boolean') return schema;
  // A schema that refers to itself without descending into the value would never end.
  if (!isJsonObject(schema) || depth > SCHEMA_DEPTH_MAX) return false;
  const inside = { root, depth: depth + 1 };
  const within = (inner: unknown): boolean => fits(value, inner, inside);
  const { $ref: reference, type, enum: choices, anyOf, oneOf, allOf, not } = schema;
  if (reference !== undefined && !within(referred(root, reference))) return false;
  if (type !== undefined && ![type].flat().some(name => isOfType(value, name))) return false;
  if (Array.isArray(choices) && !choices.some(choice => isSame(choice, value))) return false;
  if (Object.hasOwn(schema, 'const') && !isSame(schema['const'], value)) return false;
  if (Array.isArray(anyOf) && !anyOf.some(within)) return false;
  if (Array.isArray(oneOf) && oneOf.filter(within).length !== 1) return false;
  if (Array.isArray(allOf) && !allOf.every(within)) return false;
  if (not !== undefined && within(not)) return false;
  if (typeof value === 'number') return isInRange(value, schema);
  if (typeof value === 'string') return isText(value, schema);
  if (Array.isArray(value)) return isList(value, schema, inside);
  return !isJsonObject(value) || isObject(value, schema, inside);
};

/** "#", "#/$defs/name": other references point outside this document. */
const referred = (root: unknown, reference: unknown): unknown => {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return false;
  let found: unknown = root;
  for (const part of reference.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    found = isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return found ?? false;
};

const isOfType = (value: unknown, type: unknown): boolean => {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
};

const isInRange = (value: number, schema: JsonObject): boolean =>
  value >= limit(schema['minimum'], Number.NEGATIVE_INFINITY) &&
  value <= limit(schema['maximum'], Number.POSITIVE_INFINITY) &&
  value > limit(schema['exclusiveMinimum'], Number.NEGATIVE_INFINITY) &&
  value < limit(schema['exclusiveMaximum'], Number.POSITIVE_INFINITY);

const isText = (value: string, schema: JsonObject): boolean => {
  const length = [...value].length;
  return (
    length >= limit(schema['minLength'], 0) && length <= limit(schema['maxLength'], Number.POSITIVE_INFINITY)
  );
};

const isList = (value: readonly unknown[], schema: JsonObject, context: SchemaContext): boolean => {
  if (value.length < limit(schema['minItems'], 0)) return false;
  if (value.length > limit(schema['maxItems'], Number.POSITIVE_INFINITY)) return false;
  const { items } = schema;
  return items === undefined || value.every(item => fits(item, items, { ...context, depth: 0 }));
};

const isObject = (value: JsonObject, schema: JsonObject, context: SchemaContext): boolean => {
  const { required, properties, additionalProperties: others } = schema;
  if (
    Array.isArray(required) &&
    !required.every(name => typeof name === 'string' && Object.hasOwn(value, name))
  )
    return false;
  const known = isJsonObject(properties) ? properties : {};
  return Object.entries(value).every(([name, inner]) => {
    const own = Object.hasOwn(known, name) ? known[name] : others;
    return own === undefined || fits(inner, own, { ...context, depth: 0 });
  });
};

const limit = (given: unknown, otherwise: number): number => (typeof given === 'number' ? given : otherwise);

const isSame = (a: unknown, b: unknown): boolean => {
  if (a === b) return true;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((each, at) => isSame(each, b[at]));
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every(name => Object.hasOwn(b, name) && isSame(a[name], b[name]))
  );
};

const JUDGED: ReadonlySet<string> = new Set([
  ...[
    'type',
    'enum',
    'const',
    'properties',
    'required',
    'additionalProperties',
    'items',
    'minItems',
    'maxItems',
  ],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minLength', 'maxLength'],
  ...['anyOf', 'oneOf', 'allOf', 'not', '$ref', '$defs', 'definitions'],
]);
/** Annotations, which do not affect validity. */
const REMARKS: ReadonlySet<string> = new Set([
  ...['$schema', '$id', '$comment', 'title', 'description', 'default', 'examples', 'deprecated', 'strict'],
]);
/** Nesting of schemas, and length of a chain of references. Listed in docs/limits.md. */
const SCHEMA_DEPTH_MAX = 64;
