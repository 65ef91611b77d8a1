import { describe, expect, it } from 'vitest';
import { parseComputerName, parseSwVers } from '../../../src/gather/system-profiler/parse-identity.ts';
import { forAnyOutput } from '../../support/arbitrary-output.ts';
import { fixture } from '../../support/fixture.ts';

describe('sw_vers', () => {
  it('gives name, version and build', () => {
    expect(parseSwVers(fixture('sw_vers/macos-27.txt'))).toEqual({
      name: 'macOS',
      version: '27.0',
      build: '26A428',
    });
  });

  it('joins the background security update to the version', () => {
    expect(parseSwVers(fixture('sw_vers/macos-26-with-extra.txt'))).toEqual({
      name: 'macOS',
      version: '26.3.1 (a)',
      build: '25D0000a',
    });
  });

  it('never throws', () => {
    forAnyOutput([fixture('sw_vers/macos-27.txt')], text => {
      expect(parseSwVers(text)).toBeTypeOf('object');
    });
  });
});

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
