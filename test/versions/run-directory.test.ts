// A run directory that version 0.1.0 wrote: what later versions say besides is unknown there, with that reason.

import { expect, test } from 'vitest';
import { reportFromJson } from '../../src/wire/report-codec.ts';
import { runConfigFromJson } from '../../src/wire/run-config.ts';
import { pinnedText } from '../support/pinned-version.ts';

test.each([
  ['config.json', (json: string) => runConfigFromJson(json).run.api],
  ['report.json', (json: string) => reportFromJson(json).run.api],
])('%s says nothing of the API that was asked, and is read', (file, apiOf) => {
  expect(apiOf(pinnedText(`run/${file}`))).toEqual({ kind: 'unknown', reason: 'not told by that version' });
});
