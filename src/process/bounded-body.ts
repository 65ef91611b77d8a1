// The body of a reply to fetch(), which has decompressed it: taken up to a limit, and not a byte further.

/** Undefined for a longer one, of which the rest is cancelled. @throws what ended the body */
export const boundedBody = async (response: Response, bytesMax: number): Promise<Buffer | undefined> => {
  const parts: Uint8Array[] = [];
  let taken = 0;
  for await (const part of response.body ?? []) {
    taken += part.byteLength;
    // Leaving the loop cancels the body.
    if (taken > bytesMax) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts, taken);
};
