// Walks a JSON-like value along a path of URL segments. Own properties only: a path can never reach a prototype, a
// method or the length of an array.

export type Walked = { readonly kind: 'found'; readonly value: unknown } | { readonly kind: 'absent' };

/** Decoded segments of the path beneath a prefix; undefined when an escape in it is malformed. */
export const pathSegments = (path: string): readonly string[] | undefined => {
  const trimmed = path.replace(/^\//, '').replace(/\/$/, '');
  if (trimmed === '') return [];
  try {
    return trimmed.split('/').map(segment => decodeURIComponent(segment));
  } catch {
    return undefined;
  }
};

export const walkOwn = (root: unknown, segments: readonly string[]): Walked => {
  let value = root;
  for (const segment of segments) {
    if (typeof value !== 'object' || value === null) return { kind: 'absent' };
    if (Array.isArray(value) && !ARRAY_INDEX.test(segment)) return { kind: 'absent' };
    const property = Object.getOwnPropertyDescriptor(value, segment);
    if (property === undefined || !('value' in property)) return { kind: 'absent' };
    value = property.value;
  }
  return { kind: 'found', value };
};

const ARRAY_INDEX = /^(?:0|[1-9]\d{0,9})$/;
