// What a person reads of the sending of a run to a receiver of OpenTelemetry.

import { expect, test } from 'vitest';
import { sendRun } from '../../src/cli/send-run.ts';
import { madeUpProcess } from '../support/made-up-process.ts';
import { MadeUpRun } from '../support/made-up-run.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('a run that was interrupted is not sent, and the command that sends it is told', async () => {
  using folder = temporaryDirectory();
  const { run } = new MadeUpRun({ directory: folder.path }).report();
  const own = madeUpProcess([]);
  own.stop('SIGINT');
  await sendRun(run, folder.path, 'http://127.0.0.1:9', own.state);
  expect(own.stderr.text).toContain(`plimsoll report ${folder.path} --otlp http://127.0.0.1:9`);
});
