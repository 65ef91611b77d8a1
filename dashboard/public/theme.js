// Sets the theme before the first paint. It is a file of its own because the page's policy allows no inline script,
// and a module would run too late and flash. The key and the attribute are those of src/shell/theme.svelte.ts.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('plimsoll-theme');
  } catch {
    // Storage is forbidden: follow the system.
  }
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  document.documentElement.dataset.theme =
    chosen === 'dark' || (chosen !== 'light' && dark) ? 'dark' : 'light';
})();
