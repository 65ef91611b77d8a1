// Text for a place of fixed width: names and models may have any length.

export const elided = (text: string, lengthMax: number): string => {
  const characters = [...text];
  return characters.length <= lengthMax
    ? text
    : `${characters
        .slice(0, lengthMax - 1)
        .join('')
        .trimEnd()}…`;
};
