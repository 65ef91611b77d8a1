import { describe, expect, it } from 'vitest';
import { hardwarePorts } from '../../../src/gather/networksetup/parse-networksetup.ts';
import { fixture } from '../../support/fixture.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { machineForTest } from '../machine-for-test.ts';
import { standInTools } from '../stand-in-tools.ts';

describe('the port map of a Mac', () => {
  it('still applies while networksetup fails now and then, and after five failures the reason is reported', async ({
    signal,
  }) => {
    using tools = standInTools();
    tools.prints('networksetup', fixture('networksetup/m3-ultra-mac-studio-ports.txt'));
    const ports = hardwarePorts(machineForTest({ env: tools.env }));
    const caller = { clock: new VirtualClock(), signal, ageMsMax: 0 };
    const found = await ports.get(caller);
    expect(found).toMatchObject({ kind: 'answered' });
    tools.script('networksetup', 'exit 1');
    for (let failure = 1; failure <= 5; failure++) expect(await ports.get(caller)).toEqual(found);
    const failed = { kind: 'unanswered', reason: 'networksetup exited with code 1' };
    expect(await ports.get(caller)).toMatchObject(failed);
    tools.prints('networksetup', fixture('networksetup/m3-ultra-mac-studio-ports.txt'));
    expect(await ports.get(caller)).toEqual(found);
    tools.prints('networksetup', '');
    expect(await ports.get(caller)).toEqual(found);
  });

  it('is not known where networksetup lists no port', async ({ signal }) => {
    using tools = standInTools();
    tools.prints('networksetup', '');
    const ports = hardwarePorts(machineForTest({ env: tools.env }));
    expect(await ports.get({ clock: new VirtualClock(), signal, ageMsMax: 0 })).toMatchObject({
      kind: 'unanswered',
      reason: 'networksetup lists no hardware port',
    });
  });
});
