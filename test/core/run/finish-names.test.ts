import { expect, test } from 'vitest';
import { finishMeaning } from '../../../src/core/run/finish-names.ts';

test.each(['abort', 'error', 'cancelled', 'timeout', 'insufficient_system_resource', 'network_error'])(
  'the engine gave up where it ends with %s',
  name => {
    expect(finishMeaning(name)).toBe('aborted');
    expect(finishMeaning(name.toUpperCase())).toBe('aborted');
  },
);

test('a name that no server is known to write has no meaning', () => {
  expect(finishMeaning('eager')).toBeUndefined();
});
