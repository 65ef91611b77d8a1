import { describe, expect, test } from 'vitest';
import { makeAgentCode } from '../../src/bench/agent/tls/agent-code.ts';
import { agentAddressText, parseAgentAddresses } from '../../src/cli/agent/agent-addresses.ts';

const CODE = '7QKF-M2XW-9TBD-0C4H-VN8S-3JYR-E6GA';

describe('agents on a command line', () => {
  test('are read as an agent prints them', () => {
    for (const at of [
      { host: '10.0.0.2', port: 4184 },
      { host: '10.0.0.2', port: 5000 },
      { host: '2001:db8::7', port: 4184 },
      { host: 'fe80::1%en3', port: 4184 },
      { host: 'juno.local', port: 4184 },
    ]) {
      const agent = { at, code: makeAgentCode() };
      expect(parseAgentAddresses(agentAddressText(agent))).toEqual({ kind: 'ok', value: [agent] });
    }
  });

  test('are many, each with a code of its own', () => {
    expect(parseAgentAddresses(`10.0.0.2=${CODE}, 10.0.0.3:5000=${CODE.toLowerCase()}`)).toMatchObject({
      kind: 'ok',
      value: [
        { at: { host: '10.0.0.2', port: 4184 }, code: CODE },
        { at: { host: '10.0.0.3', port: 5000 }, code: CODE },
      ],
    });
  });

  test('that are wrong are refused without a code being echoed', () => {
    for (const text of [
      '',
      '10.0.0.2',
      `=${CODE}`,
      `10.0.0.2=${CODE.slice(0, -1)}`,
      `10.0.0.2=${CODE}=1`,
      `10.0.0.2:99999=${CODE}`,
      `10.0.0.2=${CODE},10.0.0.2:4184=${CODE}`,
    ]) {
      const read = parseAgentAddresses(text);
      expect([text, read.kind]).toEqual([text, 'wrong']);
      expect(JSON.stringify(read)).not.toContain(CODE.slice(0, 9));
    }
  });
});
