// The headers that an API requires, in addition to the user's own, which override them.

import type { ServerApi } from './api/server-api.ts';
import type { HeaderField } from './load-target.ts';

export const withApiHeaders = (
  given: readonly HeaderField[],
  { headers = [] }: Pick<ServerApi, 'headers'>,
): readonly HeaderField[] => {
  const names = new Set(given.map(({ name }) => name.toLowerCase()));
  return [...headers.filter(({ name }) => !names.has(name)), ...given];
};
