// `plimsoll open`: the dashboard's URL, fresh, with a one-time code that signs the browser in.

import { resolveHome } from '../../config/home.ts';
import { flag } from '../../core/option/option.ts';
import { oneTimeCodeSchema } from '../../wire/api/daemon-answers.ts';
import { type Command, homeOption } from '../command.ts';
import { findDaemon, localUrl } from '../daemon-client.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { hasBrowser, openBrowser } from '../shown-dashboard.ts';

const noOpenOption = flag('no-open', 'Print the URL only.');

export const openCommand: Command = {
  name: 'open',
  summary: "Print the dashboard's URL and open it",
  description:
    'The URL contains a code that signs in one browser within ten minutes. Without it, a browser on another machine sees\nnothing, and one on this machine may not start probes. The browser opens only if there is a desktop.',
  arguments: [],
  options: [homeOption, noOpenOption],
  examples: [{ line: 'plimsoll open', meaning: 'for example after the code of `plimsoll up` was used' }],
  run: async (invocation, state) => {
    const home = resolveHome({ ...state, option: invocation.option(homeOption) });
    const client = await findDaemon(home, state);
    const signal = AbortSignal.any([state.stop, AbortSignal.timeout(ANSWER_MS)]);
    const url = localUrl(client.file.url);
    const { code } = await client.answer(oneTimeCodeSchema, '/api/access/one-time-code', signal, 'POST');
    const fragment = `#code=${code}`;
    await state.stdout.write(`${url}/${fragment}\n`);
    if (!invocation.option(noOpenOption) && hasBrowser(state)) await openBrowser(`${url}/${fragment}`, state);
    return EXIT_CODES.ok.code;
  },
};

const ANSWER_MS = 5_000;
