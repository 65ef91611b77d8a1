// Every number in a value, however deep: for tests that no parser gives one that is not finite. JSON shows those as null,
// and a text may hold that word.

export const figuresIn = (value: unknown): readonly number[] => {
  if (typeof value === 'number') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(figuresIn);
};
