// Every row of the table, by the contract.

import { expect, test } from 'vitest';
import { SERVER_APIS, serverApi } from '../../../../src/bench/target/api/server-apis.ts';
import { describeServerApi } from '../../../contract/server-api-contract.ts';

for (const api of SERVER_APIS) describeServerApi(api);

test('a server API is found by its name, and no other has it', () => {
  for (const api of SERVER_APIS) expect(serverApi(api.name)).toBe(api);
  expect(new Set(SERVER_APIS.map(({ name }) => name)).size).toBe(SERVER_APIS.length);
  expect(() => serverApi('gopher')).toThrow(/no server API gopher/);
});
