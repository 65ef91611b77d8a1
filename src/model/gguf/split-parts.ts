// A model may be split over files named "…-00001-of-00005.gguf" (llama-gguf-split).

/** The names of all parts, in order; of a file that was not split its own. */
export const splitParts = (place: string): readonly string[] => {
  const found = SPLIT.exec(place);
  if (found === null) return [place];
  const [, stem = '', , countText = ''] = found;
  const count = Number(countText);
  if (count < 1 || count > PARTS_MAX) return [place];
  return Array.from(
    { length: count },
    (_, index) => `${stem}-${String(index + 1).padStart(5, '0')}-of-${countText}.gguf`,
  );
};

const SPLIT = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/;
const PARTS_MAX = 1_000;
