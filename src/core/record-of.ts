// An object with one value per key of a table, so that none is missing and none can be read that does not
// exist.

/** @throws TypeError if a key has no value: the keys were not those of the type. */
// @__NO_SIDE_EFFECTS__
export const recordOf = <Key extends string, Value>(
  keys: readonly Key[],
  toValue: (key: Key) => Value,
): Readonly<Record<Key, Value>> => {
  const made: Partial<Record<Key, Value>> = {};
  for (const key of keys) made[key] = toValue(key);
  // A copy has its properties in place; an object that grew key by key is a dictionary, which is slower to
  // read (V8).
  const whole = { ...made };
  if (!isWhole(whole, keys)) throw new TypeError('a key of a table has no value');
  return whole;
};

const isWhole = <Key extends string, Value>(
  made: Partial<Record<Key, Value>>,
  keys: readonly Key[],
): made is Record<Key, Value> => keys.every(key => Object.hasOwn(made, key));
