// Recorded outputs that no row reads yet, with the reason. It must stay empty.

export const NOT_YET: Readonly<Record<string, string>> = {};
