import { describe, expect, it } from 'vitest';
import { parseComputerName } from '../../../src/gather/scutil/parse-scutil.ts';

describe('scutil --get ComputerName', () => {
  it('keeps the name as the person wrote it', () => {
    expect(parseComputerName('Lena’s Mac Studio\n')).toBe('Lena’s Mac Studio');
  });

  it.each(['', '\n', 'ComputerName: not set\n', 'HostName: not set'])('takes %j for no name', text => {
    expect(parseComputerName(text)).toBeUndefined();
  });

  it('bounds a name without end', () => {
    expect(parseComputerName('x'.repeat(5_000))).toHaveLength(200);
  });
});
