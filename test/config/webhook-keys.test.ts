// A webhook in config.toml: what is read, and that its URL is shown nowhere.

import { expect, test } from 'vitest';
import { publicConfig } from '../../src/config/config.ts';
import { problemLines } from '../../src/config/config-problem.ts';
import { settingLines } from '../../src/config/config-template.ts';
import { parseConfig } from '../../src/config/parse-config.ts';

test('never shows the URL of a webhook, neither in a wrong line nor among its settings', () => {
  for (const text of [
    '[[webhooks]]\nname = "ops"\nurl = "hooks.example/T0/secret"',
    '[[webhooks]]\nname = "ops"\nurl = ["https://hooks.example/T0/secret"]',
    '[[webhooks]]\nname = "ops"\nurll = "https://hooks.example/T0/secret"',
    '[[webhooks]]\nname = "ops"\nurl = "https://hooks.example/T0/secret',
  ]) {
    expect(problemsOf(text).length).toBeGreaterThan(0);
    expect(problemsOf(text).join('\n')).not.toContain('secret');
  }
  const text = '[[webhooks]]\nname = "ops"\nurl = "https://hooks.example/secret"\nlevel = "danger"\n';
  const parsed = parseConfig(text, 'config.toml');
  if (parsed.kind === 'broken') throw new Error('in order');
  const lines = settingLines(parsed.settings, 'config.toml');
  expect(lines.filter(line => line === '[[webhooks]]')).toHaveLength(1);
  expect(lines.join('\n')).not.toContain('secret');
  expect(parsed.config.webhooks).toEqual([
    {
      name: 'ops',
      url: 'https://hooks.example/secret',
      format: 'json',
      level: 'danger',
      raisedAfterMs: 30_000,
      clearedAfterMs: 300_000,
    },
  ]);
  expect(JSON.stringify(publicConfig(parsed.config))).not.toContain('hooks.example');
});

const problemsOf = (text: string): readonly string[] => {
  const parsed = parseConfig(text, 'config.toml');
  return parsed.kind === 'ok' ? [] : parsed.problems.flatMap(problemLines);
};
