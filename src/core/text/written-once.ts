// A value as JSON, written once a value: what a picture is compared by each second is what is sent of it.

export const writtenOnce = (value: object): string => {
  const held = WRITTEN.get(value);
  if (held !== undefined) return held;
  const text = JSON.stringify(value);
  WRITTEN.set(value, text);
  return text;
};

// Only a cache: values are immutable, and go with whoever holds them.
const WRITTEN = new WeakMap<object, string>();
