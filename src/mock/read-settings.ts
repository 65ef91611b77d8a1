// Options from outside to settings with every default filled in, or what is wrong with which of them.

import * as v from 'valibot';
import { MockError } from './mock-error.ts';
import type { MockOptions, MockSettings } from './mock-settings.ts';
import { settingsSchema } from './settings-schema.ts';

export type SettingsResult =
  | { readonly kind: 'ok'; readonly settings: MockSettings }
  /** `key` is undefined where several contradict each other. */
  | { readonly kind: 'wrong'; readonly key: string | undefined; readonly problem: string };

export const readMockSettings = (options: unknown): SettingsResult => {
  const result = v.safeParse(settingsSchema, options);
  if (result.success) return { kind: 'ok', settings: result.output };
  const [issue] = result.issues;
  return { kind: 'wrong', key: v.getDotPath(issue)?.split('.')[0], problem: issue.message };
};

/** @throws MockError when an option cannot be. */
export const mockSettings = (options: MockOptions): MockSettings => {
  const result = readMockSettings(options);
  if (result.kind === 'ok') return result.settings;
  throw new MockError('bad-option', `${result.key ?? 'options'}: ${result.problem}`);
};
