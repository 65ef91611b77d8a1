// Text for a place that cannot grow: names and models are anybody's, the map's words are not.

export const elided = (text: string, lengthMax: number): string => {
  const characters = [...text];
  return characters.length <= lengthMax
    ? text
    : `${characters
        .slice(0, lengthMax - 1)
        .join('')
        .trimEnd()}…`;
};
