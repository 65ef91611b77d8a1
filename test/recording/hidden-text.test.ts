// What running text may hold of a person: errors of Node, of resolvers and of tools name hosts, ports, files and accounts in
// their own forms.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HiddenText } from '../../src/recording/hidden-text.ts';

describe('running text in a recording without names', () => {
  it.each([
    ['an address with a port', 'connect ECONNREFUSED 10.20.30.40:8000', '10.20.30.40'],
    ['an address at the end of a sentence', 'It cannot reach 10.20.30.40.', '10.20.30.40'],
    ['an address behind a colon', 'peer:10.20.30.40', '10.20.30.40'],
    ['an IPv6 address at the end of a sentence', 'No answer from 2a02:1234::17.', '2a02:1234'],
    ['an IPv6 address before a colon', '2a02:1234::17: no route', '2a02:1234'],
    ['a hardware address in the name of an interface', 'on fe80::1%enx001122334455', '001122334455'],
    ['a hardware address with dashes', 'of AC-DE-48-00-11-22', 'AC-DE-48'],
    ['a hardware address without colons', 'port acde48001122 is down', 'acde48001122'],
    ['a GID in one word', 'gid fe80000000000000acde48fffe001122', 'acde48'],
    ['a host that has no address', 'getaddrinfo ENOTFOUND nas', 'nas'],
    ['a host with its domain', 'ssh: Could not resolve hostname llm.anna.example.com', 'anna'],
    ['a host with a port', 'connect to attic:8000 timed out', 'attic'],
    ['an account at a host', 'anna@10.1.2.3 refused', 'anna'],
    ['a URL in capitals', 'at HTTP://LLM.ANNA.LAN:80/', 'ANNA'],
    ['a URL that is not of the web', 'tcp://llm.anna.lan:5000, ssh://anna@attic', 'anna'],
    ['the URL of a file', 'file:///home/anna/prompts.jsonl', 'anna'],
    ['a path behind a colon', 'ENOENT:/home/anna/x', 'anna'],
    ['a path of one step', 'cannot open /anna', 'anna'],
    ['a path with spaces in quotes', "ENOENT: no such file, open '/Users/Anna Smith/models/x'", 'Smith'],
    ['a path on the volume of data of a Mac', '/System/Volumes/Data/Users/anna/x', 'anna'],
    ['a path in the home of somebody', '~anna/models', 'anna'],
    ['a path of Windows', 'C:\\Users\\anna\\model.gguf', 'anna'],
    ['a share of Windows', '\\\\attic\\anna', 'anna'],
    ['a file of the system that a person named', '/etc/anna/key', 'anna'],
    ['a volume that a person named', '/dev/mapper/annas--vg-root', 'annas'],
    ['the serial number of a disk', '/dev/disk/by-id/nvme-Samsung_S5H9NS0N', 'S5H9NS0N'],
  ])('does not hold %s', (_name, text, secret) => {
    expect(new HiddenText().hidden(text)).not.toContain(secret);
  });

  it.each([
    'CUDA 12.8, driver 570.86.16, libcuda.so.1 and node.js 24.21.0',
    'PCIe 0000:c1:00.0 at 14:02:51',
    '127.0.0.1, ::1, /proc/meminfo, /sys/class/net/eth0/speed, /usr/bin/nvidia-smi, /dev/nvme0n1p2',
    'probes are off: probes.enabled in config.toml',
    'the reply came after 10000 ms, 12:30 and 5 TFLOP/s, e.g. of read/write',
    'clock event slowdown: HW thermal slowdown, 1300@1500 MHz',
  ])('keeps what is the same everywhere: %s', text => {
    expect(new HiddenText().hidden(text)).toBe(text);
  });

  it('recognizes the name of a machine however it is written', () => {
    const text = new HiddenText();
    text.learn('node', 'Anna’s Mac Studio');
    text.learn('host', 'attic.fritz.box');
    for (const written of [
      'ANNA’S MAC STUDIO',
      'Annas-Mac-Studio.local',
      'Annas Mac Studio',
      'Attic',
      'attic',
    ])
      expect(text.hidden(`no answer from ${written}`)).not.toMatch(/anna|attic/i);
    expect(text.hidden('attics')).toBe('attics');
  });

  it('distinguishes machines whose names differ only in capitals', () => {
    const text = new HiddenText();
    expect(text.learn('node', 'Atlas')).not.toBe(text.learn('node', 'atlas'));
    expect(text.hidden('Atlas, atlas')).toBe('node-1, node-2');
  });

  it('gives equal paths, hosts and accounts equal stand-ins', () => {
    const hidden = new HiddenText().hidden('nas.anna.lan /a/b http://nas.anna.lan/ /a/b x@nas.anna.lan');
    const [host, path, url, again, account] = hidden.split(' ');
    expect(url).toBe(`http://${host}`);
    expect(again).toBe(path);
    expect(account).toBe(`user-1@${host}`);
  });

  it('takes no more than a moment for anything that a peer may send', () => {
    for (const unit of ['a.', 'a-', '1.', ':', '/a', '~', '@', 'ab:', "'/", '\\', 'f', '::', 'a@']) {
      const began = process.cpuUsage();
      new HiddenText().hidden(unit.repeat(1_024 / unit.length));
      const { user } = process.cpuUsage(began);
      expect(user, unit).toBeLessThan(100_000);
    }
  });

  it('hides what it has hidden no further', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.domain(), (address, host) => {
        const text = new HiddenText();
        const hidden = text.hidden(`from ${address} to ${host}`);
        expect(hidden).toMatch(/^from (?:\d+\.){3}\d+ to \S+$/);
        if (!/^(?:127|0|255|224)\./.test(address)) expect(hidden).not.toContain(` ${address} `);
      }),
    );
  });
});

describe('the name of an interface in a recording without names', () => {
  it.each([
    'en0',
    'eno1np0',
    'enp1s0f0np0',
    'enP2p1s0f0np0',
    'enp0s31f6',
    'ens192',
    'wlp5s0',
    'wlan0',
    'wwan0',
    'ibp42s0',
    'ib0',
    'roceP2p1s0f0',
    'rocep1s0f1',
    'rdma_en3',
    'mlx5_0',
    'tailscale0',
    'enu1u1',
    'enc8000',
  ])('stays where a system gave it: %s', name => {
    expect(new HiddenText().pseudonyms.interfaceName(name)).toBe(name);
  });

  it.each([
    'enx001122334455',
    'wlx00c0caabcdef',
    'wwx001122334455',
    'enanna0',
    'roceAnna1',
    'br-1a2b3c4d5e6f',
    'anna0',
  ])('goes where it holds a hardware address or what a person chose: %s', name => {
    expect(new HiddenText().pseudonyms.interfaceName(name)).toMatch(/^if\d+$/);
  });
});
