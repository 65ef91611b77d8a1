// The one-time code in the fragment of the printed address: "#code=…".

export const codeOf = (fragment: string): string | undefined => {
  const code = new URLSearchParams(fragment.replace(/^#/, '')).get('code');
  return code === null || code === '' ? undefined : code;
};
