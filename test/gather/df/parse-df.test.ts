import { describe, expect, it } from 'vitest';
import { parseDf, parseMounts } from '../../../src/gather/df/parse-df.ts';
import { forAnyOutput } from '../../support/arbitrary-output.ts';
import { figuresIn } from '../../support/figures-in.ts';
import { fixture } from '../../support/fixture.ts';

describe('mount', () => {
  it("keeps the volumes a person uses and leaves out the system's own and disk images", () => {
    expect(parseMounts(fixture('mount/m3-ultra-mac-studio.txt'))).toEqual([
      { device: '/dev/disk3s1s1', mountPoint: '/', fileSystem: 'apfs', isLocal: true },
      { device: '/dev/disk7s1', mountPoint: '/Volumes/Models (on shelf)', fileSystem: 'apfs', isLocal: true },
      { device: '//nas.example/big', mountPoint: '/Volumes/big', fileSystem: 'smbfs', isLocal: false },
    ]);
  });
});

describe('df -kP', () => {
  it('gives bytes, also for mount points with spaces', () => {
    expect(parseDf(fixture('df/m3-ultra-mac-studio-local.txt'))).toEqual([
      { mountPoint: '/', totalBytes: 994_662_584_320, availableBytes: 409_600_000_000 },
      { mountPoint: '/Volumes/Models (on shelf)', totalBytes: 8e12, availableBytes: 7_168_000_000_000 },
    ]);
  });

  it('calls what is less than nothing nothing', () => {
    expect(parseDf(fixture('df/m3-ultra-mac-studio-share.txt'))).toEqual([
      { mountPoint: '/Volumes/big', totalBytes: 1e12, availableBytes: 0 },
    ]);
  });

  it('never throws', () => {
    const samples = [fixture('df/m3-ultra-mac-studio-local.txt'), fixture('mount/m3-ultra-mac-studio.txt')];
    forAnyOutput(samples, text => {
      expect(figuresIn([parseDf(text), parseMounts(text)]).every(Number.isFinite)).toBe(true);
    });
  });
});
