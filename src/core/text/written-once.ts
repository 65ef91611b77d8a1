// A value as JSON, written once per value: a picture is compared every second, and the same text is sent.

export const writtenOnce = (value: object): string => {
  const cached = WRITTEN.get(value);
  if (cached !== undefined) return cached;
  const text = JSON.stringify(value);
  WRITTEN.set(value, text);
  return text;
};

// Only a cache: values are immutable, and the entry is freed with the value.
const WRITTEN = new WeakMap<object, string>();
