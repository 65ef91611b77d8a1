// A command as it is typed where the daemon was started. Texts are written with the installed name.

/** `plimsoll up` as `./plimsoll up`, also behind `&&` or a pipe; what runs on another machine stays. */
export const typedHere = (command: string, program: string): string =>
  command.replace(/(^|&& |\| )plimsoll /g, (_, before: string) => `${before}${program} `);
