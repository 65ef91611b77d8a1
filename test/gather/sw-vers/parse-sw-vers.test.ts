import { describe, expect, it } from 'vitest';
import { parseSwVers } from '../../../src/gather/sw-vers/parse-sw-vers.ts';
import { forAnyOutput } from '../../support/arbitrary-output.ts';
import { fixture } from '../../support/fixture.ts';

describe('sw_vers', () => {
  it('tells name, version and build', () => {
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
