// `scutil --get ComputerName` prints the name on one line; without one it says "ComputerName: not set" on stderr and
// exits 1. The name may hold any character, U+2019 among them.

export const parseComputerName = (text: string): string | undefined => {
  const name = text.split('\n')[0]?.trim() ?? '';
  return name === '' || /^(Computer|LocalHost|Host)Name: not set$/.test(name)
    ? undefined
    : name.slice(0, NAME_LENGTH_MAX);
};

const NAME_LENGTH_MAX = 200;
